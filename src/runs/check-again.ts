import type { FinishFacts } from '../steering/event.ts';
import type { State } from '../steering/state.ts';
import { messageOf, newReference } from './faults.ts';
import { checkFinish, type Finishable, isFinished } from './finish.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

/** How long the check of an approved run may fail before its approvals fall, in milliseconds. */
const patienceMs = 10 * 60_000;

/**
 * Repeats the check before finishing, whatever this process has confirmed before, so that what fell since
 * turns the check run. A check that keeps failing turns it as well: somebody may have seen to it.
 */
export async function checkAgain(
  run: Run,
  state: State,
  services: Services,
): Promise<Finishable | undefined> {
  if (!isFinished(state)) return undefined;
  try {
    const finishable = await checkFinish(run, state, { services });
    run.failingSince = undefined;
    return finishable;
  } catch (fault) {
    const now = services.clock.now();
    run.failingSince ??= now;
    if (now.getTime() - run.failingSince.getTime() >= patienceMs) {
      await giveUp(run, state, { fault, services });
      run.failingSince = undefined;
    }
    throw fault;
  }
}

/** Records that nothing is known of the approvals any more. */
async function giveUp(
  run: Run,
  state: State,
  { fault, services }: { readonly fault: unknown; readonly services: Services },
): Promise<void> {
  const reference = newReference();
  services.log.error(`could not check ${run.name} for too long (${reference}): ${messageOf(fault)}`);
  const why = (login: string) => `the approval by ${login} could not be checked (reference ${reference})`;
  const facts: FinishFacts = {
    ...{ head_sha: state.head, base: state.run.base, settings: state.settings, contributors: null },
    approvals: state.approvals.map(({ id, by }) => ({ id, stands: false, why: why(by.login) })),
  };
  const id = `finish:${state.head}:${state.seq}:failed`;
  await run.record({ type: 'finish_checked', id, at: services.clock.now().toISOString(), facts });
}

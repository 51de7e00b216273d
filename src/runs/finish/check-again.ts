import { messageOf, newReference } from '../../repository/faults.ts';
import { groundOf } from '../../steering/approval/auto-approval.ts';
import { isFinished, reasonsAgainst } from '../../steering/approval/finish-reasons.ts';
import { checked, isFailingTooLong } from '../../steering/process-state.ts';
import type { FinishFacts } from '../../steering/shapes/finishing.ts';
import type { State } from '../../steering/state/state.ts';
import { recordOrWithhold } from '../run/background-work.ts';
import { lossFrom } from '../run/lost-run.ts';
import type { Run } from '../run/run.ts';
import { checkFinish, type Finishable, finishFacts } from './check-finish.ts';

/**
 * Repeats the check before finishing, whatever this process has confirmed before, so that what fell since
 * turns the check run. A check that keeps failing turns it as well, and in a job of the Action the first that
 * fails: somebody may have seen to it.
 */
export async function checkAgain(run: Run, state: State): Promise<Finishable | undefined> {
  if (!isFinished(state)) return undefined;
  try {
    const finishable = await checkFinish(run, state);
    noteCheck(run, undefined);
    return finishable;
  } catch (fault) {
    if (noteCheck(run, run.services.clock.now())) {
      await giveUp(run, state, fault);
      noteCheck(run, undefined);
    } // A job cannot wait; the next one that can check it draws it again.
    else if (run.services.presenter === 'action') await run.withhold();
    throw fault;
  }
}

/**
 * The check of a run that was just approved. What nobody of people approved rests on our own check runs, so
 * it is drawn before, and left to people if either keeps failing; what people approved waits as long as it
 * takes.
 */
export async function checkFirst(run: Run, state: State): Promise<void> {
  try {
    if (groundOf(state) !== undefined) await run.drawing.presentNow(state);
    await checkFinish(run, state);
    noteCheck(run, undefined);
  } catch (fault) {
    if (groundOf(state) === undefined || !noteCheck(run, run.services.clock.now())) throw fault;
    await giveUp(run, state, fault);
    noteCheck(run, undefined);
  }
}

/** Notes that the check failed at this time, or did not. Returns whether it has failed for too long. */
function noteCheck(run: Run, failing: Date | undefined): boolean {
  run.process = checked(run.process, failing);
  return failing !== undefined && isFailingTooLong(run.process, failing);
}

/** Records that nothing is known of the approvals any more. */
async function giveUp(run: Run, state: State, fault: unknown): Promise<void> {
  const reference = newReference();
  run.services.log.error(`could not check ${run.name} for too long (${reference}): ${messageOf(fault)}`);
  const why = (login: string) => `the approval by ${login} could not be checked (reference ${reference})`;
  const facts: FinishFacts = {
    ...{ head_sha: state.head, base: state.run.base, settings: state.settings, contributors: null },
    approvals: state.approvals.map(({ id, by }) => ({ id, stands: false, why: why(by.login) })),
  };
  const id = `finish:${state.head}:${state.seq}:failed`;
  const at = run.now();
  await recordOrWithhold(() => run.record({ type: 'finish_checked', id, at, facts }), run);
}

/**
 * The same where the ledger cannot be read or written, so that nothing can be recorded: what permits merging
 * is taken back if the approvals no longer hold. Where they cannot be read either, a lost ledger is enough,
 * and so is an outage that lasts.
 */
export async function checkUnread(run: Run, fault: unknown): Promise<void> {
  const state = run.newest;
  if (state === undefined || !isFinished(state)) return;
  const isLost = lossFrom(fault) !== undefined;
  const reasons = await finishFacts(run, state).then(
    (facts) => {
      noteCheck(run, undefined);
      return reasonsAgainst(state, facts);
    },
    (again: unknown) => {
      const isLeft = run.services.presenter === 'action' || noteCheck(run, run.services.clock.now());
      return isLost || isLeft ? [messageOf(again)] : [];
    },
  );
  if (reasons.length === 0) return;
  run.services.log.warn(`withheld ${run.name}, whose ledger cannot be read: ${reasons.join('; ')}`);
  await run.withhold();
}

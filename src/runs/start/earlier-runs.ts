import { readPull } from '../../github/read/pulls.ts';
import { roleOf } from '../../github/read/roles.ts';
import { LedgerBroken, LedgerKeyUnknown } from '../../ledger/errors.ts';
import type { CommandEventOf } from '../../steering/iterations/step.ts';
import { covers } from '../../steering/shapes/people.ts';
import type { Phase } from '../../steering/shapes/standing.ts';
import type { EarlierRun } from '../../steering/shapes/task.ts';
import type { State } from '../../steering/state/state.ts';
import { beginningOf } from '../../text/characters.ts';
import type { LiveRun } from '../live/live-run.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import { messageOf } from '../repository/faults.ts';
import type { Starting } from './starting.ts';

/** Each costs a fetch. */
const maxRead = 8;
const maxRuns = 3;
const maxWords = 500;
const maxCharacters = 5_000;

/**
 * Which of these runs, or of those that took their place, people gave up, who and why, newest first. Only
 * a ledger that is ours says so, and only the words of people who may still steer are for an agent.
 */
export async function runsGivenUp(
  { repository, liveRuns }: Starting,
  { issue, numbers }: { readonly issue: number; readonly numbers: readonly number[] },
): Promise<readonly EarlierRun[]> {
  const givenUp = new Map<number, GivingUp>();
  const waiting = [...numbers];
  for (let read = 0; read < maxRead && waiting.length > 0; read++) {
    const number = Math.max(...waiting);
    waiting.splice(waiting.indexOf(number), 1);
    const run = liveRuns.of(repository, number);
    const state = (await unlessForeign(run, run.readLedger(), liveRuns))?.state;
    if (state?.run.issue !== issue) continue;
    waiting.push(...(state.replaced_by?.made ?? []).map((made) => made.number));
    const said = await unlessForeign(run, givingUpOf(run, state), liveRuns);
    if (said !== undefined) givenUp.set(number, said);
  }
  const found: EarlierRun[] = [];
  for (const [number, said] of [...givenUp].toSorted(([one], [other]) => other - one)) {
    const { role } = await roleOf(repository.octokit, repository, said.by);
    if (!covers(role, 'write')) continue;
    const { login, id } = said.by;
    const how = said.command.type === 'abandon' ? { how: 'abandoned' as const } : {};
    found.push({ number, by: { login, id }, at: said.at, reason: beginning(said.command.reason), ...how });
    if (found.length === maxRuns) break;
  }
  return found;
}

/** What a ledger says; undefined if it is not ours. */
export async function unlessForeign<T>(run: LiveRun, asked: Promise<T>, { services }: LiveRuns) {
  return asked.catch((fault: unknown) => {
    if (!(fault instanceof LedgerBroken || fault instanceof LedgerKeyUnknown)) throw fault;
    services.log.warn(`could not learn why ${run.name} has ended: ${messageOf(fault)}`);
    return undefined;
  });
}

type OpenRun = { readonly number: number; readonly phase?: Phase | undefined };

/** An open run that has taken the place of one that has ended, or of one that had; undefined if none is. */
export async function openSuccessor(starting: Starting, number: number): Promise<OpenRun | undefined> {
  const { repository, liveRuns } = starting;
  const stateOf = async (run: LiveRun) => (await unlessForeign(run, run.readLedger(), liveRuns))?.state;
  const state = await stateOf(liveRuns.of(repository, number));
  if (state?.standing.phase !== 'abandoned') return undefined;
  for (const made of state.replaced_by?.made ?? []) {
    const { open } = await readPull(repository.octokit, repository, made.number);
    if (open) {
      const its = await stateOf(liveRuns.of(repository, made.number));
      return { number: made.number, phase: its?.standing.phase };
    }
    const found = await openSuccessor(starting, made.number);
    if (found !== undefined) return found;
  }
  return undefined;
}

type GivingUp = CommandEventOf<'reject' | 'abandon'>;

/** What was said, if a run has ended with it and with a reason. */
async function givingUpOf(run: LiveRun, { standing }: State): Promise<GivingUp | undefined> {
  if (standing.phase !== 'rejected' && standing.phase !== 'abandoned') return undefined;
  const { by, reason } = standing;
  if (reason === '') return undefined;
  return (await run.events()).findLast(
    (event): event is GivingUp =>
      // Older versions gave a click a reason of their own, which nobody has said.
      event.type === 'said' &&
      event.source.from !== 'click' &&
      (event.command.type === 'reject' || event.command.type === 'abandon') &&
      event.by.login === by &&
      event.command.reason === reason,
  );
}

export function beginning(text: string): string {
  const kept = beginningOf(
    text
      .split(/(?<=\s)/)
      .slice(0, maxWords)
      .join(''),
    maxCharacters,
  ).trimEnd();
  return kept.length < text.trimEnd().length ? `${kept} [cut]` : kept;
}

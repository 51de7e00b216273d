import { readPull } from '../../github/read/pulls.ts';
import { roleOf } from '../../github/read/roles.ts';
import { LedgerBroken, LedgerKeyUnknown } from '../../ledger/errors.ts';
import type { EventOf } from '../../steering/event.ts';
import { covers } from '../../steering/person.ts';
import type { EarlierRun } from '../../steering/task.ts';
import { beginningOf } from '../../text/cut.ts';
import { messageOf } from '../faults.ts';
import type { LiveRun } from '../live-run.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Starting } from './starting.ts';

/** Each costs a fetch. */
const maxRead = 5;
const maxRuns = 3;
const maxWords = 500;
const maxCharacters = 5_000;

/**
 * Which of these runs were rejected, by whom and why, newest first. Only a ledger that is ours says so, and
 * only the words of people who may still steer are for an agent.
 */
export async function rejectedRuns(
  { repository, liveRuns }: Starting,
  { issue, numbers }: { readonly issue: number; readonly numbers: readonly number[] },
): Promise<readonly EarlierRun[]> {
  const found: EarlierRun[] = [];
  for (const number of numbers.toSorted((one, other) => other - one).slice(0, maxRead)) {
    const run = liveRuns.of(repository, number);
    const said = await unlessForeign(run, rejectionOf(run, issue), liveRuns);
    if (said === undefined) continue;
    const { role } = await roleOf(repository.octokit, repository, said.by);
    if (!covers(role, 'write')) continue;
    const { login, id } = said.by;
    found.push({ number, by: { login, id }, at: said.at, reason: beginning(said.command.reason) });
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

/** An open run that has taken the place of one that has ended, or of one that had; undefined if none is. */
export async function openSuccessor(starting: Starting, number: number): Promise<number | undefined> {
  const { repository, liveRuns } = starting;
  const run = liveRuns.of(repository, number);
  const state = (await unlessForeign(run, run.readLedger(), liveRuns))?.state;
  if (state?.standing.phase !== 'abandoned') return undefined;
  for (const made of state.replaced_by?.made ?? []) {
    const { open } = await readPull(repository.octokit, repository, made.number);
    const found = open ? made.number : await openSuccessor(starting, made.number);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Rejection = EventOf<'said'> & { readonly command: { readonly type: 'reject'; readonly reason: string } };

/** What was said, if that is how a run on this issue has ended. */
async function rejectionOf(run: LiveRun, issue: number): Promise<Rejection | undefined> {
  const state = (await run.readLedger())?.state;
  if (state?.run.issue !== issue || state.standing.phase !== 'rejected') return undefined;
  const { by, reason } = state.standing;
  return (await run.events()).findLast(
    (event): event is Rejection =>
      // Older versions gave a click a reason of their own, which nobody has said.
      event.type === 'said' &&
      event.source.from !== 'click' &&
      event.command.type === 'reject' &&
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

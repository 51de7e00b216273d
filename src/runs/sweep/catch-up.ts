import type { GitHubEvent } from '../../github/events/github-event.ts';
import type { TranslateContext } from '../../github/listen/run-event.ts';
import { translate } from '../../github/listen/translate.ts';
import type { Log } from '../../github/octokit/connect.ts';
import { missedCommands } from '../../github/read/missed-commands.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { LedgerBroken, LedgerKeyUnknown, LedgerOfApp, LedgerTooNew } from '../../ledger/errors.ts';
import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import type { Event } from '../../steering/event.ts';
import type { State } from '../../steering/state.ts';
import { withBaseMerge } from '../pushed.ts';
import { isQueued } from '../queued-comment.ts';
import { retargetIn } from '../retarget.ts';
import type { Run } from '../run.ts';

/** GitHub's times have whole seconds, and events can be recorded out of order. */
const marginMs = 60_000;

/**
 * Records what happened on the pull request but is missing from the ledger: commands, pushes, another base,
 * closing. Every event has the same id as from its webhook, so what is already recorded changes nothing. One
 * command that cannot be read does not keep the others from being recorded. Returns what went wrong with such
 * commands: what they say is unknown.
 */
export async function catchUp(
  run: Run,
  { state, ...known }: LedgerSnapshot,
  log: Pick<Log, 'warn'>,
): Promise<readonly unknown[]> {
  const { repository, number } = run;
  const pull = await readPull(repository.octokit, repository, number);
  const since = lastRecorded(state);
  const { octokit, own } = repository;
  const seen = new Set([...known.seen, ...run.passedOver.keys()]);
  const { events, unread } = await missedCommands(octokit, { ...pull, repository, seen }, since);
  const faults: unknown[] = [...unread];
  for (const incoming of events) {
    await recordMissed(run, incoming, { octokit, own, trigger: '' }).catch((fault: unknown) => {
      if (isLedgers(fault)) throw fault;
      faults.push(fault);
    });
  }
  const retarget = pull.open ? await retargetIn(run, state, { pull }) : undefined;
  if (retarget !== undefined) await run.record(retarget);
  const news = missedEvent(pull, state);
  if (news !== undefined) await run.record(await withBaseMerge(news, run, log));
  return faults;
}

async function recordMissed(run: Run, incoming: GitHubEvent, context: TranslateContext): Promise<void> {
  for (const runEvent of await translate(incoming, context)) {
    if (runEvent.kind !== 'event') continue;
    const { event } = runEvent;
    // The ledger was read just now; edits that change nothing come back in every sweep.
    if (event.type !== 'comment_changed' || isQueued(run.newest, event)) await run.record(event);
  }
}

/** Whether the run's ledger is at fault, and so nothing else can be recorded either. */
function isLedgers(fault: unknown): boolean {
  return [LedgerBroken, LedgerTooNew, LedgerKeyUnknown, LedgerOfApp].some((kind) => fault instanceof kind);
}

/** Commands from before the ledger was restored were answered, or recorded in the lost one. */
function lastRecorded({ updated_at, restored }: State): string {
  const since = new Date(Date.parse(updated_at) - marginMs).toISOString();
  return restored !== undefined && restored.at > since ? restored.at : since;
}

/** Who did it, and whether with force, is unknown here and does not matter. */
function missedEvent(pull: PullFacts, { head: before }: State): Event | undefined {
  const by = 'somebody';
  if (!pull.open) {
    const at = pull.closed_at ?? pull.updated_at;
    return { type: 'closed', id: `closed:${at}`, at, by, merged: pull.merged, base: pull.base_ref };
  }
  if (pull.head_sha === before) return undefined;
  const { head_sha: head, updated_at: at } = pull;
  return { type: 'pushed', id: `push:${head}@${at}`, at, by, before, head, forced: false };
}

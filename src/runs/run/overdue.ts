import { countCommits } from '../../git/merges.ts';
import { listRemote } from '../../git/remote.ts';
import type { Log } from '../../github/octokit/connect.ts';
import { spokenSince } from '../../github/read/pull-timeline.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Clock } from '../../repository/github-clock.ts';
import { knownTip } from '../../steering/branch/changed-base.ts';
import { timeRunsSince } from '../../steering/decide.ts';
import { deadlines } from '../../steering/handlers/deadlines.ts';
import { table } from '../../steering/phases/table.ts';
import type { Spoken } from '../../steering/shapes/finishing.ts';
import { type Deadline, isLeased, type Lease } from '../../steering/shapes/standing.ts';
import { isBefore } from '../../steering/shapes/time.ts';
import type { State } from '../../steering/state/state.ts';
import { catchUp } from './catch-up.ts';
import type { Run } from './run.ts';

interface Firing {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A deadline has come. What people have said meanwhile is read before the timer acts, because it takes
 * precedence; if some of it cannot be read, the timer does not act.
 */
export async function fireTimer(run: Run, { kind, at }: Deadline, { clock, log }: Firing): Promise<void> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const [unread] = await catchUp(run, snapshot, log);
  if (unread !== undefined) throw unread;
  if (kind === 'checks') await run.readChecks();
  const spoken = kind === 'proceed' ? await spokenIn(run, run.newest) : undefined;
  await run.record({
    ...{ type: 'timer_due', id: `timer:${kind}:${at}`, at: clock.now().toISOString() },
    ...{ timer: kind, deadline: at },
    ...(spoken !== undefined && { spoken }),
  });
}

/** Who has said something since people can, command or not; undefined if nobody has. */
export async function spokenIn(run: Run, state: State | undefined): Promise<Spoken | undefined> {
  const since = state && timeRunsSince(state);
  if (since === undefined) return undefined;
  const { repository, number } = run;
  const { seen = new Set<string>() } = (await run.readLedger()) ?? {};
  return spokenSince(repository.octokit, { where: repository, number, seen }, since);
}

/** A run cannot have more deadlines at once. */
const maxDue = 5;

/** Acts on every deadline of a run that has passed, earliest first. */
export async function fireDue(run: Run, { clock, log }: Firing): Promise<void> {
  for (let fired = 0; fired < maxDue; fired++) {
    const state = (await run.readLedger())?.state;
    const [first] = state === undefined ? [] : deadlines(state);
    if (first === undefined || Date.parse(first.at) > clock.now().getTime()) return;
    await fireTimer(run, first, { clock, log });
  }
}

export interface SweepOptions {
  /** Whether the holder of this lease is known to be gone, so that the lease need not expire first. */
  isGone(hold: Lease): boolean | Promise<boolean>;
}

/** Hands work to another process if the one that holds its lease is gone, or had it for too long. */
export async function releaseLost(
  run: Pick<Run, 'record'>,
  { standing }: State,
  { isGone, now }: SweepOptions & { readonly now: Date },
): Promise<void> {
  if (!isLeased(standing)) return;
  const { hold } = standing;
  const at = now.toISOString();
  if (!isBefore(hold.until, at) && !(await isGone(hold))) return;
  await run.record({ type: 'hold_lost', id: `hold_lost:${hold.holder}`, at, hold });
}

interface Noting {
  readonly now: Date;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Tells people who are asked about a merge that its base has moved. The finish finds out by itself, so a tip
 * that cannot be read keeps nothing else from being done.
 */
export async function noteBase(run: Run, { now, log }: Noting): Promise<void> {
  await recordMove(run, now).catch((fault: unknown) =>
    log.warn(`could not find out whether the base of ${run.name} has moved: ${messageOf(fault)}`),
  );
}

/** Costs a request only where the verifiers saw the merge, and a fetch only if the base has moved. */
async function recordMove(run: Run, now: Date): Promise<void> {
  const state = run.newest;
  const { shown } = state ?? {};
  const known = state && knownTip(state);
  if (!state || !shown?.merged_with || !isAskedAbout(state)) return;
  const ref = `refs/heads/${state.run.base}`;
  const base_sha = (await listRemote(run.repository.remote, [ref])).get(ref);
  if (base_sha === undefined || base_sha === known) return;
  const mirror = await run.repository.mirror();
  await mirror.fetch([`+${ref}:${ref}`]);
  const commits = await countCommits(mirror.dir, { after: shown.merged_with, upTo: base_sha });
  const id = `base:${base_sha}@${shown.at}`;
  await run.record({
    type: 'base_moved',
    id,
    at: now.toISOString(),
    head: shown.head_sha,
    base_sha,
    commits,
  });
}

/** Whether people are asked about the head, which they may approve. */
function isAskedAbout({ standing: { phase } }: State): boolean {
  return table[phase].kind === 'asks';
}

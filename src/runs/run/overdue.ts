import { countCommits } from '../../git/merges.ts';
import { remoteTip } from '../../git/remote.ts';
import { spokenSince } from '../../github/read/pull-timeline.ts';
import { knownTip } from '../../steering/branch/changed-base.ts';
import { deadlines } from '../../steering/handlers/deadlines.ts';
import { timeRunsSince } from '../../steering/objections.ts';
import { table } from '../../steering/phases/table.ts';
import type { Spoken } from '../../steering/shapes/finishing.ts';
import { type Deadline, isLeased, type Lease } from '../../steering/shapes/standing.ts';
import { isBefore } from '../../steering/shapes/time.ts';
import type { State } from '../../steering/state/state.ts';
import { orTell } from './background-work.ts';
import { requireCaughtUp } from './catch-up.ts';
import { reportChecks } from './ci-checks.ts';
import type { Run } from './run.ts';

/**
 * A deadline has come. What people have said meanwhile is read before the timer acts, because it takes
 * precedence; if some of it cannot be read, the timer does not act.
 */
export async function fireTimer(run: Run, { kind, at }: Deadline): Promise<void> {
  if (!(await requireCaughtUp(run))) return;
  if (kind === 'checks') await reportChecks(run);
  const spoken = kind === 'proceed' ? await spokenIn(run, run.newest) : undefined;
  await run.record({
    ...{ type: 'timer_due', id: `timer:${kind}:${at}`, at: run.now() },
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
export async function fireDue(run: Run): Promise<void> {
  for (let fired = 0; fired < maxDue; fired++) {
    const [first] = run.newest === undefined ? [] : deadlines(run.newest);
    if (first === undefined || isBefore(run.now(), first.at)) return;
    await fireTimer(run, first);
  }
}

export interface SweepOptions {
  /** Whether the holder of this lease is known to be gone, so that the lease need not expire first. */
  isGone(hold: Lease): boolean | Promise<boolean>;
}

/** Hands work to another process if the one that holds its lease is gone, or had it for too long. */
export async function releaseLost(
  run: Pick<Run, 'now' | 'record'>,
  { standing }: State,
  { isGone }: SweepOptions,
): Promise<void> {
  if (!isLeased(standing)) return;
  const { hold } = standing;
  const at = run.now();
  if (!isBefore(hold.until, at) && !(await isGone(hold))) return;
  await run.record({ type: 'hold_lost', id: `hold_lost:${hold.holder}`, at, hold });
}

/**
 * Tells people who are asked about a merge that its base has moved. The finish finds out by itself, so a tip
 * that cannot be read keeps nothing else from being done.
 */
export async function noteBase(run: Run): Promise<void> {
  const doing = `find out whether the base of ${run.name} has moved`;
  await orTell(run.services.log, doing, () => recordMove(run));
}

/** Costs a request only where the verifiers saw the merge, and a fetch only if the base has moved. */
async function recordMove(run: Run): Promise<void> {
  const state = run.newest;
  const { shown } = state ?? {};
  const known = state && knownTip(state);
  if (!state || !shown?.merged_with || table[state.standing.phase].kind !== 'asks') return;
  const { base } = state.run;
  const base_sha = await remoteTip(run.repository.remote, base);
  if (base_sha === undefined || base_sha === known) return;
  const mirror = await run.repository.mirror();
  await mirror.fetchBranches(base);
  const commits = await countCommits(mirror.dir, { after: shown.merged_with, upTo: base_sha });
  const id = `base:${base_sha}@${shown.at}`;
  await run.record({ type: 'base_moved', id, at: run.now(), head: shown.head_sha, base_sha, commits });
}

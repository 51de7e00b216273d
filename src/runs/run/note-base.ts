import { countCommits } from '../../git/merges.ts';
import { listRemote } from '../../git/remote.ts';
import type { Log } from '../../github/octokit/connect.ts';
import { knownTip } from '../../steering/branch/changed-base.ts';
import { table } from '../../steering/phases/table.ts';
import type { State } from '../../steering/state/state.ts';
import { messageOf } from '../repository/faults.ts';
import type { Run } from './run.ts';

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

import { isAncestor } from '../../git/merge.ts';
import { unlessForbidden } from '../../github/octokit/fault.ts';
import {
  closingCommit,
  type DependencyFacts,
  mergeOfPull,
  readDependency,
} from '../../github/read/dependencies.ts';
import { isMerged } from '../../steering/standing.ts';
import type { Dependency, Replacement } from '../../steering/task.ts';
import { knownRun, ledgersOf, type Place } from './open-runs.ts';

/** How far what a run depends on has come, by what GitHub and Git say now. */

/** Says of a commit whether it is in the base; the tip is that of now. */
type Ground = (commit: string) => Promise<'ready' | 'merged'>;

export async function groundOf({ repository }: Place, base: string): Promise<Ground> {
  const mirror = await repository.mirror();
  const ref = `refs/heads/${base}`;
  await mirror.fetch([`+${ref}:${ref}`]);
  return async (commit) => {
    // What the base has is fetched with it.
    if ((await mirror.resolve(commit)) === undefined) return 'merged';
    return (await isAncestor(mirror.dir, commit, ref)) ? 'ready' : 'merged';
  };
}

/** One that is not there any more will not be merged, nor one that went to another repository. */
export async function readState(place: Place, number: number, ground: Ground): Promise<Dependency['is']> {
  const facts = await readDependency(place.repository.octokit, place.repository, number);
  if (facts === undefined || (await isElsewhere(place, facts))) return 'closed';
  return stateOf(place, { number, facts }, ground);
}

/** Whether GitHub answers with an issue of another repository; ours may have got another name meanwhile. */
export async function isElsewhere({ repository }: Place, { name }: DependencyFacts): Promise<boolean> {
  const [path = ''] = name.split('#');
  const [owner = '', repo = ''] = path.split('/');
  if (path.toLowerCase() === `${repository.owner}/${repository.name}`.toLowerCase()) return false;
  const there = await unlessForbidden(repository.octokit.rest.repos.get({ owner, repo }));
  return there?.data.id !== repository.id;
}

export async function stateOf(
  place: Place,
  { number, facts }: { readonly number: number; readonly facts: DependencyFacts },
  ground: Ground,
): Promise<Dependency['is']> {
  const { octokit } = place.repository;
  if (facts.open) return 'open';
  if (facts.is_pull) {
    const merge = await mergeOfPull(octokit, place.repository, number);
    return typeof merge === 'string' ? merge : ground(merge.commit);
  }
  const commit = await closingCommit(octokit, place.repository, number);
  if (commit !== undefined) return ground(commit);
  const parts = await partsOf(place, number, facts);
  if (parts.length === 0) return 'closed';
  const states = await Promise.all(parts.map(ground));
  return states.every((is) => is === 'ready') ? 'ready' : 'merged';
}

/** Each costs a fetch. */
const maxRead = 20;

/**
 * The merges of the runs that took the place of one on this issue, if it was closed by us, with the last of
 * them: then no pull request says that it closes it.
 */
async function partsOf(
  place: Place,
  issue: number,
  { closed_by }: DependencyFacts,
): Promise<readonly string[]> {
  const { own, octokit } = place.repository;
  if (closed_by !== own.login) return [];
  const commits: string[] = [];
  const ended = (await ledgersOf(place)).filter((each) => each.namespace === 'closed' && each.number > issue);
  for (const { number } of ended.toSorted((one, other) => other.number - one.number).slice(0, maxRead)) {
    const state = (await knownRun(place, number))?.state;
    if (state?.run.issue !== issue || !isMerged(state.standing)) continue;
    const merge = await mergeOfPull(octokit, place.repository, number);
    if (typeof merge !== 'string') commits.push(merge.commit);
  }
  return commits;
}

/** What has taken the place of a run that has ended; undefined if nothing has. */
export async function replacementOf(place: Place, number: number): Promise<Replacement | undefined> {
  const standing = (await knownRun(place, number))?.state.standing;
  return standing?.phase === 'abandoned' ? standing.replaced_by : undefined;
}

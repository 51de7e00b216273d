import { join } from 'node:path';
import { isAncestor, isPickedInto } from '../../git/merges.ts';
import { GitHubFault, unlessForbidden } from '../../github/octokit/fault.ts';
import {
  closingCommit,
  type DependencyFacts,
  type MergedPull,
  mergedSince,
  mergeOfPull,
  readDependency,
  saysThatItCloses,
} from '../../github/read/issue-dependencies.ts';
import { roleOf } from '../../github/read/roles.ts';
import { isOfLedger } from '../../ledger/errors.ts';
import { type ListedLedger, listLedgers } from '../../ledger/list-ledgers.ts';
import { messageOf } from '../../repository/faults.ts';
import { asOpenRun, type OpenRun } from '../../steering/branch/line-of-runs.ts';
import { type Account, covers } from '../../steering/shapes/people.ts';
import type { Dependency, Replacement } from '../../steering/shapes/task.ts';
import type { State } from '../../steering/state/state.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';

/** How far what a run depends on has come, by what GitHub and Git say now. */

/** Says of a commit whether it is in the base; the tip is that of now. */
type Ground = (commit: string) => Promise<Dependency['is']>;

/** What was merged a moment ago is in the base only as it is fetched after GitHub has said so. */
export function groundOf({ repository }: RepositoryRuns, base: string): Ground {
  const ref = `refs/heads/${base}`;
  let isFetched = false;
  return async (commit) => {
    const mirror = await repository.mirror();
    // What the base has is fetched with it.
    const isThere = async () =>
      ((await mirror.resolve(commit)) !== undefined &&
        (await mirror.reading(() => isAncestor(mirror.dir, commit, ref)))) ||
      (await mirror.reading(() => isPickedInto(mirror.dir, commit, ref)));
    if (isFetched && (await isThere())) return 'ready';
    await mirror.fetchBranches(base);
    isFetched = true;
    return (await isThere()) ? 'ready' : 'merged';
  };
}

/** One that is not there any more will not be merged, nor one that went to another repository. */
export async function readState(
  runs: RepositoryRuns,
  number: number,
  ground: Ground,
): Promise<Dependency['is']> {
  const facts = await readDependency(runs.repository.octokit, runs.repository, number);
  if (facts === undefined || (await isElsewhere(runs, facts))) return 'closed';
  return stateOf(runs, { number, facts }, ground);
}

/** Whether GitHub answers with an issue of another repository; ours may have got another name meanwhile. */
export async function isElsewhere(
  { repository }: RepositoryRuns,
  { name }: DependencyFacts,
): Promise<boolean> {
  const [path = ''] = name.split('#');
  const [owner = '', repo = ''] = path.split('/');
  if (path.toLowerCase() === `${repository.owner}/${repository.name}`.toLowerCase()) return false;
  const there = await unlessForbidden(repository.octokit.rest.repos.get({ owner, repo }));
  return there?.data.id !== repository.id;
}

export async function stateOf(
  runs: RepositoryRuns,
  { number, facts }: { readonly number: number; readonly facts: DependencyFacts },
  ground: Ground,
): Promise<Dependency['is']> {
  const { octokit } = runs.repository;
  if (facts.open) return 'open';
  if (facts.is_pull) {
    const merge = await mergeOfPull(octokit, runs.repository, number);
    return typeof merge === 'string' ? merge : ground(merge.commit);
  }
  if (facts.is_dropped) return 'closed';
  const faults: GitHubFault[] = [];
  const commit = await closingCommit(octokit, runs.repository, number).catch((fault: unknown) => {
    if (!(fault instanceof GitHubFault)) throw fault;
    faults.push(fault);
    return undefined;
  });
  if (commit !== undefined) return ground(commit);
  const merged = await mergedFor(runs, number, { facts, ground });
  // An outage is no answer: it may hide a merge.
  const outage = faults.find(({ retriable }) => retriable);
  if (merged === 'closed' && outage !== undefined) throw outage;
  return merged;
}

/**
 * How far the merges have come that are for a closed issue, where GitHub does not say which one closed it:
 * servers differ, somebody may have closed it after a merge into another branch than the default one, and we
 * close it ourselves with the last of the runs that took the place of one. Then all of them count.
 */
async function mergedFor(
  runs: RepositoryRuns,
  issue: number,
  { facts, ground }: { readonly facts: DependencyFacts; readonly ground: Ground },
): Promise<Dependency['is']> {
  const { repository } = runs;
  const { own, octokit } = repository;
  const pulls = await mergedSince(octokit, repository, facts.created_at);
  const isClosing = ({ body }: MergedPull) => saysThatItCloses(body, repository, issue);
  const closing = await chosen(pulls.filter(isClosing), ({ author }) => mayClose(runs, author));
  const isPart = async ({ number, author }: MergedPull) =>
    author.login === own.login && (await stateOfRun(runs.of(number)))?.run.issue === issue;
  const isOurs = facts.closed_by === own.login && closing.length === 0;
  const parts = isOurs ? await chosen(pulls, isPart) : [];
  const states = await Promise.all([...closing, ...parts].map(({ commit }) => ground(commit)));
  if (states.length === 0) return 'closed';
  const isReady = isOurs ? !states.includes('merged') : states.includes('ready');
  return isReady ? 'ready' : 'merged';
}

/** Each costs a request or a fetch. */
const maxRead = 20;

async function chosen(
  pulls: readonly MergedPull[],
  isWanted: (pull: MergedPull) => Promise<boolean>,
): Promise<readonly MergedPull[]> {
  const found: MergedPull[] = [];
  for (const pull of pulls.slice(0, maxRead)) if (await isWanted(pull)) found.push(pull);
  return found;
}

/** Whoever opened a pull request may edit its text after the merge, also a stranger. */
async function mayClose({ repository }: RepositoryRuns, author: Account): Promise<boolean> {
  if (author.login === repository.own.login) return true;
  return covers((await roleOf(repository.octokit, repository, author)).role, 'write');
}

/** What has taken the place of a run that has ended; undefined if nothing has. */
export async function replacementOf(runs: RepositoryRuns, number: number): Promise<Replacement | undefined> {
  const standing = (await stateOfRun(runs.of(number)))?.standing;
  return standing?.phase === 'abandoned' ? standing.replaced_by : undefined;
}

/** What a run came to; undefined if there is none with this number, or its ledger says nothing to us. */
export async function stateOfRun(run: Run): Promise<State | undefined> {
  try {
    return (await run.readLedger())?.state;
  } catch (fault) {
    if (!isOfLedger(fault)) throw fault;
    return undefined;
  }
}

/** Anyone with write access can push any number of refs that look like ledgers. */
const maxLedgers = 1000;

/**
 * The runs of a repository that have not ended, except those of another presenter or that cannot be read. One
 * fetch tells which ledgers there are, and each costs another one only if it has changed since the last time:
 * strangers cause this by closing an issue. `onFault` is told why one could not be read that is there.
 */
export async function notEnded(
  runs: RepositoryRuns,
  onFault: (fault: unknown) => void = () => undefined,
): Promise<readonly OpenRun[]> {
  const ledgers = await listedLedgers(runs);
  const open = ledgers.filter(({ namespace }) => namespace === 'open').slice(0, maxLedgers);
  const found: OpenRun[] = [];
  for (const ledger of open) {
    const key = `${ledger.number}@${ledger.commit}`;
    const known = runs.notEnded.get(key) ?? (await readRun(runs, ledger, onFault));
    if (known !== undefined) runs.notEnded.set(key, known);
    if (known?.isOurs) found.push(known);
  }
  return found;
}

/** Every ledger of a repository. */
export function listedLedgers({ repository, services }: RepositoryRuns): Promise<readonly ListedLedger[]> {
  const dir = join(services.data, 'ledgers', String(repository.id), 'all');
  return listLedgers(dir, repository.remote);
}

/** Nobody takes a run that is only looked at for one that this process works on. */
async function readRun(
  runs: RepositoryRuns,
  { number, commit }: ListedLedger,
  onFault: (fault: unknown) => void,
): Promise<OpenRun | undefined> {
  const { services } = runs;
  const wasOpen = runs.ifOpen(number) !== undefined;
  const run = runs.of(number);
  const isCurrent = run.ledger.tip?.commit === commit || !services.others?.present;
  try {
    const state = isCurrent && run.newest !== undefined ? run.newest : (await run.readLedger())?.state;
    return state && asOpenRun(state, state.run.presenter === services.presenter);
  } catch (fault) {
    // What is wrong with it, the sweep tells.
    services.log.warn(`could not look whether others depend on ${run.name}: ${messageOf(fault)}`);
    if (isOfLedger(fault)) return { number, issue: null, base: '', depends_on: [], isOurs: false };
    onFault(fault);
    return undefined;
  } finally {
    if (!wasOpen) await runs.forget(run);
  }
}

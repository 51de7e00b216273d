import { join } from 'node:path';
import { isAncestor, isPickedInto } from '../../git/merges.ts';
import { dependenciesIn } from '../../github/markdown/depends-on.ts';
import { GitHubFault, unlessForbidden } from '../../github/octokit/fault.ts';
import {
  blockersOf,
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
import { cycleIn, type Dependency, type Replacement } from '../../steering/shapes/task.ts';
import type { State } from '../../steering/state/state.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';

/** The names in the text of a task, and what GitHub says that blocks its issue. */
export async function namedIn(
  { repository }: RepositoryRuns,
  { text, issue }: { readonly text: string; readonly issue: number | undefined },
): Promise<readonly string[]> {
  const blockers = issue === undefined ? [] : await blockersOf(repository.octokit, repository, issue);
  return [...new Set([...dependenciesIn(text), ...blockers])];
}

/** How many issues and pull requests are looked up, and how many followed from there. */
const maxLookups = 50;
const tooMany = `it depends on more than ${maxLookups} issues and pull requests`;

/** A task as it is taken, or written anew. */
interface Dependent {
  /** The branch that everything has to be merged into. */
  readonly base: string;
  /** Its own issue and pull request, as far as it has them. */
  readonly own: readonly number[];
  /** What it says that it depends on: `#12`. */
  readonly names: readonly string[];
}

/** What a task depends on, and why it cannot, each in a sentence. */
interface FoundDependencies {
  readonly on: readonly Dependency[];
  readonly problems: readonly string[];
}

/**
 * Looks up what a task depends on. A run that was replaced stands for those that took its place. Nothing is
 * said of how far anything has come if there is a problem.
 */
export async function dependenciesOf(runs: RepositoryRuns, task: Dependent): Promise<FoundDependencies> {
  const named = numbersIn(runs, task);
  if (named.numbers.length > maxLookups) return { on: [], problems: [...named.problems, tooMany] };
  const found = await lookUp(runs, named.numbers);
  const cycle = found.facts.size > 0 ? await problemOfCycle(runs, task, found.facts) : undefined;
  const problems = [...named.problems, ...found.problems, ...(cycle === undefined ? [] : [cycle])];
  if (problems.length > 0) return { on: [], problems };
  const ground = groundOf(runs, task.base);
  const on: Dependency[] = [];
  for (const [number, facts] of found.facts)
    on.push({ number, is: await stateOf(runs, { number, facts }, ground) });
  return { on, problems: [] };
}

function numbersIn({ repository: { owner, name: repo } }: RepositoryRuns, { names, own }: Dependent) {
  const numbers = new Set<number>();
  const problems: string[] = [];
  for (const name of names) {
    const [, where = '', digits] = /^(?:([\w.-]+\/[\w.-]+)?#)?(\d{1,9})$/.exec(name.trim()) ?? [];
    const number = Number(digits);
    if (digits === undefined)
      problems.push(`${name} is no issue or pull request: expected a number such as #12`);
    else if (where !== '' && where.toLowerCase() !== `${owner}/${repo}`.toLowerCase())
      problems.push(`${name} is in another repository, and a run can only depend on what is in its own`);
    else if (own.includes(number)) problems.push(`#${number} cannot depend on itself`);
    else numbers.add(number);
  }
  return { numbers: [...numbers], problems };
}

type Facts = ReadonlyMap<number, DependencyFacts>;

async function lookUp(runs: RepositoryRuns, numbers: readonly number[]) {
  const { repository } = runs;
  const facts = new Map<number, DependencyFacts>();
  const problems: string[] = [];
  const waiting = [...numbers];
  for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
    if (facts.has(number)) continue;
    const found = await readDependency(repository.octokit, repository, number);
    if (found === undefined) problems.push(`#${number} does not exist here`);
    else if (await isElsewhere(runs, found)) problems.push(`#${number} was transferred to ${found.name}`);
    else {
      const replaced = found.is_pull && !found.open ? await replacementOf(runs, number) : undefined;
      if (replaced === undefined) facts.set(number, found);
      else waiting.push(...replaced.made.map((each) => each.number));
    }
  }
  return { facts, problems };
}

/**
 * Follows what is still open: a run as its ledger has it, any other issue by its text and GitHub's own
 * dependencies. What has ended keeps nobody waiting.
 */
async function problemOfCycle(
  runs: RepositoryRuns,
  { own }: Dependent,
  facts: Facts,
): Promise<string | undefined> {
  const open = await notEnded(runs);
  const nameOf = (number: number) => `#${own.includes(number) ? own[0] : number}`;
  const graph = new Map([[nameOf(own[0] ?? 0), [...facts.keys()]]]);
  const waiting = [...facts.keys()];
  for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
    if (own.includes(number) || graph.has(nameOf(number))) continue;
    if (graph.size > maxLookups)
      return `what it depends on leads to more than ${maxLookups} others, which is further than cycles are looked for`;
    const next = await followed(runs, number, { open, facts });
    graph.set(nameOf(number), next);
    waiting.push(...next);
  }
  const named = [...graph].map(([name, next]) => [name, next.map(nameOf)] as const);
  const cycle = cycleIn(new Map(named));
  return cycle && `it would wait for itself: ${cycle.join(' → ')}`;
}

/** What an issue or a pull request waits for. */
async function followed(
  runs: RepositoryRuns,
  number: number,
  { open, facts: known }: { readonly open: readonly OpenRun[]; readonly facts: Facts },
): Promise<number[]> {
  const run = open.find((each) => each.number === number || each.issue === number);
  if (run !== undefined) return ownNumbers(runs, run.depends_on);
  const { octokit } = runs.repository;
  const facts = known.get(number) ?? (await readDependency(octokit, runs.repository, number));
  if (facts === undefined || !facts.open || facts.is_pull || (await isElsewhere(runs, facts))) return [];
  return ownNumbers(runs, await namedIn(runs, { text: facts.body, issue: number }));
}

function ownNumbers(runs: RepositoryRuns, names: readonly string[]): number[] {
  return numbersIn(runs, { base: '', own: [], names }).numbers;
}

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
async function isElsewhere({ repository }: RepositoryRuns, { name }: DependencyFacts): Promise<boolean> {
  const [path = ''] = name.split('#');
  const [owner = '', repo = ''] = path.split('/');
  if (path.toLowerCase() === `${repository.owner}/${repository.name}`.toLowerCase()) return false;
  const there = await unlessForbidden(repository.octokit.rest.repos.get({ owner, repo }));
  return there?.data.id !== repository.id;
}

async function stateOf(
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

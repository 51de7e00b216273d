import { dependenciesIn } from '../../github/markdown/depends-on.ts';
import { blockersOf, type DependencyFacts, readDependency } from '../../github/read/issue-dependencies.ts';
import type { OpenRun } from '../../steering/branch/line-of-runs.ts';
import { cycleIn, type Dependency } from '../../steering/shapes/task.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import { groundOf, isElsewhere, notEnded, replacementOf, stateOf } from './read-dependencies.ts';

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

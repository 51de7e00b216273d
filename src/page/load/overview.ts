import { hasLabel, ourLabel } from '../../github/names.ts';
import { readBlock } from '../../github/show/block.ts';
import type { LiveRuns } from '../../runs/live-runs.ts';
import type { Repository } from '../../runs/repository.ts';
import type { Cost } from '../../steering/attempt-result.ts';
import type { Band } from '../../steering/score.ts';
import { spentBefore } from '../../steering/spending.ts';
import { type Phase, shownPhase } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import type { GitHubReader, ReadRoute } from './github-reader.ts';
import { labelNames } from './issue.ts';
import { type Loaded, loaded } from './loaded.ts';

/** Everything that is shown on the overview. */
export interface OverviewModel {
  readonly repositories: readonly RepositoryModel[];
}

export interface RepositoryModel {
  readonly owner: string;
  readonly repo: string;
  readonly lists: Loaded<RepositoryLists>;
}

export interface RepositoryLists {
  /** The label that starts a run there. */
  readonly trigger: string;
  /** Open issues that no live run belongs to. */
  readonly issues: readonly IssueSummary[];
  readonly runs: readonly RunSummary[];
  /** Whether there are more than are listed here. */
  readonly more: boolean;
}

export interface IssueSummary {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly at: string;
  /** Whether it already has the trigger label. */
  readonly labelled: boolean;
}

export interface RunSummary {
  readonly number: number;
  readonly title: string;
  /** Null when neither a live run nor the body of the pull request has it. */
  readonly status: RunStatus | null;
  readonly at: string;
  readonly open: boolean;
  readonly merged: boolean;
}

interface RunStatus {
  readonly phase: Phase;
  readonly iteration: number;
  readonly max_iterations: number;
  readonly score: number | null;
  readonly band: Band | null;
  /** Of all iterations; null where only the pull request's body is known, which leaves out the first one. */
  readonly cost: Cost | null;
  /** The issue it was started from. */
  readonly issue: number | null;
}

interface OverviewSources {
  readonly reader: GitHubReader;
  readonly liveRuns: LiveRuns;
}

/** Many repositories are read less often, so that a page left open costs at most ten requests a second. */
const maxAgePerRepositoryMs = 300;

export async function loadOverview(
  repositories: readonly Repository[],
  sources: OverviewSources,
): Promise<OverviewModel> {
  const maxAgeMs = Math.max(1000, repositories.length * maxAgePerRepositoryMs);
  const models = repositories.map(async (repository) => {
    const { owner, name: repo } = repository;
    const lists = loadLists(repository, { ...sources, maxAgeMs });
    return { owner, repo, lists: await loaded(`${owner}/${repo}`, lists) };
  });
  return { repositories: await Promise.all(models) };
}

interface ListSources extends OverviewSources {
  readonly maxAgeMs: number;
}

const issuesRoute = 'GET /repos/{owner}/{repo}/issues' satisfies ReadRoute;
const perPage = 100;
const maxEnded = 20;

async function loadLists(repository: Repository, sources: ListSources): Promise<RepositoryLists> {
  const { reader, liveRuns } = sources;
  const all = { owner: repository.owner, repo: repository.name, sort: 'updated' } as const;
  // Runs have this label, whichever one starts them.
  const ours = { ...all, labels: ourLabel };
  const [open, running, ended, trigger] = await Promise.all([
    reader.get(issuesRoute, { ...all, state: 'open', per_page: perPage }, sources),
    reader.get(issuesRoute, { ...ours, state: 'open', per_page: perPage }, sources),
    reader.get(issuesRoute, { ...ours, state: 'closed', per_page: maxEnded }, sources),
    liveRuns.triggers.of(repository),
  ]);
  const pulls = [...running.data, ...ended.data].filter(isPull);
  const runs = pulls.map((pull) => runSummary(pull, newestState(pull, repository, liveRuns)));
  const taken = new Set(runs.filter(isOpen).map(({ status }) => status?.issue));
  const free = open.data.filter((issue) => !isPull(issue) && !taken.has(issue.number));
  const issues = free.map((issue) => issueSummary(issue, trigger));
  return { trigger, issues, runs, more: open.pages > 1 || running.pages > 1 };
}

type Issue = Awaited<ReturnType<typeof issues>>['data'][number];
const issues = (reader: GitHubReader) => reader.get(issuesRoute, { owner: '', repo: '' });

function isPull(issue: Issue): boolean {
  return issue.pull_request !== undefined;
}

function isOpen({ open }: RunSummary): boolean {
  return open;
}

function issueSummary({ number, title, user, updated_at, labels }: Issue, trigger: string): IssueSummary {
  const labelled = hasLabel(labelNames(labels), trigger);
  return { number, title, author: user?.login ?? 'ghost', at: updated_at, labelled };
}

function newestState({ number }: Issue, repository: Repository, liveRuns: LiveRuns): State | undefined {
  return liveRuns.newest().find(({ run }) => run.repository_id === repository.id && run.number === number);
}

function runSummary(pull: Issue, newest: State | undefined): RunSummary {
  return {
    number: pull.number,
    title: pull.title,
    status: newest === undefined ? statusInBody(pull.body ?? '') : statusOf(newest),
    at: newest?.updated_at ?? pull.updated_at,
    open: pull.state === 'open',
    merged: typeof pull.pull_request?.merged_at === 'string',
  };
}

function statusOf(state: State): RunStatus {
  return {
    phase: shownPhase(state),
    iteration: state.iteration,
    max_iterations: state.max_iterations,
    score: state.shown?.confidence.score ?? null,
    band: state.shown?.confidence.band ?? null,
    cost: spentBefore(state),
    issue: state.run.issue,
  };
}

/** From the block in the pull request's body: good enough for a list, and it costs no request. */
function statusInBody(body: string): RunStatus | null {
  const block = readBlock(body);
  if (block === undefined) return null;
  const { phase, iteration, max_iterations, score, band, task } = block;
  const issue = /#(\d+)$/.exec(task.id)?.[1];
  const known = { phase, iteration, max_iterations, score, band, cost: null };
  return { ...known, issue: issue === undefined ? null : Number(issue) };
}

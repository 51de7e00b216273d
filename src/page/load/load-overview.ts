import { hasLabel, ourLabel } from '../../github/names.ts';
import { readBlock, readSealedBlock } from '../../github/show/block.ts';
import type { Repository } from '../../repository/repository.ts';
import type { LiveRuns } from '../../runs/run/live-runs.ts';
import type { Seals } from '../../seal/seals.ts';
import { graveConcerns, reviewOf } from '../../steering/confidence/evaluation.ts';
import { spentBefore } from '../../steering/iterations/spending.ts';
import { isOver, isWorkAhead, supersededBy } from '../../steering/phases/table.ts';
import type { Cost } from '../../steering/shapes/attempt-result.ts';
import { riskOf, type Severity } from '../../steering/shapes/gate-rules.ts';
import { shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { type GitHubReader, loaded, loadViewer, type ReadRoute } from './github-reader.ts';
import { labelNames } from './load-conversation.ts';
import type { IssueRoute } from './page-routes.ts';

/** Everything that is shown on the overview. */
export type OverviewModel = Awaited<ReturnType<typeof loadOverview>>;
export type RepositoryModel = OverviewModel['repositories'][number];
export type RepositoryLists = Awaited<ReturnType<typeof loadLists>>;
export type IssueSummary = ReturnType<typeof issueSummary>;

interface OverviewSources {
  readonly reader: GitHubReader;
  readonly liveRuns: LiveRuns;
}

/** Many repositories are read less often, so that a page left open costs at most ten requests a second. */
const maxAgePerRepositoryMs = 300;

export async function loadOverview(repositories: readonly Repository[], sources: OverviewSources) {
  const maxAgeMs = Math.max(1000, repositories.length * maxAgePerRepositoryMs);
  const models = repositories.map(async (repository) => {
    const { owner, name: repo } = repository;
    const lists = loadLists(repository, { ...sources, maxAgeMs });
    return { owner, repo, lists: await loaded(`${owner}/${repo}`, lists) };
  });
  return { repositories: await Promise.all(models) };
}

const perPage = 100;
const maxEnded = 20;

async function loadLists(repository: Repository, sources: OverviewSources & { readonly maxAgeMs: number }) {
  const { reader, liveRuns } = sources;
  const all = { owner: repository.owner, repo: repository.name, sort: 'updated' } as const;
  // Runs have this label, whichever one starts them.
  const ours = { ...all, labels: ourLabel };
  const [open, running, ended, trigger, viewer] = await Promise.all([
    reader.get(issuesRoute, { ...all, state: 'open', per_page: perPage }, sources),
    reader.get(issuesRoute, { ...ours, state: 'open', per_page: perPage }, sources),
    reader.get(issuesRoute, { ...ours, state: 'closed', per_page: maxEnded }, sources),
    liveRuns.configuration.trigger(repository),
    loadViewer(reader, all),
  ]);
  const pulls = [...running.data, ...ended.data].filter(isPull);
  const runs = pulls.map((pull) => runSummary(pull, repository, liveRuns));
  const taken = new Set(runs.filter(isUnderWay).map(({ status }) => status?.issue));
  const free = open.data.filter((issue) => !isPull(issue) && !taken.has(issue.number));
  return {
    /** The label that starts a run there. */
    trigger,
    /** The viewer's role there; null if GitHub does not say. */
    role: viewer.role,
    /** Open issues that no live run belongs to. */
    issues: free.map((issue) => issueSummary(issue, trigger)),
    runs,
    /** Whether there are more than are listed here. */
    more: open.pages > 1 || running.pages > 1,
  };
}

function issueSummary({ number, title, user, updated_at, labels }: ListedIssue, trigger: string) {
  // Whether it already has the trigger label.
  const labelled = hasLabel(labelNames(labels), trigger);
  return { number, title, author: user?.login ?? 'ghost', at: updated_at, labelled };
}

/** A run as lists show it. */
export type RunSummary = Readonly<ReturnType<typeof runSummary>>;

interface RunStatus extends Omit<ReturnType<typeof statusOf>, 'cost' | 'risk'> {
  /** Null where there is no score, or only the pull request's body is known, which does not have it. */
  readonly risk: Severity | null;
  /** Null where only the pull request's body is known, whose costs leave out the first iteration. */
  readonly cost: Cost | null;
}

const issuesRoute = 'GET /repos/{owner}/{repo}/issues' satisfies ReadRoute;

/** An issue or a pull request, as GitHub lists them. */
type ListedIssue = Awaited<ReturnType<typeof listed>>['data'][number];
const listed = (reader: GitHubReader) => reader.get(issuesRoute, { owner: '', repo: '' });

function isPull(issue: ListedIssue): boolean {
  return issue.pull_request !== undefined;
}

/** A listed pull request, with what this process knows of its run, or else its body. */
function runSummary(pull: ListedIssue, repository: Repository, liveRuns: LiveRuns) {
  const { number, title } = pull;
  const newest = newestStates(repository, liveRuns).find(({ run }) => run.number === number);
  const { seals } = liveRuns.services;
  return {
    number,
    title,
    /** Null when neither a live run nor the body of the pull request has it. */
    status: newest === undefined ? statusInBody(pull, repository, seals) : statusOf(newest),
    at: newest?.updated_at ?? pull.updated_at,
    open: pull.state === 'open',
    merged: typeof pull.pull_request?.merged_at === 'string',
  };
}

/** A run that GitHub does not list yet. */
export function newRunSummary(state: State): RunSummary {
  const { run, task, updated_at: at } = state;
  const status = statusOf(state);
  return { number: run.number, title: task.title, status, at, open: true, merged: false };
}

/** The states that this process knows of a repository's runs. */
function newestStates(repository: Repository, liveRuns: LiveRuns): readonly State[] {
  return liveRuns.newest().filter(({ run }) => run.repository_id === repository.id);
}

function statusOf(state: State) {
  const { iteration, max_iterations, shown } = state;
  return {
    phase: shownPhase(state),
    iteration,
    max_iterations,
    score: shown?.confidence.score ?? null,
    band: shown?.confidence.band ?? null,
    risk: shown && riskOf(shown.gates),
    /** How many open concerns of the second opinion are grave. */
    grave: graveConcerns(reviewOf(state, state.head)).length,
    /** Whether the score is of a commit before the work that the run is about now. */
    superseded: supersededBy(state) !== undefined,
    cost: spentBefore(state),
    /** The issue it was started from. */
    issue: state.run.issue,
  };
}

/**
 * Reads the block in the pull request's body: good enough for a list, and it costs no request. Anybody with
 * write access can edit a body, so where we seal blocks only a sealed one counts.
 */
export function statusInBody(
  { number, body }: Pick<ListedIssue, 'number' | 'body'>,
  { id, owner, name }: Pick<Repository, 'id' | 'owner' | 'name'>,
  seals?: Seals,
): RunStatus | null {
  const [text, run] = [body ?? '', `${owner}/${name}#${number}`];
  const block =
    seals === undefined
      ? readBlock(text, run)
      : readSealedBlock(text, run, { seals, repository_id: id, number });
  if (block === undefined) return null;
  const { phase, iteration, max_iterations, score, band, task } = block;
  const issue = /#(\d+)$/.exec(task.id)?.[1];
  const known = { phase, iteration, max_iterations, score, band, risk: null, grave: 0, cost: null };
  const superseded = isWorkAhead(phase);
  return { ...known, superseded, issue: issue === undefined ? null : Number(issue) };
}

/** The runs that were started from an issue, newest first, as far as the newest pull requests say. */
export async function loadRunsOfIssue(
  { owner, repo, number }: IssueRoute,
  reader: GitHubReader,
  repository: Repository,
  liveRuns: LiveRuns,
): Promise<readonly RunSummary[]> {
  const ours = { owner, repo, labels: ourLabel, state: 'all', sort: 'updated', per_page: perPage } as const;
  const { data } = await reader.get(issuesRoute, ours);
  const listed = data.filter(isPull).map((pull) => runSummary(pull, repository, liveRuns));
  const known = new Set(listed.map((run) => run.number));
  const states = newestStates(repository, liveRuns).filter(({ run }) => !known.has(run.number));
  const runs = [...states.map(newRunSummary), ...listed].filter(({ status }) => status?.issue === number);
  return runs.sort((one, other) => other.number - one.number);
}

/** Whether a run goes on, so that no other can be started for its issue. */
export function isUnderWay({ open, status }: RunSummary): boolean {
  return open && status !== null && !isOver(status.phase);
}

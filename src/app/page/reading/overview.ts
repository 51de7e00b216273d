import { readBlock } from '../../../github/show/block.ts';
import type { LiveRuns } from '../../../runs/live-runs.ts';
import type { Repository } from '../../../runs/repository.ts';
import type { Band } from '../../../steering/confidence.ts';
import type { Phase } from '../../../steering/standing.ts';
import type { State } from '../../../steering/state.ts';
import { type Had, had } from './had.ts';
import type { Readable, Reader } from './reader.ts';
import { namesOf } from './thread.ts';

/** The label that starts a run on an issue, and marks every run's pull request. */
export const triggerLabel = 'coxswain';

export interface Overview {
  readonly repositories: readonly RepositoryOverview[];
}

export interface RepositoryOverview {
  readonly owner: string;
  readonly repo: string;
  readonly had: Had<RepositoryFacts>;
}

export interface RepositoryFacts {
  /** Open issues that no live run belongs to. */
  readonly issues: readonly IssueLine[];
  readonly runs: readonly RunLine[];
  /** Whether there are more than are listed here. */
  readonly more: boolean;
}

export interface IssueLine {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly at: string;
  /** It has the trigger label already. */
  readonly labelled: boolean;
}

export interface RunLine {
  readonly number: number;
  readonly title: string;
  /** Null when neither our memory nor the pull request tells. */
  readonly standing: RunStanding | null;
  readonly at: string;
  readonly open: boolean;
  readonly merged: boolean;
}

export interface RunStanding {
  readonly phase: Phase;
  readonly iteration: number;
  readonly max_iterations: number;
  readonly score: number | null;
  readonly band: Band | null;
  /** The issue it was started from. */
  readonly issue: number | null;
}

export interface Listing {
  readonly reader: Reader;
  readonly liveRuns: LiveRuns;
}

/** Many repositories are read less often, so that a page left open costs at most ten requests a second. */
const perRepositoryMs = 300;

export async function readOverview(repositories: readonly Repository[], listing: Listing): Promise<Overview> {
  const freshMs = Math.max(1000, repositories.length * perRepositoryMs);
  const read = repositories.map(async (repository) => {
    const { owner, name: repo } = repository;
    const facts = readRepository(repository, { ...listing, freshMs });
    return { owner, repo, had: await had(`${owner}/${repo}`, facts) };
  });
  return { repositories: await Promise.all(read) };
}

interface Pacing extends Listing {
  readonly freshMs: number;
}

const list = 'GET /repos/{owner}/{repo}/issues' satisfies Readable;
const perPage = 100;
const mostEnded = 20;

async function readRepository(repository: Repository, listing: Pacing): Promise<RepositoryFacts> {
  const at = { owner: repository.owner, repo: repository.name, sort: 'updated' } as const;
  const ours = { ...at, labels: triggerLabel };
  const [open, running, ended] = await Promise.all([
    listing.reader.get(list, { ...at, state: 'open', per_page: perPage }, listing),
    listing.reader.get(list, { ...ours, state: 'open', per_page: perPage }, listing),
    listing.reader.get(list, { ...ours, state: 'closed', per_page: mostEnded }, listing),
  ]);
  const runs = [...running.data, ...ended.data]
    .filter(isPull)
    .map((pull) => runLine(pull, repository, listing));
  const taken = new Set(runs.filter(isLive).map(({ standing }) => standing?.issue));
  const issues = open.data.filter((issue) => !isPull(issue) && !taken.has(issue.number)).map(issueLine);
  return { issues, runs, more: open.pages > 1 || running.pages > 1 };
}

type Listed = Awaited<ReturnType<typeof listed>>['data'][number];
const listed = (reader: Reader) => reader.get(list, { owner: '', repo: '' });

function isPull(issue: Listed): boolean {
  return issue.pull_request !== undefined;
}

function isLive({ open }: RunLine): boolean {
  return open;
}

function issueLine({ number, title, user, updated_at, labels }: Listed): IssueLine {
  const labelled = namesOf(labels).includes(triggerLabel);
  return { number, title, author: user?.login ?? 'ghost', at: updated_at, labelled };
}

function runLine(pull: Listed, repository: Repository, { liveRuns }: Listing): RunLine {
  const open = pull.state === 'open';
  const newest = liveRuns
    .newest()
    .find(({ run }) => run.repository_id === repository.id && run.number === pull.number);
  return {
    number: pull.number,
    title: pull.title,
    standing: newest === undefined ? standingInBody(pull.body ?? '') : standingOf(newest),
    at: newest?.updated_at ?? pull.updated_at,
    open,
    merged: typeof pull.pull_request?.merged_at === 'string',
  };
}

function standingOf(state: State): RunStanding {
  return {
    phase: state.standing.phase,
    iteration: state.iteration,
    max_iterations: state.max_iterations,
    score: state.shown?.confidence.score ?? null,
    band: state.shown?.confidence.band ?? null,
    issue: state.run.issue,
  };
}

/** What the pull request's own block says: good for a list, and it costs no request. */
function standingInBody(body: string): RunStanding | null {
  const block = readBlock(body);
  if (block === undefined) return null;
  const { phase, iteration, max_iterations, score, band, task } = block;
  const issue = /#(\d+)$/.exec(task.id)?.[1];
  return { phase, iteration, max_iterations, score, band, issue: issue === undefined ? null : Number(issue) };
}

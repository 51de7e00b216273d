import { ourLabel } from '../../github/names.ts';
import type { LiveRuns } from '../../runs/live-runs.ts';
import type { Repository } from '../../runs/repository.ts';
import { isOver } from '../../steering/table.ts';
import type { IssueRoute } from '../routes.ts';
import type { GitHubReader } from './github-reader.ts';
import {
  isPull,
  issuesRoute,
  newestStates,
  newRunSummary,
  type RunSummary,
  runSummary,
} from './run-summary.ts';

interface Sources {
  readonly reader: GitHubReader;
  readonly liveRuns: LiveRuns;
  readonly repository: Repository;
}

const perPage = 100;

/** The runs that were started from an issue, newest first, as far as the newest pull requests say. */
export async function loadRunsOfIssue(
  { owner, repo, number }: IssueRoute,
  { reader, liveRuns, repository }: Sources,
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

import type { RunIndex } from '../doors/lists/run-index.ts';
import { ourLabel } from '../github/names.ts';
import type { Repository } from '../repository/repository.ts';
import { isOver } from '../steering/phases/table.ts';
import type { Other } from './inbox/load-inbox.ts';
import { loaded } from './load/github-reader.ts';
import { loadConversation, loadIssue } from './load/load-conversation.ts';
import { loadStateOf } from './load/load-run.ts';
import type { IssueRoute } from './load/page-routes.ts';
import type { Content, InRepository, RenderOptions } from './page-context.ts';
import { issueView } from './views/issue-view.ts';

/** An issue, and the run that was asked for in it as soon as there is one. */
export async function renderIssue(
  route: IssueRoute,
  { query, input = null }: RenderOptions,
  here: InRepository,
): Promise<Content> {
  const {
    index,
    repository,
    viewer: { role },
    visitor: { reader },
  } = here;
  const started = startedIn(query);
  const issue = await loadIssue(reader, route);
  const conversation = await loaded('The conversation', loadConversation(reader, route));
  const isAwaited = started !== null;
  await lookForRuns(route, isAwaited, here);
  const runs = runsOfIssue(route.number, repository, index);
  const underWay = runs.find(({ entry }) => !isOver(entry.phase));
  const number = issue.isPull ? route.number : started === null ? undefined : underWay?.number;
  const leadsTo: IssueRoute | undefined =
    number === undefined ? undefined : { ...route, page: 'pull', number };
  const start = started === null ? null : { at: started, now: Math.floor(Date.now() / 1000) };
  const main = issueView({ route, issue, conversation, runs, start, input, role });
  return { status: 200, title: `${issue.title} #${route.number} · Coxswain`, main, leadsTo };
}

/** So many pull requests are looked at for a run that another process has just started. */
const maxNew = 5;

/**
 * Another process may have started a run from an issue, or moved on the one that is known: its pull request
 * says so at GitHub sooner than this process looks through all repositories.
 */
async function lookForRuns(
  { owner, repo, number: issue }: IssueRoute,
  isAwaited: boolean,
  { visitor: { reader }, index, repository, liveRuns, cache }: InRepository,
): Promise<void> {
  const known = runsOfIssue(issue, repository, index);
  const underWay = known.filter(({ entry }) => !isOver(entry.phase)).map(({ number }) => number);
  const query = { owner, repo, labels: ourLabel, state: 'open', per_page: maxNew } as const;
  const listed = isAwaited
    ? await loaded('New runs', reader.get('GET /repos/{owner}/{repo}/issues', query))
    : undefined;
  const fresh = listed !== undefined && 'value' in listed ? listed.value.data : [];
  const numbers = new Set([
    ...underWay,
    ...fresh.flatMap(({ pull_request, number }) => (pull_request === undefined ? [] : [number])),
  ]);
  await Promise.all(
    [...numbers].map((number) => {
      const route = { page: 'pull', owner, repo, number } as const;
      const sources = { reader, cache, liveRun: liveRuns.of(repository, number) };
      return loaded(`The run #${number}`, loadStateOf(route, sources));
    }),
  );
}

/** The runs that were started from an issue, newest first, as far as this process knows them. */
function runsOfIssue(issue: number, { id }: Repository, index: RunIndex): readonly Other[] {
  return index
    .runs()
    .filter(({ repository_id, facts }) => repository_id === id && facts.issue === issue)
    .toSorted((one, other) => other.number - one.number);
}

/** When a run was asked for here; null if it was not. */
function startedIn(query: URLSearchParams | undefined): number | null {
  const started = query?.get('started') ?? '';
  return /^\d{1,12}$/.test(started) ? Number(started) : null;
}

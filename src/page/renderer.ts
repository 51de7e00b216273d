import type { Octokit } from '../github/octokit/connect.ts';
import { type Html, html } from '../html/html.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import { type Repository, webOf } from '../repository/repository.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import { commandSpecs } from '../steering/commands/index.ts';
import { covers } from '../steering/shapes/people.ts';
import { phaseSentence } from '../words/phases/index.ts';
import { type FormInput, HttpError, httpErrorFrom } from './forms/form-input.ts';
import { offersOf, type Postings, type Reach } from './forms/offers.ts';
import { type Guide, guideView } from './guide.ts';
import {
  Cache,
  createGitHubReader,
  type GitHubReader,
  loadAccount,
  loaded,
  loadViewer,
} from './load/github-reader.ts';
import { loadConversation, loadIssue } from './load/load-conversation.ts';
import { isUnderWay, loadOverview, loadRunsOfIssue } from './load/load-overview.ts';
import { loadPull, loadRun, loadStateOf, loadWork, type RunModel } from './load/load-run.ts';
import { type IssueRoute, pathOf, type Route } from './load/page-routes.ts';
import { formOf, type TaskAction, type TaskSource } from './tasks/task-fields.ts';
import type { TaskForm } from './tasks/task-form.ts';
import { issueView } from './views/issue-view.ts';
import { attemptPage } from './views/iterations-view.ts';
import { overviewView } from './views/overview-view.ts';
import { runView } from './views/run-view.ts';
import { interruptOf, sourceOf, taskFormPage } from './views/task-forms.ts';

interface RenderOptions {
  readonly query?: URLSearchParams;
  /** What the person is told above everything else. */
  readonly notice?: string;
  /** The form that was sent but not accepted. */
  readonly input?: FormInput | null;
  /** Whether it is for the page's script, which shows by itself what an agent does. */
  readonly scripted?: boolean;
}

interface RenderContext extends Pick<PageOptions, 'repositories' | 'liveRuns' | 'progress' | 'reach'> {
  readonly reader: GitHubReader;
  readonly cache: Cache;
  readonly postings: Postings;
}

const repositoriesMaxAgeMs = 2000;
/** Most of what is kept are diffs and histories, which are large. */
const maxEntries = 100;

/** Loads what a route needs and renders it. */
export function createRenderer(options: PageOptions, postings: Postings) {
  const { liveRuns, guide } = options;
  const cache = new Cache({ max: maxEntries });
  const context: RenderContext = {
    ...options,
    reader: createGitHubReader(options.person),
    cache,
    postings,
    repositories: () => cache.get('repositories', repositoriesMaxAgeMs, () => options.repositories()),
  };
  const guided = (route: Route) => {
    const at = route.page === 'overview' ? null : route;
    const guidance = guide?.({ at, runs: liveRuns.newest() }) ?? null;
    return guidance !== null && guideView(guidance);
  };
  return {
    render: async (route: Route, asked: RenderOptions) => {
      const [content, account] = await Promise.all([
        render(route, asked, context),
        loadAccount(context.reader),
      ]);
      const { status, title, main, leadsTo } = content;
      const guidedMain = html`${alert(asked.notice)}${guided(route)}${main}`;
      return { status, view: { title, person: account?.login ?? null, main: guidedMain }, leadsTo };
    },
    /** A form about a task on a page of its own; without it, only what is to be said. */
    renderForm: async (
      route: IssueRoute,
      action: TaskAction,
      { form, notice }: { readonly form: TaskForm | undefined; readonly notice: string | undefined },
    ) => {
      const account = await loadAccount(context.reader);
      const title = `${formOf(action).title} #${route.number} · Coxswain`;
      const back = html`${alert(notice)}<p><a href="${pathOf(route)}">Back to #${route.number}</a></p>`;
      const main = form === undefined ? back : taskFormPage(route, form, notice);
      return { view: { title, person: account?.login ?? null, main } };
    },
    /** What a form about a task begins with; throws `HttpError` where nobody can send it now. */
    findTask: async (route: IssueRoute, action: TaskAction) => {
      const repository = await findRepository(route, context);
      return findTask(route, action, { ...context, repository });
    },
    /** Throws `HttpError` when no such repository is shown here. */
    findRepository: (route: IssueRoute) => findRepository(route, context),
    /** The name of a run whose pull request the person may read; throws otherwise. */
    findRun: async (route: IssueRoute) => {
      const repository = await findRepository(route, context);
      await loadPull(context.reader, route);
      return liveRuns.of(repository, route.number).name;
    },
    /** Whose account it is; null if GitHub does not say. */
    findAccount: () => loadAccount(context.reader),
    /** Forgets a repository after a write, so that everything there is loaded again. */
    invalidate: (route: IssueRoute) => context.reader.invalidate(route),
  };
}

function alert(notice: string | undefined): Html | false {
  return notice !== undefined && html`<p class="notice problem" role="alert">${notice}</p>`;
}

interface Content {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  /** Where whoever asked for this page wants to be, if that is another by now. */
  readonly leadsTo?: IssueRoute | undefined;
}

/** If nothing can be loaded, the page says why. */
async function render(route: Route, options: RenderOptions, context: RenderContext): Promise<Content> {
  try {
    return await renderRoute(route, options, context);
  } catch (fault) {
    const { status, message } = httpErrorFrom(fault, `Could not show ${pathOf(route)}`);
    const title = status === 404 ? 'Not found' : 'Unavailable';
    const explanation = html`<p>${message}</p><p><a href="/">All runs</a></p>`;
    return { status, title, main: html`<h1>${title}</h1><div class="card">${explanation}</div>` };
  }
}

async function renderRoute(route: Route, options: RenderOptions, context: RenderContext): Promise<Content> {
  if (route.page === 'overview') return renderOverview(context);
  const here = { ...context, repository: await findRepository(route, context) };
  if (route.page === 'issues') return renderIssue(route, options, here);
  const number = options.query?.get('work') ?? null;
  return number === null ? renderRun(route, options, here) : renderWork(route, Number(number), here);
}

interface InRepository extends RenderContext {
  readonly repository: Repository;
}

async function renderRun(
  route: IssueRoute,
  { query, input = null, scripted = false }: RenderOptions,
  context: InRepository,
): Promise<Content> {
  const { reader, cache, reach, postings } = context;
  const side_by_side = query?.get('diff') === 'split';
  const full = query?.get('full') === '1';
  const liveRun = context.liveRuns.of(context.repository, route.number);
  const [run, viewer] = await Promise.all([
    loadRun(route, { reader, cache, liveRun, full }),
    loadViewer(reader, route),
  ]);
  const news = scripted ? 'script' : (context.progress.of(liveRun.name) ?? null);
  const seq = 'value' in run.state ? run.state.value.seq : -1;
  const posting = postings.of(pathOf({ ...route, page: 'issues' }), seq);
  const speaker = { viewer, reach, posting, at: new Date().toISOString() };
  const waiting = waitingFor(run, context);
  const main = runView({ run, speaker, side_by_side, full, input, news, waiting });
  return { status: 200, title: `${run.pull.title} #${route.number} · Coxswain`, main };
}

/** The runs, as far as this process knows them, that wait for the pull request or for its issue. */
function waitingFor({ state, route }: RunModel, { liveRuns, repository }: InRepository) {
  if ('missing' in state) return [];
  const numbers = [route.number, state.value.run.issue];
  return liveRuns.newest().flatMap(({ standing, run, task }) => {
    const isWaiting =
      run.repository_id === repository.id &&
      standing.phase === 'blocked' &&
      [...standing.on.map(({ number }) => number), ...(standing.behind ?? [])].some((number) =>
        numbers.includes(number),
      );
    return isWaiting ? [{ name: task.title, number: run.number }] : [];
  });
}

async function findTask(
  route: IssueRoute,
  action: TaskAction,
  { reader, cache, reach, liveRuns, repository }: InRepository,
): Promise<TaskSource> {
  const viewer = await loadViewer(reader, route);
  const { needs } = commandSpecs[action];
  if (viewer.role !== null && !covers(viewer.role, needs))
    throw new HttpError(403, `/${action} needs ${needs}; your role here is ${viewer.role}.`);
  if (action === 'run') return { task: { title: (await loadIssue(reader, route)).title }, about: '' };
  const liveRun = liveRuns.of(repository, route.number);
  const state = await loadStateOf(route, { reader, cache, liveRun, full: false });
  if (state === undefined) throw new HttpError(404, `There is no run on #${route.number}.`);
  const interrupt = interruptOf(state);
  const { offered } = offersOf(state, { viewer, reach, at: new Date().toISOString() });
  if (interrupt !== undefined && offered.includes(action)) return sourceOf(state, interrupt);
  throw new HttpError(409, `/${action} is not possible now: ${phaseSentence(state)}.`);
}

/** Work that has ended, with what its verifiers printed: too much for the page of the run. */
async function renderWork(
  route: IssueRoute,
  number: number,
  { reader, cache, liveRuns, repository }: InRepository,
): Promise<Content> {
  const work = await loadWork(route, number, {
    ...{ reader, cache, full: false },
    liveRun: liveRuns.of(repository, route.number),
  });
  if (work === undefined) throw new HttpError(404, `${pathOf(route)} has no such attempt.`);
  return {
    status: 200,
    title: `Attempt of #${route.number} · Coxswain`,
    main: attemptPage(route, work, webOf(repository)),
  };
}

async function renderOverview(context: RenderContext): Promise<Content> {
  const repositories = await loaded('The list of repositories', context.repositories());
  const overview =
    'missing' in repositories ? repositories : { value: await loadOverview(repositories.value, context) };
  return { status: 200, title: 'Runs · Coxswain', main: overviewView(overview) };
}

async function renderIssue(
  route: IssueRoute,
  { query, input = null }: RenderOptions,
  { reader, liveRuns, repository }: InRepository,
): Promise<Content> {
  const started = startedIn(query);
  const issue = await loadIssue(reader, route);
  const [conversation, runs, trigger, { role }] = await Promise.all([
    loaded('The conversation', loadConversation(reader, route)),
    loaded('The list of runs', loadRunsOfIssue(route, reader, repository, liveRuns)),
    liveRuns.configuration.trigger(repository),
    loadViewer(reader, route),
  ]);
  const underWay = 'value' in runs ? runs.value.find(isUnderWay) : undefined;
  const number = issue.isPull ? route.number : started === null ? undefined : underWay?.number;
  const leadsTo: IssueRoute | undefined =
    number === undefined ? undefined : { ...route, page: 'pull', number };
  const start = started === null ? null : { at: started, now: Math.floor(Date.now() / 1000) };
  const main = issueView({ route, issue, conversation, runs, start, input, trigger, role });
  return { status: 200, title: `${issue.title} #${route.number} · Coxswain`, main, leadsTo };
}

/** When a run was asked for here; null if it was not. */
function startedIn(query: URLSearchParams | undefined): number | null {
  const started = query?.get('started') ?? '';
  return /^\d{1,12}$/.test(started) ? Number(started) : null;
}

async function findRepository(
  { owner, repo }: IssueRoute,
  { repositories }: RenderContext,
): Promise<Repository> {
  const name = `${owner}/${repo}`.toLowerCase();
  const found = (await repositories()).find((one) => `${one.owner}/${one.name}`.toLowerCase() === name);
  if (found === undefined) throw new HttpError(404, `Coxswain is not installed on ${owner}/${repo}.`);
  return found;
}

/** What the page is opened with. */
export interface PageOptions {
  /** The client that the page reads and comments with: a GitHub user's, not the App's. */
  readonly person: Octokit;
  /** The repositories whose runs are shown. */
  repositories(): Promise<readonly Repository[]>;
  readonly liveRuns: LiveRuns;
  /** What the agents of this process are doing. */
  readonly progress: ProgressBoard;
  /** Gives access to the page, as `/?key=<key>`; must be hard to guess. */
  readonly key: string;
  /** The address of the page, such as `http://127.0.0.1:3000`; called for each request. */
  origin(): string;
  /** Who can reach it: beyond this machine, approvals and the like are said on GitHub only. */
  readonly reach: Reach;
  /** Says what to try next, in a demonstration. */
  readonly guide?: Guide | undefined;
}

import type { LiveRuns } from '../runs/live-runs.ts';
import type { ProgressBoard } from '../runs/progress-board.ts';
import type { Repository } from '../runs/repository.ts';
import type { FormInput } from './form-input.ts';
import { type Html, html } from './html.ts';
import { HttpError, httpErrorFrom } from './http-error.ts';
import { Cache } from './load/cache.ts';
import { loadConversation } from './load/conversation.ts';
import { createGitHubReader, type GitHubReader } from './load/github-reader.ts';
import { loadIssue } from './load/issue.ts';
import { loaded } from './load/loaded.ts';
import { loadOverview } from './load/overview.ts';
import { loadPull, loadRun, loadWork } from './load/run.ts';
import type { PageOptions } from './page-options.ts';
import { type IssueRoute, pathOf, type Route } from './routes.ts';
import { attemptPage } from './views/attempts.ts';
import { issueView } from './views/issue.ts';
import type { View } from './views/layout.ts';
import { overviewView } from './views/overview.ts';
import { runView } from './views/run.ts';

/** Loads what a route needs and renders it. */
export interface Renderer {
  render(route: Route, options: RenderOptions): Promise<{ readonly status: number; readonly view: View }>;
  /** Throws `HttpError` when no such repository is shown here. */
  findRepository(route: IssueRoute): Promise<Repository>;
  /** The name of a run whose pull request the person may read; throws otherwise. */
  findRun(route: IssueRoute): Promise<string>;
  /** To be called after a write, so that everything there is loaded again. */
  invalidate(route: IssueRoute): void;
}

interface RenderOptions {
  readonly query?: URLSearchParams;
  /** Shown above everything else. */
  readonly notice?: string;
  /** The form that was sent but not accepted. */
  readonly input?: FormInput | null;
  /** Whether it is for the page's script, which shows by itself what an agent does. */
  readonly scripted?: boolean;
}

interface RenderContext {
  readonly reader: GitHubReader;
  readonly cache: Cache;
  readonly liveRuns: LiveRuns;
  readonly progress: ProgressBoard;
  repositories(): Promise<readonly Repository[]>;
}

const repositoriesMaxAgeMs = 2000;
/** Mostly diffs and histories. */
const maxEntries = 100;

export function createRenderer({ person, repositories, liveRuns, progress }: PageOptions): Renderer {
  const cache = new Cache({ max: maxEntries });
  const context: RenderContext = {
    reader: createGitHubReader(person),
    cache,
    liveRuns,
    progress,
    repositories: () => cache.get('repositories', repositoriesMaxAgeMs, () => repositories()),
  };
  return {
    render: async (route, options) => {
      const [content, login] = await Promise.all([render(route, options, context), loadLogin(context)]);
      const { status, title, main } = content;
      const { notice } = options;
      const alert = notice !== undefined && html`<p class="notice problem" role="alert">${notice}</p>`;
      return { status, view: { title, person: login, main: html`${alert}${main}` } };
    },
    findRepository: (route) => findRepository(route, context),
    findRun: (route) => findRun(route, context),
    invalidate: (route) => context.reader.invalidate(route),
  };
}

interface Content {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
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

async function renderRoute(
  route: Route,
  { query, input = null, scripted = false }: RenderOptions,
  context: RenderContext,
): Promise<Content> {
  if (route.page === 'overview') return renderOverview(context);
  const repository = await findRepository(route, context);
  if (route.page === 'issues') return renderIssue(route, input, { ...context, repository });
  const number = query?.get('work') ?? null;
  if (number !== null) return renderWork(route, Number(number), { ...context, repository });
  const side_by_side = query?.get('diff') === 'split';
  const full = query?.get('full') === '1';
  const liveRun = context.liveRuns.of(repository, route.number);
  const run = await loadRun(route, { reader: context.reader, cache: context.cache, liveRun, full });
  const news = scripted ? 'script' : (context.progress.of(liveRun.name) ?? null);
  const main = runView({ run, side_by_side, full, input, news });
  return { status: 200, title: `${run.pull.title} #${route.number} · Coxswain`, main };
}

/** Work that has ended, with what its verifiers printed: too much for the page of the run. */
async function renderWork(
  route: IssueRoute,
  number: number,
  { reader, cache, liveRuns, repository }: RenderContext & { readonly repository: Repository },
): Promise<Content> {
  const work = await loadWork(route, number, {
    ...{ reader, cache, full: false },
    liveRun: liveRuns.of(repository, route.number),
  });
  if (work === undefined) throw new HttpError(404, `${pathOf(route)} has no such attempt.`);
  return { status: 200, title: `Attempt of #${route.number} · Coxswain`, main: attemptPage(route, work) };
}

async function renderOverview(context: RenderContext): Promise<Content> {
  const repositories = await loaded('The list of repositories', context.repositories());
  const overview =
    'missing' in repositories ? repositories : { value: await loadOverview(repositories.value, context) };
  return { status: 200, title: 'Runs · Coxswain', main: overviewView(overview) };
}

async function renderIssue(
  route: IssueRoute,
  input: FormInput | null,
  { reader, liveRuns, repository }: RenderContext & { readonly repository: Repository },
): Promise<Content> {
  const issue = await loadIssue(reader, route);
  const [conversation, trigger] = await Promise.all([
    loaded('The conversation', loadConversation(reader, route)),
    liveRuns.triggers.of(repository),
  ]);
  const main = issueView({ route, issue, conversation, input, trigger });
  return { status: 200, title: `${issue.title} #${route.number} · Coxswain`, main };
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

async function findRun(route: IssueRoute, context: RenderContext): Promise<string> {
  const repository = await findRepository(route, context);
  await loadPull(context.reader, route);
  return context.liveRuns.of(repository, route.number).name;
}

const loginMaxAgeMs = 60_000;

/** Null if GitHub does not return it. */
async function loadLogin({ reader, cache }: RenderContext): Promise<string | null> {
  const read = () => reader.get('GET /user', {}).then(({ data }) => data.login);
  const login = await loaded('Your name', cache.get('login', loginMaxAgeMs, read));
  return 'value' in login ? login.value : null;
}

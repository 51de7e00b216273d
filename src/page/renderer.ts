import { notFound } from '../doors/problem.ts';
import { type Html, html, time } from '../html/html.ts';
import type { CommandName } from '../steering/commands/index.ts';
import { pageProblem } from './forms/form-input.ts';
import { guideView } from './guide.ts';
import { inboxQuery } from './inbox/inbox-query.ts';
import { inboxView } from './inbox/inbox-view.ts';
import { loadInbox } from './inbox/load-inbox.ts';
import { loadIssues } from './inbox/load-issues.ts';
import { nextPath, saidNote } from './inbox/next-run.ts';
import { renderIssue } from './issue-page.ts';
import { Cache } from './load/github-reader.ts';
import { loadStateOf } from './load/load-run.ts';
import { type IssueRoute, pathOf, type Route } from './load/page-routes.ts';
import {
  type Content,
  type PageOptions,
  type RenderContext,
  type RenderOptions,
  speakingAs,
  within,
} from './page-context.ts';
import { findTask, renderRun, renderWork, runOf } from './run-page.ts';
import type { Visitor } from './sign-in/visitors.ts';
import { formOf, type TaskAction } from './tasks/task-fields.ts';
import type { TaskForm } from './tasks/task-form.ts';
import { taskFormPage } from './views/task-forms.ts';

/** Most of what is kept are diffs and histories, which are large. */
const maxEntries = 100;

/** Loads what a route needs and renders it. */
export function createRenderer(options: PageOptions) {
  const { liveRuns, guide } = options;
  const cache = new Cache({ max: maxEntries });
  const contextOf = (visitor: Visitor): RenderContext => ({ ...options, cache, visitor });
  const guided = (route: Route) => {
    const at = route.page === 'inbox' ? null : route;
    const guidance = guide?.({ at, runs: liveRuns.newest() }) ?? null;
    return guidance !== null && guideView(guidance);
  };
  return {
    render: async (visitor: Visitor, route: Route, asked: RenderOptions) => {
      const { status, title, main, leadsTo } = await render(route, asked, contextOf(visitor));
      const guidedMain = html`${alert(asked.notice)}${outageNote(visitor)}${guided(route)}${main}`;
      return { status, view: { title, person: speakingAs(options, visitor), main: guidedMain }, leadsTo };
    },
    /** A form about a task on a page of its own; without it, only what is to be said. */
    renderForm: (
      visitor: Visitor,
      route: IssueRoute,
      action: TaskAction,
      { form, notice }: { readonly form: TaskForm | undefined; readonly notice: string | undefined },
    ) => {
      const title = `${formOf(action).title} #${route.number} · Coxswain`;
      const back = html`${alert(notice)}<p><a href="${pathOf(route)}">Back to #${route.number}</a></p>`;
      const main = form === undefined ? back : taskFormPage(route, form, notice);
      return { view: { title, person: speakingAs(options, visitor), main } };
    },
    /** What a form about a task begins with; throws `Problem` where nobody can send it now. */
    findTask: async (visitor: Visitor, route: IssueRoute, action: TaskAction) =>
      findTask(route, action, await within(route, contextOf(visitor))),
    /**
     * The repository in which somebody is about to speak: GitHub is asked anew, because another one may have
     * its name by now. Throws where the person may not read it, or Coxswain is not installed there.
     */
    findRepository: async (visitor: Visitor, route: IssueRoute) => {
      const { repository, viewer } = await within(route, contextOf(visitor));
      const { caller } = visitor;
      if (await options.identity.mayStillRead(caller, { repository, role: viewer.role })) return repository;
      throw notFound();
    },
    /** Where somebody goes on who has settled a run: to the next one of their inbox, or back to that. */
    findNext: async (visitor: Visitor, route: IssueRoute & { readonly from: string }, said: CommandName) => {
      const { repository } = await within(route, contextOf(visitor));
      return nextPath(visitor, { ...route, repository_id: repository.id }, { said, sources: options });
    },
    /** The name of a run whose pull request the person may read; throws otherwise. */
    findRun: async (visitor: Visitor, route: IssueRoute) => {
      const here = await within(route, contextOf(visitor));
      return (await runOf(route, here)).name;
    },
    /** The commit that a run has come to; undefined where there is no run. */
    findHead: async (visitor: Visitor, route: IssueRoute) => {
      const liveRun = await runOf(route, await within(route, contextOf(visitor)));
      return (await loadStateOf(route, { reader: visitor.reader, cache, liveRun }))?.head;
    },
  };
}

/** What was read before is shown while nothing can be read. */
function outageNote({ reader: { as_of } }: Visitor): Html | false {
  return (
    as_of !== undefined &&
    html`<p class="notice" role="status">GitHub cannot be reached: this is as of ${time(as_of)}.</p>`
  );
}

function alert(notice: string | undefined): Html | false {
  return notice !== undefined && html`<p class="notice problem" role="alert">${notice}</p>`;
}

/** If nothing can be loaded, the page says why. */
async function render(route: Route, options: RenderOptions, context: RenderContext): Promise<Content> {
  try {
    return await renderRoute(route, options, context);
  } catch (fault) {
    const { status, message } = pageProblem(
      fault,
      `Could not show ${pathOf(route)}`,
      context.liveRuns.services.log,
    );
    const title = status === 404 ? 'Not found' : 'Unavailable';
    const explanation = html`<p>${message}</p><p><a href="/">All runs</a></p>`;
    return { status, title, main: html`<h1>${title}</h1><div class="card">${explanation}</div>` };
  }
}

async function renderRoute(route: Route, options: RenderOptions, context: RenderContext): Promise<Content> {
  if (route.page === 'inbox') return renderInbox(options, context);
  const here = await within(route, context);
  const { owner, name: repo } = here.repository;
  if (`${owner}/${repo}`.toLowerCase() !== `${route.owner}/${route.repo}`.toLowerCase())
    return {
      status: 303,
      title: 'Renamed',
      main: html`<p>It is renamed.</p>`,
      leadsTo: { ...route, owner, repo },
    };
  if (route.page === 'issues') return renderIssue(route, options, here);
  const number = options.query?.get('work') ?? null;
  return number === null ? renderRun(route, options, here) : renderWork(route, Number(number), here);
}

async function renderInbox(
  { query: asked = new URLSearchParams() }: RenderOptions,
  context: RenderContext,
): Promise<Content> {
  const { visitor } = context;
  const { query, wrong } = inboxQuery(asked);
  const [inbox, issues] = await Promise.all([
    loadInbox(query, visitor.caller, context),
    loadIssues(visitor, context, query.repo),
  ]);
  return {
    status: 200,
    title: 'Runs · Coxswain',
    main: html`${saidNote(asked)}${inboxView({ inbox, issues, wrong })}`,
  };
}

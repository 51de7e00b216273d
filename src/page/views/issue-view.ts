import type { Listed } from '../../doors/lists/run-index.ts';
import type { RunSummary } from '../../doors/report/report-shapes.ts';
import { type Html, html, time } from '../../html/html.ts';
import { commandSpecs } from '../../steering/commands/index.ts';
import { isOver } from '../../steering/phases/table.ts';
import { covers, type Role } from '../../steering/shapes/people.ts';
import type { FormInput } from '../forms/form-input.ts';
import type { Loaded } from '../load/github-reader.ts';
import type { Conversation, IssueModel } from '../load/load-conversation.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { emptyForm } from '../tasks/task-form.ts';
import { commentForm } from './command-buttons.ts';
import { badge, conversation, details, externalLink, section, whenLoaded } from './components.ts';
import { runList, startRunForms } from './run-list.ts';
import { taskForm } from './task-forms.ts';

interface IssueViewOptions {
  readonly route: IssueRoute;
  readonly issue: IssueModel;
  readonly conversation: Loaded<Conversation>;
  /** The runs that were started from it, newest first. */
  readonly runs: readonly Listed<RunSummary>[];
  /** A run that was asked for here and is not there yet; null if none was. */
  readonly start: Start | null;
  readonly input: FormInput | null;
  /** The viewer's role in the repository. */
  readonly role: Role;
}

/** An issue: what is wanted, its runs, the conversation, and how to start a run. */
export function issueView(options: IssueViewOptions): Html {
  const { route, issue, conversation: comments, runs, start } = options;
  const { title, author, at, open, labels, url } = issue;
  return html`<header class="page-header">
<p class="crumbs"><a href="/">Runs</a> / ${route.owner}/${route.repo}</p>
<h1>${title} <span class="number">#${route.number}</span></h1>
<p class="facts">${badge(open ? 'open' : 'closed', open ? 'success' : 'neutral')}
${labels.map((label) => badge(label))}
<span class="muted">opened by ${author} ${time(at)} · ${externalLink(url, 'on GitHub')}</span></p>
</header>
${start !== null && startingNote(start, comments)}
<div class="columns"><div class="sidebar">${commandSection(options)}</div>
<div class="content">${section(
    'runs',
    'Runs of this issue',
    runs.length === 0 ? html`<p class="muted">There are none yet.</p>` : runList(runs, 'issue'),
  )}
${section(
  'conversation',
  'Conversation',
  whenLoaded(comments, (model) => conversation(issue, model)),
)}</div></div>`;
}

/** While a run is under way, no other can be started for the issue. */
function commandSection(options: IssueViewOptions): Html {
  const { route, issue, runs, start, input, role } = options;
  const { open } = issue;
  const underWay = runs.find(({ entry }) => !isOver(entry.phase));
  const mayRun = covers(role, commandSpecs.run.needs);
  const canStart = open && underWay === undefined && !isStarting(start, options.conversation);
  const offers = { offered: canStart && mayRun ? (['run'] as const) : [] };
  return section(
    'commands',
    'Commands',
    underWay !== undefined && underWayNote(route, underWay.number),
    !open && html`<p class="muted">The issue is closed, so no run can be started from it.</p>`,
    canStart && startRunForms(route, role),
    canStart && mayRun && describedTask(options),
    commentForm({ route, offers, approval: null, input }),
  );
}

/** Takes a task in fields, from whoever does not know the keys of one. */
function describedTask({ route, issue }: IssueViewOptions): Html {
  const form = emptyForm('run', { task: { title: issue.title }, about: '' });
  return details({ id: 'describe-task', summary: commandSpecs.run.form.title }, taskForm({ route, form }));
}

function underWayNote(route: IssueRoute, number: number): Html {
  const path = pathOf({ ...route, page: 'pull', number });
  return html`<p>There is a run of this issue: steer it in <a href="${path}">#${number}</a>.</p>`;
}

/** When a run was asked for and what time it is now, in seconds since 1970. */
interface Start {
  readonly at: number;
  readonly now: number;
}

/** Coxswain usually answers within a few seconds. */
const patienceSeconds = 60;

/** `answered`: Coxswain has said something there since, but there is no run. */
type Progress = { readonly is: 'starting' | 'late' } | { readonly is: 'answered'; readonly comment: string };

/** Whether a run may still come of the request, so that it need not be asked for again. */
export function isStarting(start: Start | null, conversation: Loaded<Conversation>): boolean {
  return start !== null && progressOf(start, conversation).is === 'starting';
}

function progressOf({ at, now }: Start, conversation: Loaded<Conversation>): Progress {
  const comments = 'value' in conversation ? conversation.value.comments : [];
  const answer = comments.findLast((comment) => comment.bot && Date.parse(comment.at) >= at * 1000);
  if (answer !== undefined) return { is: 'answered', comment: answer.id };
  return { is: now - at > patienceSeconds ? 'late' : 'starting' };
}

/** What has become of the request for a run, as long as there is none. */
export function startingNote(start: Start, conversation: Loaded<Conversation>): Html {
  const text = textFor(start, progressOf(start, conversation));
  return html`<div id="starting" class="notice" role="status" aria-live="polite">${text}</div>`;
}

function textFor({ at }: Start, progress: Progress): Html {
  switch (progress.is) {
    case 'answered':
      return html`<p><b>Coxswain answered.</b> <a href="#${progress.comment}">Read its answer</a>; no run is under way.</p>`;
    case 'late':
      return html`<p><b>Nothing has started yet.</b> The request is on GitHub; is the App running, and do its webhooks arrive?</p>`;
    case 'starting':
      return html`<p><b>Starting…</b> The request is on GitHub, and this page leads to the run as soon as there is one.
<a href="?started=${at}">Reload</a> if nothing happens.</p>`;
  }
}

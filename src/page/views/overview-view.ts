import { type Html, html, time } from '../../html/html.ts';
import { commandSpecs } from '../../steering/commands/index.ts';
import { isInProgress, isOver } from '../../steering/phases/table.ts';
import { covers } from '../../steering/shapes/people.ts';
import { byTime } from '../../steering/shapes/time.ts';
import { costText } from '../../text/amounts.ts';
import { scoreText } from '../../words/index.ts';
import type { Loaded } from '../load/github-reader.ts';
import type {
  IssueSummary,
  OverviewModel,
  RepositoryLists,
  RepositoryModel,
  RunSummary,
} from '../load/load-overview.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { badge, details, phaseBadge, section, trustBadges } from './components.ts';

/** All runs, and all issues that have none. */
export function overviewView(overview: Loaded<OverviewModel>): Html {
  if ('missing' in overview) return html`<h1>Runs</h1><p class="missing">${overview.missing}</p>`;
  const { repositories } = overview.value;
  const known = repositories.flatMap(loadedOnly);
  const runs = known.flatMap(({ owner, repo, lists }) => lists.runs.map((run) => ({ owner, repo, run })));
  const hasRuns = runs.length > 0;
  const isComplete = repositories.length > 0 && known.length === repositories.length;
  return html`<h1>Runs</h1>
${repositories.length === 0 && html`<p class="missing">Coxswain isn't installed on any repository yet.</p>`}
${repositories.map(missingNote)}
${!hasRuns && isComplete && html`<p class="muted">There are no runs yet. Start one from an issue.</p>`}
${groups.map((group) => hasRuns && groupSection(group, runs))}
${section('issues', 'Issues to start a run from', issueList(known))}
${hasRuns && groupSection(ended, runs)}`;
}

type LoadedRepository = ReturnType<typeof loadedOnly>[number];

function loadedOnly({ owner, repo, lists }: RepositoryModel) {
  return 'value' in lists ? [{ owner, repo, lists: lists.value }] : [];
}

function missingNote({ owner, repo, lists }: RepositoryModel): Html | false {
  return 'missing' in lists && html`<p class="missing" id="missing-${owner}/${repo}">${lists.missing}</p>`;
}

/** Where a run is listed. */
type GroupId = 'waiting' | 'approved' | 'in-progress' | 'blocked' | 'unknown' | 'ended';

interface Group {
  readonly id: GroupId;
  readonly title: string;
  /** What is said if there is none; the group is left out where nothing is. */
  readonly empty?: string;
}

const groups: readonly Group[] = [
  { id: 'waiting', title: 'Waiting for a human', empty: 'No run is waiting for a human.' },
  { id: 'approved', title: 'Approved, to be merged' },
  { id: 'in-progress', title: 'In progress' },
  { id: 'blocked', title: 'Waiting to begin' },
  { id: 'unknown', title: 'State unknown' },
];

/** Below what can still be done. */
const ended: Group = { id: 'ended', title: 'Recently ended' };

function groupOf({ open, status }: RunSummary): GroupId {
  if (!open) return 'ended';
  if (status === null) return 'unknown';
  if (isOver(status.phase)) return 'ended';
  if (status.phase === 'approved' || status.phase === 'blocked') return status.phase;
  return isInProgress(status.phase) ? 'in-progress' : 'waiting';
}

function groupSection({ id, title, empty }: Group, runs: readonly ListedRun[]): Html | false {
  const rows = runs.filter(({ run }) => groupOf(run) === id);
  if (rows.length === 0 && empty === undefined) return false;
  const newestFirst = rows.toSorted((one, other) => byTime(other.run, one.run));
  return section(id, title, rows.length === 0 ? html`<p class="muted">${empty}</p>` : runList(newestFirst));
}

function issueList(known: readonly LoadedRepository[]): Html {
  const rows = known.flatMap((each) => each.lists.issues.map((issue) => issueRow(each, issue)));
  const more = known.filter(({ lists }) => lists.more).map(({ owner, repo }) => `${owner}/${repo}`);
  const none = html`<p class="muted">None.</p>`;
  return html`${rows.length === 0 ? none : html`<ul class="rows">${rows}</ul>`}
${more.length > 0 && html`<p class="muted">${more.join(', ')}: only the most recently updated are listed.</p>`}`;
}

function issueRow({ owner, repo, lists }: LoadedRepository, issue: IssueSummary): Html {
  const route: IssueRoute = { page: 'issues', owner, repo, number: issue.number };
  return html`<li id="issue-${owner}/${repo}#${issue.number}" class="row">
<div class="row-main"><a class="title" href="${pathOf(route)}">${issue.title}</a>
<p class="muted">${owner}/${repo}#${issue.number} by ${issue.author} · ${time(issue.at)}</p></div>
<div class="row-side">${startRunForms(route, lists, issue.labelled)}</div>
</li>`;
}

interface ListedRun {
  readonly owner: string;
  readonly repo: string;
  readonly run: RunSummary;
}

/** Runs as rows, in the order given; under their issue, it is not named again. */
export function runList(rows: readonly ListedRun[], under: 'issue' | 'all' = 'all'): Html {
  return html`<ul class="rows">${rows.map((row) => runRow(row, under))}</ul>`;
}

function runRow({ owner, repo, run }: ListedRun, under: 'issue' | 'all'): Html {
  const route: IssueRoute = { page: 'pull', owner, repo, number: run.number };
  return html`<li id="run-${owner}/${repo}#${run.number}" class="row">
<div class="row-main"><a class="title" href="${pathOf(route)}">${run.title}</a>
<p class="muted">${owner}/${repo}#${run.number}${under === 'all' && forIssue({ owner, repo, run })} · ${time(run.at)}</p></div>
<p class="row-side">${statusBadges(run)}</p>
</li>`;
}

function forIssue({ owner, repo, run }: ListedRun): Html | false {
  const number = run.status?.issue ?? null;
  if (number === null) return false;
  return html` for <a href="${pathOf({ page: 'issues', owner, repo, number })}">issue #${number}</a>`;
}

/** Of a closed pull request whose phase does not say so yet, only that is shown. */
function statusBadges({ status, open, merged }: RunSummary): readonly (Html | false)[] {
  if (status === null) return [badge(open ? 'state unknown' : merged ? 'merged' : 'closed')];
  const { phase, iteration, max_iterations, cost } = status;
  const spent = cost === null ? '' : costText(cost);
  return [
    html`<span class="muted">iteration ${iteration} of ${max_iterations}</span>`,
    spent !== '' && html`<span class="muted">${spent}</span>`,
    scoreBadge(status),
    open || isOver(phase) ? phaseBadge(phase) : badge(merged ? 'merged' : 'closed'),
  ];
}

/** A score steps back when it is of a commit before the present work. */
function scoreBadge({
  score,
  band,
  risk,
  grave,
  superseded,
}: NonNullable<RunSummary['status']>): Html | false {
  if (score === null || band === null) return false;
  return superseded
    ? html`<span class="muted">before that ${scoreText(score)}</span>`
    : trustBadges(score, band, { risk, grave });
}

/** Two ways to start a run: the label, or `/run` with instructions. */
export function startRunForms(
  route: IssueRoute,
  { trigger, role }: Pick<RepositoryLists, 'trigger' | 'role'>,
  labelled: boolean,
): Html {
  const { needs } = commandSpecs.run;
  if (role !== null && !covers(role, needs))
    return html`<p class="muted">Starting a run needs ${needs}; your role here is ${role}.</p>`;
  return html`${labelled ? postRunButton(route, trigger) : startButton(route, trigger)}${taskForm(route)}`;
}

function startButton(route: IssueRoute, trigger: string): Html {
  return html`<form method="post" action="${pathOf(route, 'label')}">
<button class="primary" title="Adds the label ${trigger}">Start a run</button></form>`;
}

/** The label is there already, so adding it would start nothing. */
function postRunButton(route: IssueRoute, trigger: string): Html {
  return html`<form method="post" action="${pathOf(route, 'comment')}">
<input type="hidden" name="command" value="run">
<button title="The issue already has the label ${trigger}, so this posts /run">Post /run</button></form>`;
}

function taskForm(route: IssueRoute): Html {
  const id = `task-${route.owner}/${route.repo}#${route.number}`;
  return details(
    { id: `write-${id}`, summary: 'Run with your own instructions' },
    html`<form method="post" action="${pathOf(route, 'comment')}">
<input type="hidden" name="command" value="run">
<label for="${id}">What should the agent do?</label>
<textarea id="${id}" name="text" rows="3" required></textarea>
<button>Post /run</button>
</form>`,
  );
}

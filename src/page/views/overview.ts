import { byTime } from '../../steering/time.ts';
import { costText } from '../../text/amounts.ts';
import { type Html, html } from '../html.ts';
import type { Loaded } from '../load/loaded.ts';
import type {
  IssueSummary,
  OverviewModel,
  RepositoryLists,
  RepositoryModel,
  RunSummary,
} from '../load/overview.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { badge, bandBadge, section, time } from './components.ts';
import { phaseBadge, type Tone, toneOf } from './phase-badge.ts';
import { startRunForms } from './start-run-forms.ts';

/** All runs, and all issues that have none. */
export function overviewView(overview: Loaded<OverviewModel>): Html {
  if ('missing' in overview) return html`<h1>Runs</h1><p class="missing">${overview.missing}</p>`;
  const { repositories } = overview.value;
  const known = repositories.flatMap(loadedOnly);
  return html`<h1>Runs</h1>
${repositories.length === 0 && html`<p class="missing">Coxswain isn't installed on any repository yet.</p>`}
${repositories.map(missingNote)}
${groups.map((group) => groupSection(group, known))}
${section('issues', 'Issues without a run', issueList(known))}`;
}

interface LoadedRepository {
  readonly owner: string;
  readonly repo: string;
  readonly lists: RepositoryLists;
}

function loadedOnly({ owner, repo, lists }: RepositoryModel): readonly LoadedRepository[] {
  return 'value' in lists ? [{ owner, repo, lists: lists.value }] : [];
}

function missingNote({ owner, repo, lists }: RepositoryModel): Html | false {
  return 'missing' in lists && html`<p class="missing" id="missing-${owner}/${repo}">${lists.missing}</p>`;
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly empty: string;
  readonly tones: readonly Tone[];
  readonly open: boolean;
}

const groups: readonly Group[] = [
  {
    id: 'waiting',
    title: 'Waiting for a human',
    empty: 'No run is waiting for a human.',
    tones: ['warning', 'danger'],
    open: true,
  },
  {
    id: 'in-progress',
    title: 'In progress',
    empty: 'No run is in progress.',
    tones: ['info', 'success', 'neutral'],
    open: true,
  },
  {
    id: 'ended',
    title: 'Recently ended',
    empty: 'No run has ended yet.',
    tones: ['warning', 'info', 'success', 'neutral', 'danger'],
    open: false,
  },
];

function groupSection(group: Group, known: readonly LoadedRepository[]): Html {
  const rows = known.flatMap(({ owner, repo, lists }) =>
    lists.runs.filter((run) => belongs(run, group)).map((run) => ({ owner, repo, run })),
  );
  const newestFirst = rows.toSorted((one, other) => byTime(other.run, one.run));
  const list = html`<ul class="rows">${newestFirst.map(runRow)}</ul>`;
  return section(group.id, group.title, rows.length === 0 ? html`<p class="muted">${group.empty}</p>` : list);
}

function belongs({ open, status }: RunSummary, group: Group): boolean {
  if (open !== group.open) return false;
  return group.tones.includes(status === null ? 'info' : toneOf(status.phase));
}

function runRow({ owner, repo, run }: { owner: string; repo: string; run: RunSummary }): Html {
  const route: IssueRoute = { page: 'pull', owner, repo, number: run.number };
  return html`<li id="run-${owner}/${repo}#${run.number}" class="row">
<div class="row-main"><a class="title" href="${pathOf(route)}">${run.title}</a>
<p class="muted">${owner}/${repo}#${run.number} · ${time(run.at)}</p></div>
<p class="row-side">${statusBadges(run)}</p>
</li>`;
}

function statusBadges({ status, open, merged }: RunSummary): readonly (Html | false)[] {
  if (status === null) return [badge(open ? 'state unknown' : merged ? 'merged' : 'closed')];
  const { phase, iteration, max_iterations, score, band, cost } = status;
  const spent = cost === null ? '' : costText(cost);
  return [
    html`<span class="muted">iteration ${iteration} of ${max_iterations}</span>`,
    spent !== '' && html`<span class="muted">${spent}</span>`,
    score !== null && band !== null && bandBadge(score, band),
    phaseBadge(phase),
  ];
}

function issueList(known: readonly LoadedRepository[]): Html {
  const rows = known.flatMap(({ owner, repo, lists }) =>
    lists.issues.map((issue) => issueRow({ owner, repo, issue, trigger: lists.trigger })),
  );
  const more = known.filter(({ lists }) => lists.more).map(({ owner, repo }) => `${owner}/${repo}`);
  const none = html`<p class="muted">No open issue is without a run.</p>`;
  return html`${rows.length === 0 ? none : html`<ul class="rows">${rows}</ul>`}
${more.length > 0 && html`<p class="muted">${more.join(', ')}: only the most recently updated are listed.</p>`}`;
}

interface ListedIssue {
  readonly owner: string;
  readonly repo: string;
  readonly issue: IssueSummary;
  readonly trigger: string;
}

function issueRow({ owner, repo, issue, trigger }: ListedIssue): Html {
  const route: IssueRoute = { page: 'issues', owner, repo, number: issue.number };
  return html`<li id="issue-${owner}/${repo}#${issue.number}" class="row">
<div class="row-main"><a class="title" href="${pathOf(route)}">${issue.title}</a>
<p class="muted">${owner}/${repo}#${issue.number} by ${issue.author} · ${time(issue.at)}</p></div>
<div class="row-side">${startRunForms(route, { trigger, labelled: issue.labelled })}</div>
</li>`;
}

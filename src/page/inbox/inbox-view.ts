import { type Html, html, time } from '../../html/html.ts';
import type { Person } from '../../steering/shapes/people.ts';
import { counted } from '../../text/amounts.ts';
import { askedText } from '../../words/index.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { badge, externalLink, section } from '../views/components.ts';
import { iterationOf, runCells, runList, startRunForms } from '../views/run-list.ts';
import { filters, type InboxQuery, inboxPath, printedQuery } from './inbox-query.ts';
import { chosenText } from './load-batch.ts';
import { type GroupId, type InboxModel, type Other, riskOf, type Waiting } from './load-inbox.ts';
import type { IssueSummary, RepositoryIssues } from './load-issues.ts';

interface InboxViewOptions {
  readonly inbox: InboxModel;
  /** Undefined where somebody has so many repositories that they choose one. */
  readonly issues: readonly RepositoryIssues[] | undefined;
  /** The filters whose value does not exist. */
  readonly wrong: readonly string[];
}

/** What waits for somebody, and what else is going on. */
export function inboxView({ inbox, issues, wrong }: InboxViewOptions): Html {
  const { query, waiting, others } = inbox;
  const isMine = query.for === 'me';
  const title = isMine ? 'Waiting for you' : 'Waiting for people';
  return html`<h1>Runs</h1>
${wrong.length > 0 && html`<p class="notice problem">There is no such ${wrong.join(', ')}, so all are shown.</p>`}
${!inbox.seesAny && noRepository}
${filterForm(query)}
${section('waiting', title, countLine(inbox), waitingList(inbox), nextPage(query, waiting.next))}
${groups.map(({ id, title }) => otherSection(title, id, others[id].runs))}
${issuesSection(issues)}
${otherSection('Recently ended', 'ended', others.ended.runs)}
${newsNote(inbox)}`;
}

/** Where a token is not one of the App, others may be readable all the same. */
const noRepository = html`<p class="notice">Coxswain is not installed on a repository that you see on GitHub:
an owner of one installs it there, or gives you access to it.</p>`;

const groups = [
  { id: 'stopped', title: 'Stopped until somebody goes on' },
  { id: 'approved', title: 'Approved, to be merged' },
  { id: 'in-progress', title: 'In progress' },
  { id: 'blocked', title: 'Waiting to begin' },
] as const satisfies readonly { readonly id: GroupId; readonly title: string }[];

/** The filters are in the address, so that they can be kept and sent to others. */
function filterForm(query: InboxQuery): Html {
  const choices = (['kind', 'risk', 'band'] as const).map((name) => {
    const options = filters[name].map(
      (value) =>
        html`<option value="${value}"${query[name] === value && html` selected`}>${labelOf(value)}</option>`,
    );
    return html`<label>${names[name]} <select name="${name}"><option value="">any</option>${options}</select></label>`;
  });
  const other = query.for === 'me' ? 'anyone' : 'me';
  const { cursor: _, ...first } = query;
  return html`<form class="filters" method="get" action="/" role="search">
${query.for === 'anyone' && html`<input type="hidden" name="for" value="anyone">`}
${choices}
<label>Repository <input type="text" name="repo" value="${query.repo ?? ''}" placeholder="owner/name"></label>
<label>Title <input type="text" name="q" value="${query.q ?? ''}"></label>
<div class="buttons"><button>Filter</button> <a href="/">Clear</a>
<a href="${inboxPath({ ...first, for: other })}">${other === 'me' ? 'Only what waits for me' : 'What waits for anyone'}</a></div>
</form>`;
}

/** As the rows say it. */
function labelOf(value: string): string {
  return Object.entries(kindWords).find(([kind]) => kind === value)?.[1] ?? value;
}

const names = { kind: 'Asks for', risk: 'Risk', band: 'Confidence' } as const;

function countLine({ query, waiting: { total, runs } }: InboxModel): Html | false {
  if (runs.length > 0)
    return total !== null && total > runs.length && html`<p class="muted">${counted(total, 'run')}</p>`;
  const { for: whom, ...more } = query;
  const which = Object.keys(more).length > 0 ? 'No run that fits' : 'No run';
  return html`<p class="muted">${which} waits for ${whom === 'me' ? 'you' : 'anyone'}.</p>`;
}

function waitingList({ query, waiting: { runs }, viewerIn }: InboxModel): Html | false {
  const from = printedQuery(query);
  const row = (run: Waiting) => waitingRow(run, { from, viewer: viewerIn(run.repository_id) });
  return (
    runs.length > 0 &&
    html`<form method="post" action="/batch" id="inbox-form" data-plain>
<ul class="rows">${runs.map(row)}</ul>${batchFields()}</form>`
  );
}

/** The address of a run that is looked at from an inbox, to which it leads back. */
function fromInbox({ owner, repo, number }: Waiting, from: string): string {
  return `${pathOf({ page: 'pull', owner, repo, number })}?${new URLSearchParams({ from })}`;
}

function waitingRow(
  run: Waiting,
  { from, viewer }: { readonly from: string; readonly viewer: Person },
): Html {
  const { entry, facts } = run;
  const { audience } = facts;
  const risk = riskOf(run);
  const isAlone = risk === 'high' || risk === 'critical';
  return html`<li id="run-${entry.run}" class="row" data-row>
<input type="checkbox" name="run" value="${chosenText(entry)}" aria-label="Choose ${entry.run}"${isAlone && html` disabled title="Its risk is ${risk}, so it is looked at alone"`}>
<div class="row-main"><a class="title" href="${fromInbox(run, from)}">${entry.title}</a>
<p class="reason">${entry.reason}</p>
<p class="muted">${entry.run}${iterationOf(run)}${
    audience !== undefined && html` · for ${askedText(audience, viewer)}`
  }${entry.proceeds_at !== null && html` · goes on by itself ${time(entry.proceeds_at)}`}</p></div>
${runCells({ ...run, facts: { ...facts, risk } }, badge(kindWords[entry.kind], 'info'), entry.waiting_since)}
</li>`;
}

/** What can be said on all that are chosen; it is shown before it is said. */
function batchFields(): Html {
  return html`<fieldset class="batch"><legend>On all that are chosen</legend>
<label>Reason, to reject or abandon <input type="text" name="reason"></label>
<button name="command" value="approve">Approve…</button>
<button name="command" value="reject">Reject…</button>
<button name="command" value="retry">Retry…</button>
<button name="command" value="abandon">Abandon…</button>
</fieldset>`;
}

const kindWords = {
  approval: 'approval',
  stage: 'plan or tests',
  permission: 'permission',
  question: 'question',
  interrupt: 'failed',
} as const;

function otherSection(title: string, id: GroupId, runs: readonly Other[]): Html | false {
  return runs.length > 0 && section(id, title, runList(runs));
}

function nextPage(query: InboxQuery, next: string | null): Html | false {
  return next !== null && html`<p><a href="${inboxPath({ ...query, cursor: next })}">More</a></p>`;
}

/** How much of the truth this is. */
function newsNote({ as_of, isFull, waiting: { access_as_of, blocked_by_sso } }: InboxModel): Html {
  const links = blocked_by_sso.map(
    (link) => html`<p class="notice">Runs of an organization are left out until you have signed in to it:
${externalLink(link, 'single sign-on')}.</p>`,
  );
  return html`${links}
<p class="muted" id="as-of">${
    as_of === null
      ? 'Coxswain has just started and may not know of all runs yet.'
      : html`All repositories were last looked through ${time(as_of)}.`
  } What you may read is as GitHub said ${time(access_as_of)}.${
    isFull && ' There may be more runs than are kept in mind.'
  }</p>`;
}

function issuesSection(issues: readonly RepositoryIssues[] | undefined): Html {
  const content =
    issues === undefined
      ? html`<p class="muted">You have many repositories: enter one above to see its issues.</p>`
      : issueLists(issues);
  return section('issues', 'Issues to start a run from', content);
}

function issueLists(all: readonly RepositoryIssues[]): Html {
  const rows = all.flatMap((each) =>
    'value' in each.issues ? each.issues.value.map((issue) => issueRow(each, issue)) : [],
  );
  const missing = all.map(
    ({ issues }) => 'missing' in issues && html`<p class="missing">${issues.missing}</p>`,
  );
  const none = html`<p class="muted">None.</p>`;
  return html`${missing}${rows.length === 0 ? none : html`<ul class="rows">${rows}</ul>`}`;
}

function issueRow({ owner, repo, role }: RepositoryIssues, issue: IssueSummary): Html {
  const route: IssueRoute = { page: 'issues', owner, repo, number: issue.number };
  return html`<li id="issue-${owner}/${repo}#${issue.number}" class="row">
<div class="row-main"><a class="title" href="${pathOf(route)}">${issue.title}</a>
<p class="muted">${owner}/${repo}#${issue.number} by ${issue.author} · ${time(issue.at)}</p></div>
<div class="row-side">${startRunForms(route, role)}</div>
</li>`;
}

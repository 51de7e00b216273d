import { decisionCheck, decisionText, unprovenText } from '../../github/words/index.ts';
import { queryCommands } from '../../steering/row.ts';
import { spentBefore } from '../../steering/spending.ts';
import { shownPhase } from '../../steering/standing.ts';
import type { Restoration, State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import { costText } from '../../text/amounts.ts';
import type { FormInput } from '../form-input.ts';
import { type Html, html } from '../html.ts';
import { endedWork } from '../load/attempts.ts';
import type { CheckRun, RunModel } from '../load/run.ts';
import { markdown } from '../markdown.ts';
import { pathOf } from '../routes.ts';
import { atWork, type News } from './at-work.ts';
import { changes } from './changes.ts';
import { commandButtons } from './command-buttons.ts';
import { commentForm } from './comment-form.ts';
import { badge, bandBadge, externalLink, section, shortSha, time, whenLoaded } from './components.ts';
import { conversation } from './conversation.ts';
import { confidence, gates, verifiers } from './evidence.ts';
import { history } from './history.ts';
import { iterations } from './iterations.ts';
import { phaseBadge } from './phase-badge.ts';
import { phaseDetails } from './phase-details.ts';

export interface RunViewOptions {
  readonly run: RunModel;
  readonly side_by_side: boolean;
  readonly full: boolean;
  readonly input: FormInput | null;
  readonly news: News;
}

/** A run: its phase, the commands available now, and all the evidence. */
export function runView(options: RunViewOptions): Html {
  const { run, news } = options;
  const working = 'value' in run.state && atWork(run.route, run.state.value, news);
  return html`${pageHeader(run)}
<div class="columns">
<div class="sidebar">${commandSection(options)}${factsSection(run)}${checksSection(run)}</div>
<div class="content">${working}${evidenceSections(run)}${changesSection(options)}${logSections(run)}</div>
</div>`;
}

function pageHeader({ route, pull, state }: RunModel): Html {
  const kind = pull.merged ? 'merged' : !pull.open ? 'closed' : pull.draft ? 'draft' : 'ready for review';
  const links = sectionLinks.map(([id, text]) => html`<a href="#${id}">${text}</a>`);
  return html`<header class="page-header">
<p class="crumbs"><a href="/">Runs</a> / ${route.owner}/${route.repo}</p>
<h1>${pull.title} <span class="number">#${route.number}</span></h1>
<div class="facts"><p id="phase" role="status" aria-live="polite">
${'value' in state ? phase(state.value) : badge('state unknown')}</p>
<p>${'value' in state && confidenceBadge(state.value)} ${badge(kind)} ${pull.labels.map((label) => badge(label))}
</p></div>
<nav class="section-links" aria-label="On this page">${links}</nav>
</header>`;
}

const sectionLinks = [
  ['commands', 'Commands'],
  ['verifiers', 'Verifiers'],
  ['confidence', 'Confidence'],
  ['iterations', 'Iterations'],
  ['changes', 'Changes'],
  ['conversation', 'Conversation'],
  ['history', 'History'],
] as const;

function phase(state: State): Html {
  return html`${phaseBadge(shownPhase(state))} <span>${decisionCheck(state, '').title}</span>`;
}

function confidenceBadge({ shown }: State): Html | false {
  return shown !== null && bandBadge(shown.confidence.score, shown.confidence.band);
}

function commandSection({ run, input }: RunViewOptions): Html {
  const { route, state } = run;
  const possible = 'value' in state ? possibleIn(state.value) : (['run', ...queryCommands] as const);
  const approval = 'value' in state ? state.value.settings.approval : null;
  return section(
    'commands',
    'Commands',
    'value' in state
      ? commandButtons(route, state.value, input)
      : html`<p class="missing">${state.missing}</p>`,
    commentForm({ route, possible, approval, input }),
  );
}

interface Fact {
  readonly name: string;
  readonly value: Html;
}

function factsSection({ pull, state }: RunModel): Html {
  const facts: readonly Fact[] = [
    { name: 'Branch', value: html`<code>${pull.branch}</code> into <code>${pull.base}</code>` },
    { name: 'Head', value: shortSha(pull.head_sha) },
    ...('value' in state ? stateFacts(state.value) : []),
    { name: 'Pull request', value: externalLink(pull.url, 'on GitHub') },
  ];
  const rows = facts.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return section('facts', 'Facts', html`<dl class="pairs">${rows}</dl>`);
}

function stateFacts(state: State): readonly Fact[] {
  const { restored } = state;
  const { required } = state.settings.approval;
  const cost = costText(spentBefore(state));
  const deadline = 'deadline' in state.standing ? state.standing.deadline : null;
  return [
    { name: 'Iteration', value: html`${state.iteration} of ${state.max_iterations}` },
    { name: 'Attempt', value: html`${state.attempts_used} of ${state.settings.attempts.max}` },
    ...(cost === '' ? [] : [{ name: 'Cost', value: html`${cost}` }]),
    { name: 'Approvals', value: html`${state.approvals.length} of ${required}` },
    { name: 'Check', value: checkText(state) },
    ...(deadline === null ? [] : [{ name: 'Waiting until', value: time(deadline) }]),
    { name: 'Requested by', value: html`${state.requested_by.login}` },
    ...(restored === undefined ? [] : [{ name: 'Restored', value: restoredText(restored) }]),
    { name: 'Started', value: time(state.started_at) },
    { name: 'Last event', value: time(state.updated_at) },
  ];
}

function restoredText({ at, by, unproven }: Restoration): Html {
  return html`${time(at)} by ${by}${unproven && html`; ${unprovenText}`}`;
}

function checkText({ settings: { check, shared_by } }: State): Html {
  const shared =
    shared_by !== undefined && html`, shared by the branches <code>${shared_by.join(', ')}</code>`;
  return html`<code>${check}</code>${shared}`;
}

function checksSection({ checks }: RunModel): Html {
  return section(
    'checks',
    'Check runs',
    whenLoaded(checks, (runs) =>
      runs.length === 0
        ? html`<p class="muted">No check runs for this commit.</p>`
        : html`<ul class="plain">${runs.map(checkRow)}</ul>`,
    ),
  );
}

function checkRow({ id, name, title, status, conclusion, url }: CheckRun): Html {
  const verdict = conclusion ?? status;
  const tone = verdict === 'success' ? 'success' : verdict === 'failure' ? 'danger' : 'info';
  return html`<li id="check-${id}">${badge(verdict.replaceAll('_', ' '), tone)} ${externalLink(url, name)}
<span class="muted">${title}</span></li>`;
}

function evidenceSections({ route, state, outputs, pull, events }: RunModel): Html {
  const work = 'value' in events ? endedWork(events.value) : [];
  const web = pull.url.replace(/\/pull\/\d+$/, '');
  const shown = 'value' in state ? state.value.shown : null;
  const notYet = html`<p class="missing">Not available: this commit has not been verified yet.</p>`;
  return html`${'value' in state && [phaseDetails(state.value), reportSection(state.value)]}
${section('verifiers', 'Verifiers', shown === null && earlierNote(outputs), whenLoaded(outputs, verifiers))}
${section(
  'confidence',
  'Confidence',
  whenLoaded(state, (known) => (shown === null ? notYet : confidence(shown, decisionText(known)))),
)}
${section(
  'gates',
  'Gates',
  whenLoaded(state, () => (shown === null ? notYet : gates(shown.gates))),
)}
${section(
  'iterations',
  'Iterations',
  whenLoaded(state, (known) => iterations(known, { web, path: pathOf(route), work })),
)}`;
}

function earlierNote(outputs: RunModel['outputs']): Html | false {
  return (
    'value' in outputs &&
    html`<p class="muted">From an earlier commit: this one has not been verified yet.</p>`
  );
}

function reportSection({ report }: State): Html | false {
  if (report === null || report.summary.trim() === '') return false;
  return section('report', 'Report of the agent', html`<div class="prose">${markdown(report.summary)}</div>`);
}

function changesSection({ run, side_by_side, full }: RunViewOptions): Html {
  const options = { side_by_side, full, path: pathOf(run.route), web: run.pull.url };
  return section(
    'changes',
    'Changes',
    whenLoaded(run.diff, (diff) => changes(diff, options)),
  );
}

function logSections({ pull, conversation: comments, events }: RunModel): Html {
  return html`${section(
    'conversation',
    'Conversation',
    whenLoaded(comments, (model) => conversation(pull, model)),
  )}
${section('history', 'History', whenLoaded(events, history))}`;
}

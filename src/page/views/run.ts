import { decisionCheck } from '../../github/words/index.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn, queryCommands } from '../../steering/table.ts';
import { type Html, html } from '../html.ts';
import type { CheckReading, RunReading } from '../load/run.ts';
import { markdown } from '../markdown.ts';
import { pathOf } from '../routes.ts';
import { changes } from './changes.ts';
import { actions } from './command-buttons.ts';
import { composer, type Typed } from './comment-form.ts';
import { badge, bandBadge, external, section, sha, time, whenHad } from './components.ts';
import { conversation } from './conversation.ts';
import { confidence, gates, verifiers } from './evidence.ts';
import { history } from './history.ts';
import { iterations } from './iterations.ts';
import { phaseBadge } from './phase-badge.ts';
import { standingSection } from './phase-details.ts';

export interface RunPage {
  readonly run: RunReading;
  readonly side_by_side: boolean;
  readonly full: boolean;
  readonly typed: Typed | null;
}

/** One run: where it stands, what can be said, and everything it rests on. */
export function runMain(page: RunPage): Html {
  return html`${head(page.run)}
<div class="columns">
<div class="side">${saySection(page)}${factsSection(page.run)}${checksSection(page.run)}</div>
<div class="wide">${evidenceSections(page.run)}${changesSection(page)}${threadSections(page.run)}</div>
</div>`;
}

function head({ place, pull, state }: RunReading): Html {
  const kind = pull.merged ? 'merged' : !pull.open ? 'closed' : pull.draft ? 'draft' : 'ready for review';
  const links = contents.map(([id, text]) => html`<a href="#${id}">${text}</a>`);
  return html`<header class="head">
<p class="crumbs"><a href="/">Runs</a> / ${place.owner}/${place.repo}</p>
<h1>${pull.title} <span class="number">#${place.number}</span></h1>
<div class="facts"><p id="phase" role="status" aria-live="polite">
${'had' in state ? standing(state.had) : badge('state unknown')}</p>
<p>${'had' in state && sureness(state.had)} ${badge(kind)} ${pull.labels.map((label) => badge(label))}
</p></div>
<nav class="contents" aria-label="On this page">${links}</nav>
</header>`;
}

const contents = [
  ['say', 'Say'],
  ['verifiers', 'Verifiers'],
  ['confidence', 'Confidence'],
  ['iterations', 'Iterations'],
  ['changes', 'Changes'],
  ['conversation', 'Conversation'],
  ['history', 'History'],
] as const;

function standing(state: State): Html {
  return html`${phaseBadge(state.standing.phase)} <span>${decisionCheck(state, '').title}</span>`;
}

function sureness({ shown }: State): Html | false {
  return shown !== null && bandBadge(shown.confidence.score, shown.confidence.band);
}

function saySection({ run, typed }: RunPage): Html {
  const { place, state } = run;
  const possible = 'had' in state ? possibleIn(state.had) : (['run', ...queryCommands] as const);
  return section(
    'say',
    'What can be said now',
    'had' in state ? actions(place, state.had, typed) : html`<p class="missing">${state.missing}</p>`,
    composer({ place, possible, typed }),
  );
}

interface PhaseEvent {
  readonly name: string;
  readonly value: Html;
}

function factsSection({ pull, state }: RunReading): Html {
  const facts: readonly PhaseEvent[] = [
    { name: 'Branch', value: html`<code>${pull.branch}</code> into <code>${pull.base}</code>` },
    { name: 'Head', value: sha(pull.head_sha) },
    ...('had' in state ? stateFacts(state.had) : []),
    { name: 'Pull request', value: external(pull.url, 'on GitHub') },
  ];
  const rows = facts.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return section('facts', 'Facts', html`<dl class="pairs">${rows}</dl>`);
}

function stateFacts(state: State): readonly PhaseEvent[] {
  const { required } = state.settings.approval;
  const deadline = 'deadline' in state.standing ? state.standing.deadline : null;
  return [
    { name: 'Iteration', value: html`${state.iteration} of ${state.max_iterations}` },
    { name: 'Attempt', value: html`${state.attempts_used} of ${state.settings.attempts.max}` },
    { name: 'Approvals', value: html`${state.approvals.length} of ${required}` },
    ...(deadline === null ? [] : [{ name: 'Waits until', value: time(deadline) }]),
    { name: 'Asked for by', value: html`${state.requested_by.login}` },
    { name: 'Started', value: time(state.started_at) },
    { name: 'Last event', value: time(state.updated_at) },
  ];
}

function checksSection({ checks }: RunReading): Html {
  return section(
    'checks',
    'Check runs',
    whenHad(checks, (runs) =>
      runs.length === 0
        ? html`<p class="quiet">There is no check run for this head.</p>`
        : html`<ul class="plain">${runs.map(checkRow)}</ul>`,
    ),
  );
}

function checkRow({ id, name, title, status, conclusion, url }: CheckReading): Html {
  const verdict = conclusion ?? status;
  const tone = verdict === 'success' ? 'good' : verdict === 'failure' ? 'broken' : 'moves';
  return html`<li id="check-${id}">${badge(verdict.replaceAll('_', ' '), tone)} ${external(url, name)}
<span class="quiet">${title}</span></li>`;
}

function evidenceSections({ state, outputs, pull }: RunReading): Html {
  const web = pull.url.replace(/\/pull\/\d+$/, '');
  const shown = 'had' in state ? state.had.shown : null;
  const notYet = html`<p class="missing">Unavailable: this head has not been verified yet.</p>`;
  return html`${'had' in state && [standingSection(state.had), reportSection(state.had)]}
${section('verifiers', 'Verifiers', shown === null && earlierNote(outputs), whenHad(outputs, verifiers))}
${section(
  'confidence',
  'Confidence',
  whenHad(state, () => (shown === null ? notYet : confidence(shown))),
)}
${section(
  'gates',
  'Gates',
  whenHad(state, () => (shown === null ? notYet : gates(shown.gates))),
)}
${section(
  'iterations',
  'Iterations',
  whenHad(state, (known) => iterations(known, web)),
)}`;
}

function earlierNote(outputs: RunReading['outputs']): Html | false {
  return (
    'had' in outputs && html`<p class="quiet">Of an earlier head: this one has not been verified yet.</p>`
  );
}

function reportSection({ report }: State): Html | false {
  if (report === null || report.summary.trim() === '') return false;
  return section(
    'report',
    'In the agent’s own words',
    html`<div class="prose">${markdown(report.summary)}</div>`,
  );
}

function changesSection({ run, side_by_side, full }: RunPage): Html {
  const choice = { side_by_side, full, path: pathOf(run.place), web: run.pull.url };
  return section(
    'changes',
    'Changes',
    whenHad(run.diff, (diff) => changes(diff, choice)),
  );
}

function threadSections({ pull, conversation: said, events }: RunReading): Html {
  return html`${section(
    'conversation',
    'Conversation',
    whenHad(said, (words) => conversation(pull, words)),
  )}
${section('history', 'History', whenHad(events, history))}`;
}

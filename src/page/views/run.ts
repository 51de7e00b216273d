import { withoutSandbox } from '../../github/words/index.ts';
import { groundOf } from '../../steering/approval/policy-finish.ts';
import type { Restoration } from '../../steering/beginning/restoration.ts';
import { queryCommands } from '../../steering/row.ts';
import { spentBefore } from '../../steering/spending/spending.ts';
import type { State } from '../../steering/state.ts';
import { costText } from '../../text/amounts.ts';
import type { FormInput } from '../form-input.ts';
import { type Html, html } from '../html.ts';
import type { CheckRun, RunModel } from '../load/run.ts';
import { offersOf, type Speaker } from '../offers.ts';
import { pathOf } from '../routes.ts';
import { atWork, type News } from './at-work.ts';
import { changes } from './changes.ts';
import { commandButtons } from './command-buttons.ts';
import { commentForm } from './comment-form.ts';
import { badge, externalLink, section, shaCode, time, whenLoaded } from './components.ts';
import { conversation } from './conversation.ts';
import { evidenceSections } from './evidence-sections.ts';
import { history } from './history.ts';
import { offerNotes } from './offer-notes.ts';
import { phaseDetails } from './phase-details.ts';
import { policy } from './policy.ts';
import { recordSection } from './record.ts';
import { pageHeader } from './run-header.ts';
import { wayOn } from './way-on.ts';

export interface RunViewOptions {
  readonly run: RunModel;
  readonly speaker: Speaker;
  readonly side_by_side: boolean;
  readonly full: boolean;
  readonly input: FormInput | null;
  readonly news: News;
}

/** A run: its phase, the commands available now, and all the evidence. */
export function runView(options: RunViewOptions): Html {
  const { run, news } = options;
  const { state } = run;
  // What people are asked comes first.
  const now = 'value' in state && [
    phaseDetails(state.value),
    atWork(run.route, state.value, news),
    state.value.unsandboxed && html`<p class="missing" id="no-sandbox">No sandbox: ${withoutSandbox}</p>`,
  ];
  const record = recordSection(run.record);
  // It is the end of the story; until then the evidence matters more.
  const [first, last] = run.pull.open ? [null, record] : [record, null];
  return html`${pageHeader(run)}
<div class="columns">
<div class="sidebar">${commandSection(options)}${policySection(run)}${factsSection(run)}${checksSection(run)}</div>
<div class="content">${now}${first}${evidenceSections(run)}${last}${changesSection(options)}${logSections(run)}</div>
</div>`;
}

function commandSection({ run, speaker, input }: RunViewOptions): Html {
  const { route, state, pull } = run;
  if ('missing' in state) {
    const none = { offered: ['run', ...queryCommands], onGitHub: [] } as const;
    const missing = html`<p class="missing">${state.missing}</p>`;
    return section(
      'commands',
      'Commands',
      missing,
      commentForm({ route, offers: none, approval: null, input }),
    );
  }
  const offers = offersOf(state.value, speaker);
  return section(
    'commands',
    'Commands',
    wayOn(state.value, pull),
    offerNotes({ offers, speaker, url: pull.url }),
    commandButtons({ route, state: state.value, offers, input, posting: speaker.posting }),
    commentForm({ route, offers, approval: state.value.settings.approval, input }),
  );
}

/** Who and what the next step waits for. */
function policySection({ state }: RunModel): Html | false {
  return 'value' in state && section('policy', 'What is missing', policy(state.value));
}

interface Fact {
  readonly name: string;
  readonly value: Html;
}

function factsSection({ pull, state }: RunModel): Html {
  const facts: readonly Fact[] = [
    { name: 'Branch', value: html`<code>${pull.branch}</code> into <code>${pull.base}</code>` },
    { name: 'Head', value: shaCode(pull.head_sha) },
    ...('value' in state ? stateFacts(state.value) : []),
    { name: 'Pull request', value: externalLink(pull.url, 'on GitHub') },
  ];
  const rows = facts.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return section('facts', 'Facts', html`<dl class="pairs">${rows}</dl>`);
}

function stateFacts(state: State): readonly Fact[] {
  const { restored } = state;
  const cost = costText(spentBefore(state));
  const deadline = 'deadline' in state.standing ? state.standing.deadline : null;
  return [
    { name: 'Iteration', value: html`${state.iteration} of ${state.max_iterations}` },
    { name: 'Attempt', value: html`${state.attempts_used} of ${state.settings.attempts.max}` },
    ...(cost === '' ? [] : [{ name: 'Cost', value: html`${cost}` }]),
    { name: 'Approvals', value: approvalsText(state) },
    { name: 'Check', value: checkText(state) },
    ...(deadline === null ? [] : [{ name: 'Waiting until', value: time(deadline) }]),
    { name: 'Requested by', value: html`${state.requested_by.login}` },
    ...(restored === undefined ? [] : [{ name: 'Begun anew', value: restoredText(restored) }]),
    { name: 'Started', value: time(state.started_at) },
    { name: 'Last event', value: time(state.updated_at) },
  ];
}

function approvalsText(state: State): Html {
  if (groundOf(state) !== undefined) return html`by policy`;
  return html`${state.approvals.length} of ${state.settings.approval.required}`;
}

function restoredText({ at, by }: Restoration): Html {
  return html`${time(at)} by ${by}, because its ledger was lost`;
}

function checkText({ settings: { check, shared_by } }: State): Html {
  const shared =
    shared_by !== undefined && html`, shared by the branches <code>${shared_by.join(', ')}</code>`;
  return html`<code>${check}</code>${shared}`;
}

function checksSection({ checks, pull }: RunModel): Html {
  return section(
    'checks',
    'Check runs',
    html`<p class="muted">As GitHub shows them for ${shaCode(pull.head_sha)}.</p>`,
    whenLoaded(checks, (runs) =>
      runs.length === 0
        ? html`<p class="muted">There are none.</p>`
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

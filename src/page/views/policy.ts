import { type Html, html } from '../../html/html.ts';
import { countdown, time } from '../../html/time.ts';
import { needsOf } from '../../steering/approval/approval-needs.ts';
import { groundOf } from '../../steering/approval/policy-finish.ts';
import { approvalRequestOf } from '../../steering/interactions/approval-request.ts';
import type { OnTimeout } from '../../steering/settings.ts';
import type { State } from '../../steering/state.ts';
import { visible } from '../../text/visible.ts';
import {
  groundText,
  literal,
  mergeText,
  missingParts,
  modeText,
  needLine,
  peopleReasons,
  ruleText,
} from '../../words/index.ts';
import { badge } from './components.ts';

/** What the next step still needs, who may give it, and what the configuration does without people. */
export function policy(state: State): Html {
  // Without a merge, nobody will ever give what was needed.
  if (missingParts(state, literal).length === 0 && state.standing.phase !== 'done') return missingNote(state);
  const ofMode = [modeRow(state), groundRow(state), silenceRow(state), reasonRow(state)];
  const rows = [askedRow(state), ...ofMode, ...byPolicy(state), ...needRows(state)];
  return html`${missingNote(state)}${mergeNote(state)}<dl class="pairs policy">${rows}</dl>${problems(state)}`;
}

/** As in the reply to `/why`. */
function missingNote(state: State): Html {
  const parts = missingParts(state, literal);
  if (parts.length === 0) return html`<p>Nothing is missing: the run has ended.</p>`;
  return html`<p>Missing for the next step:</p><ul>${parts.map((part) => html`<li>${part}</li>`)}</ul>`;
}

/** Whoever approves learns before it what that sets off; afterwards the page says what has become of it. */
function mergeNote(state: State): Html | false {
  const text = state.standing.phase === 'awaiting_approval' ? mergeText(state, literal) : '';
  return text !== '' && html`<p>${text}</p>`;
}

function row(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** What people are asked to agree to, as programs find it in the state; cut where a command is very long. */
function askedRow(state: State): Html | false {
  const request = state.standing.phase === 'timed_out' ? null : approvalRequestOf(state);
  if (request === null) return false;
  const { proposed_action, risk_level, created_at } = request;
  const what = html`<span class="preserve-lines">${visible(proposed_action)}</span>`;
  return row('If people agree', html`${what}, asked ${time(created_at)}, at ${risk_level} risk`);
}

function modeRow({ settings: { approval } }: State): Html {
  return row('Mode', html`<code>${approval.mode}</code>: ${modeText(approval)}`);
}

function groundRow(state: State): Html | false {
  const text = groundText(state);
  return text !== '' && row('History', html`${text}`);
}

/** The time is in the page; its script counts it down. */
function silenceRow({ standing }: State): Html | false {
  if (standing.phase !== 'awaiting_approval' || standing.proceeds === undefined) return false;
  const { at, on_timeout } = standing.proceeds;
  return row(
    silenceTexts[on_timeout],
    html`${badge('timed', 'info')} ${countdown(at)}, unless somebody says something`,
  );
}

const silenceTexts: { readonly [T in OnTimeout]: string } = {
  proceed: 'Goes on by itself',
  hold: 'Left to people',
  deny: 'Is rejected',
};

function reasonRow(state: State): Html | false {
  const { standing, settings } = state;
  if (standing.phase !== 'awaiting_approval' || settings.approval.mode === 'manual') return false;
  const reasons = standing.proceeds === undefined ? peopleReasons(state) : [];
  return reasons.length > 0 && row('Why people decide', html`${visible(reasons.join('; '))}`);
}

/** What stands for the approvals of people. */
function byPolicy(state: State): readonly Html[] {
  const ground = groundOf(state);
  if (ground === undefined) return [];
  return [row('Approval', html`${badge('by policy', 'success')} ${ruleText(state, ground, literal)}`)];
}

/** Where a policy approved, no approval is missing. */
function needRows(state: State): readonly Html[] {
  if (groundOf(state) !== undefined) return [];
  return needsOf(state).map((need) => {
    const isMet = need.missing === 0;
    const mark = badge(isMet ? 'given' : 'missing', isMet ? 'success' : 'neutral');
    return row('Approval', html`${mark} ${needLine(need, literal)}`);
  });
}

function problems({ shown }: State): Html | false {
  const known = shown?.authority?.problems ?? [];
  if (known.length === 0) return false;
  return html`<p>Of CODEOWNERS could not be used:</p><ul>${known.map((each) => html`<li>${visible(each)}</li>`)}</ul>`;
}

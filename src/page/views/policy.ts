import { type Html, html } from '../../html/html.ts';
import { countdown, time } from '../../html/time.ts';
import { approvalRequestOf } from '../../steering/interactions/approval-request.ts';
import type { State } from '../../steering/state/state.ts';
import { visible } from '../../text/visible.ts';
import { markdown, mergeText, missingParts, missingText, paragraphs, under } from '../../words/index.ts';
import { badge, prose } from './components.ts';

/** What the next step still needs, as in the reply to `/why`, and what people are asked to agree to. */
export function missingView(state: State): Html | false {
  const parts = missingParts(state, markdown);
  if (parts.length === 0) return prose(missingText(state));
  const lines = parts.map((part) => `- ${part}`);
  // Whoever approves learns before it what that sets off.
  const merge = state.standing.phase === 'awaiting_approval' && mergeText(state);
  const text = paragraphs([under('Missing for the next step:', lines), merge]);
  return html`${prose(text)}${silence(state)}${request(state)}`;
}

/** The time is in the page; its script counts it down. */
function silence({ standing }: State): Html | false {
  if (standing.phase !== 'awaiting_approval' || standing.proceeds === undefined) return false;
  return html`<p>${badge('timed', 'info')} ${countdown(standing.proceeds.at)}, unless someone responds</p>`;
}

/** As programs find it in the state; cut where a command is very long. */
function request(state: State): Html | false {
  const asked = state.standing.phase === 'timed_out' ? null : approvalRequestOf(state);
  if (asked === null) return false;
  const { proposed_action, risk_level, created_at } = asked;
  return html`<p>Proposed: <span class="preserve-lines">${visible(proposed_action)}</span>, asked
${time(created_at)}, at ${risk_level} risk.</p>`;
}

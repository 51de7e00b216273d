import { fileLink, shownHit } from '../../github/words/index.ts';
import type { GateHit } from '../../steering/attempt-result.ts';
import { riskOf, type Severity, severities } from '../../steering/gate-rules.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { visible } from '../../text/visible.ts';
import { type Html, html } from '../html.ts';
import { badge, externalLink, type Tone } from './components.ts';

/** The run and the repository's address. */
interface Place {
  readonly state: State;
  readonly web: string;
}

const tones: { readonly [S in Severity]: Tone } = {
  low: 'neutral',
  medium: 'warning',
  high: 'danger',
  critical: 'danger',
};

/** The risk of a commit, as its gates say; the confidence has no part in it. */
export function riskBadge({ gates }: Pick<Evaluation, 'gates'>): Html {
  const risk = riskOf(gates);
  return badge(`risk: ${risk}`, tones[risk]);
}

/** What makes a run wait for a human, worst first, and which rules are switched off. */
export function gates(shown: Evaluation, place: Place): Html {
  const groups = severities.toReversed().map((severity) => groupOf(severity, shown, place));
  return html`<p>${riskBadge(shown)} <span class="muted">${
    shown.gates.length === 0 ? 'No gate was triggered.' : 'These ask for a person, whatever the confidence.'
  }</span></p>
${groups}${switchedOff(shown)}`;
}

function groupOf(severity: Severity, shown: Evaluation, place: Place): Html | false {
  const hits = shown.gates.filter((hit) => hit.severity === severity);
  if (hits.length === 0) return false;
  return html`<ul class="gates" aria-label="${severity}">${hits.map((hit) => gate(hit, shown, place))}</ul>`;
}

function gate(hit: GateHit, shown: Evaluation, place: Place): Html {
  const { rule, severity, allows } = hit;
  const { joint = ' ', text } = shownHit(hit);
  const means =
    allows !== undefined && html`<br><span class="muted">Approving it means: ${visible(allows)}.</span>`;
  return html`<li>${badge(severity, tones[severity])} <b>${rule}</b> ${spot(hit, shown, place)}${joint}
<span>${visible(text)}</span>${means}</li>`;
}

/** A link to the line on GitHub, among the changes where it is one of them. */
function spot(hit: GateHit, { changes, head_sha }: Evaluation, { state, web }: Place): Html | false {
  const { path, line } = hit;
  const { place } = shownHit(hit);
  if (path === undefined || place === undefined) return false;
  const isInDiff = changes.files.some((file) => file.path === path);
  const address = fileLink(web, state, { path, line, head: head_sha, isInDiff });
  return externalLink(address, html`<code>${visible(place)}</code>`);
}

function switchedOff({ gates_off = [] }: Evaluation): Html | false {
  if (gates_off.length === 0) return false;
  const rows = gates_off.map(
    ({ rule, reason }) => html`<li><b>${rule}</b> <span class="muted">${visible(reason)}</span></li>`,
  );
  return html`<p>Switched off by the configuration:</p><ul class="gates">${rows}</ul>`;
}

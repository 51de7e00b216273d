import { elementId, type Html, html, type Value } from '../../html/html.ts';
import type { GateHit, VerifierOutput } from '../../steering/attempt-result.ts';
import { type Component, isEvidence } from '../../steering/confidence/score.ts';
import type { Event, EventOf } from '../../steering/event.ts';
import { riskOf, type Severity, severities } from '../../steering/gate-rules.ts';
import { iterationShown } from '../../steering/iterations.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import type { Concern, Evaluation, State } from '../../steering/state.ts';
import { supersededBy } from '../../steering/superseded.ts';
import { durationText } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';
import {
  capText,
  endText,
  evidenceText,
  fileLink,
  gateName,
  literal,
  nowText,
  type ProofLine,
  placeOf,
  proofLines,
  shownHit,
  valueText,
  worstFirst,
} from '../../words/index.ts';
import type { Tone } from '../../words/phases/row.ts';
import type { Loaded } from '../load/loaded.ts';
import {
  badge,
  bandBadge,
  details,
  externalLink,
  meter,
  riskBadge,
  riskTones,
  shaCode,
  table,
} from './components.ts';
import { graveIn } from './review.ts';

/** The verifier results of a commit; only exit codes count. `before` are those that were red without it. */
export function verifiers(outputs: readonly VerifierOutput[], before: readonly string[] = []): Html {
  if (outputs.length === 0)
    return html`<p class="muted">No verifier is configured, so nothing confirms these changes.</p>`;
  return html`<ul class="verifiers">${outputs.map((output) => verifier(output, before))}</ul>`;
}

function verifier(output: VerifierOutput, before: readonly string[]): Html {
  const { name, success, timed_out, duration_s, required, check } = output;
  const verdict = success ? 'pass' : timed_out ? 'timed out' : 'fail';
  const facts = [
    ...[endText(output), durationText(duration_s)],
    ...(required ? [] : ['not required']),
    ...(!success && before.includes(name) ? ['red before this change'] : []),
  ];
  const summary = html`<b class="verdict tone-${success ? 'success' : 'danger'}">${verdict}</b> ${name}
<span class="muted">${facts.join(' · ')}</span>`;
  // A browser keeps open what was open under its name: what failed before must not unfold what passes.
  const id = elementId(`output-of-${name}-${verdict}`);
  const url = check?.url;
  const link = url !== undefined && html`<p>${externalLink(url, 'The check on GitHub')}</p>`;
  const shown = details({ id, summary, open: !success }, html`${link}${streams(output)}`);
  return html`<li id="${elementId(`verifier-${name}`)}">${shown}</li>`;
}

function streams({ stdout, stderr, truncated }: VerifierOutput): Html {
  const nonempty = [
    { name: 'stdout', text: stdout },
    { name: 'stderr', text: stderr },
  ].filter(({ text }) => text.trim() !== '');
  if (nonempty.length === 0) return html`<p class="muted">No output.</p>`;
  return html`${truncated && html`<p class="muted">Only the end is shown; the ledger has more.</p>`}
${nonempty.map(({ name, text }) => html`<h3>${name}</h3><pre tabindex="0">${visible(text)}</pre>`)}`;
}

/** Explains the confidence: every component with its evidence, and what follows from it now, if anything. */
export function confidence(shown: Evaluation, decision: string, grave: number): Html {
  const { score, band, components, caps, formula, unverified } = shown.confidence;
  const rows = components.map(componentRow);
  return html`<p class="score">${bandBadge(score, band, { risk: riskOf(shown.gates), grave })} ${meter(score, 'Confidence')}
<span class="muted">${decision}</span></p>
${unverified && html`<p>${badge('unverified', 'warning')} No verifier ran, so nothing proceeds automatically.</p>`}
${table('Components of the confidence', ['component', 'value', 'weight', 'evidence'], rows)}
${caps.length > 0 && html`<ul>${caps.map((cap) => html`<li>${capText(cap)}</li>`)}</ul>`}
<p class="muted">For ${shaCode(shown.head_sha)}: the weighted mean, then the caps,
by formula <code>${formula}</code>.</p>`;
}

/** A bar would make what is only assumed look like what was seen. */
function componentRow(component: Component): Html {
  const { name, value, weight } = component;
  return html`<tr id="component-${name}"><th scope="row">${name.replaceAll('_', ' ')}</th>
<td class="value">${isEvidence(component) && meter(value, name)} ${valueText(component)}</td><td>${weight}</td>
<td class="evidence">${evidenceText(component)}</td></tr>`;
}

const tones: { readonly [S in ProofLine['speaks']]: Tone } = {
  for: 'success',
  against: 'danger',
  neither: 'neutral',
};

/** What came of running the tests against the base; undefined if that was neither done nor left out. */
export function proof(shown: Evaluation): Html | undefined {
  const lines = proofLines(shown, literal);
  if (lines.length === 0) return undefined;
  const rows = lines.map(
    ({ what, outcome, speaks }) =>
      html`<div><dt>${what}</dt><dd><span class="verdict tone-${tones[speaks]}">${words[speaks]}</span> ${outcome}</dd></div>`,
  );
  return html`<p class="muted">Evidence for people, and for the gate on weakened tests.</p>
<dl class="pairs proof">${rows}</dl>`;
}

const words: { readonly [S in ProofLine['speaks']]: string } = {
  for: 'good',
  against: 'look',
  neither: 'fact',
};

/** The run and the repository's address. */
interface Place {
  readonly state: State;
  readonly web: string;
}

/** What somebody approves in spite of, if they do; all of it is among the evidence. */
export function approvalNotice(state: State): Html | false {
  const gates = worstFirst(state.shown?.gates ?? []).map(noticedGate);
  const concerns = graveIn(state).map(noticedConcern);
  if (gates.length + concerns.length === 0) return false;
  const links = [
    gates.length > 0 && html`<a href="#gates">All of the risk</a>`,
    concerns.length > 0 && html` <a href="#review">The second opinion</a>`,
  ];
  return html`<div class="notice" id="approved-risk"><p>Before you approve, look at what was found:</p>
<ul>${firstOf(concerns)}${firstOf(gates)}</ul><p>${links}</p></div>`;
}

function noticedGate(hit: GateHit): Html {
  const name = gateName(hit);
  const what = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return html`<li><b>${what}</b> (${hit.severity}): ${visible(shownHit(hit).text)}</li>`;
}

function noticedConcern(concern: Concern): Html {
  const { id, severity, text } = concern;
  return html`<li><b>Concern ${id}</b> (${severity}) in <code>${visible(placeOf(concern))}</code>: ${visible(text)}</li>`;
}

function firstOf(lines: readonly Html[]): Html {
  const more = lines.length - noticed;
  return html`${lines.slice(0, noticed)}${more > 0 && html`<li>and ${more} more</li>`}`;
}

const noticed = 5;

/** What makes a run wait for a human, worst first, and which rules are switched off. */
export function gates(shown: Evaluation, place: Place): Html {
  const groups = severities.toReversed().map((severity) => groupOf(severity, shown, place));
  return html`<p>${riskBadge(riskOf(shown.gates))} <span class="muted">${
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
  return html`<li>${badge(severity, riskTones[severity])} <b>${rule}</b> ${spot(hit, shown, place)}${joint}
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

/** The commit that evidence on the page is of, where the run is about something else by now. */
export interface Superseded {
  readonly head: string;
  readonly iteration: number;
  /** What the run is about instead, as the end of a sentence. */
  readonly now: string;
}

/** For the evaluation of the head; undefined while it is what the run is about, and where there is none. */
export function supersededEvidence(state: State): Superseded | undefined {
  const by = supersededBy(state);
  if (by === undefined || state.shown === null) return undefined;
  return ofHead(state, nowText(by, state, iterationShown(state)));
}

/** For what the agent said of the head: verifying it again does not change that. */
export function supersededReport(state: State): Superseded | undefined {
  const by = supersededBy(state);
  if (by === undefined || by === 'verification') return undefined;
  return ofHead(state, nowText(by, state, iterationShown(state)));
}

/** For the verifiers of a commit that is no longer the head; undefined if the history does not say which. */
export function earlierVerification(state: State, events: Loaded<readonly Event[]>): Superseded | undefined {
  const last = 'value' in events ? events.value.findLast(isVerified) : undefined;
  if (last === undefined) return undefined;
  return { head: last.head, iteration: last.hold.iteration, now: headText(state, last.head) };
}

function isVerified(event: Event): event is EventOf<'verified'> {
  return event.type === 'verified';
}

/** What was verified for one base has to be verified again for another. */
function headText({ head, standing }: State, verified: string): string {
  const isAtWork = standing.phase === 'verifying';
  if (verified === head) return isAtWork ? 'it is being verified again' : 'it has not been verified again';
  return `the head, ${shortSha(head)}, ${isAtWork ? 'is being verified' : 'has not been verified'}`;
}

function ofHead(state: State, now: string): Superseded {
  return { head: state.head, iteration: iterationShown(state), now };
}

/** Content that steps back behind what the run is about: folded away, below what it is of. */
export function steppedBack(id: string, superseded: Superseded | undefined, content: Value): Html {
  if (superseded === undefined) return html`${content}`;
  const { head, iteration, now } = superseded;
  return html`<p class="superseded">Of iteration ${iteration}, commit ${shaCode(head)}; ${now}.</p>
${details({ id: `superseded-${id}`, summary: 'Show it' }, content)}`;
}

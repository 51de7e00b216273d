import { elementId, type Html, html } from '../../html/html.ts';
import { graveConcerns, reviewOf } from '../../steering/confidence/evaluation.ts';
import { iterationShown } from '../../steering/iterations/iteration.ts';
import { isInProgress, supersededBy } from '../../steering/phases/table.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { riskOf } from '../../steering/shapes/gate-rules.ts';
import type { Concern, Evaluation, State } from '../../steering/state/state.ts';
import { durationText } from '../../text/amounts.ts';
import { visible } from '../../text/characters.ts';
import { outputOfText } from '../../words/diff-and-logs.ts';
import {
  agentsWord,
  breakdown,
  commit,
  decisionText,
  endText,
  failedRunsText,
  failuresText,
  gatesText,
  namesRedBefore,
  paragraphs,
  reviewText,
  runsText,
  said,
  spiteText,
  supersededText,
  testsText,
} from '../../words/index.ts';
import type { RunModel } from '../load/load-run.ts';
import {
  badge,
  details,
  externalLink,
  prose,
  section,
  shaCode,
  trustBadges,
  whenLoaded,
} from './components.ts';

/**
 * What is known of the newest commit. What is of an earlier one than the run is about steps back together,
 * with the commit that it is of. The report of the head stays what it is while the head is verified again.
 */
export function evidence(run: RunModel, web: string): Html {
  const parts = partsOf(run, web).filter(({ content }) => content !== false);
  const state = 'value' in run.state ? run.state.value : undefined;
  const by = state && supersededBy(state);
  if (state === undefined || by === undefined || state.shown === null) return html`${parts.map(card)}`;
  const current = parts.filter(({ id }) => id === 'report' && by === 'verification');
  const earlier = parts.filter((part) => !current.includes(part)).map(partOfCard);
  return html`${current.map(card)}
${section('earlier', `Result of iteration ${iterationShown(state)}`, steppedBack('evidence', supersededText(state), html`${earlier}`))}`;
}

/** One kind of evidence; `false` where there is none of it. */
interface Part {
  readonly id: string;
  readonly title: string;
  readonly content: Html | false;
}

function card({ id, title, content }: Part): Html {
  return section(id, title, content);
}

function partOfCard({ id, title, content }: Part): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title">${title}</h3>
${content}
</section>`;
}

function partsOf(run: RunModel, web: string): readonly Part[] {
  const { state } = run;
  const ofHead = (render: (shown: Evaluation, known: State) => Html | false) =>
    whenLoaded(state, (known) => (known.shown === null ? noneYet(known) : render(known.shown, known)));
  const opinion = 'value' in state && state.value.shown !== null ? reviewText(state.value, 'page') : '';
  return [
    { id: 'report', title: 'Agent report', content: report(run) },
    { id: 'verifiers', title: 'Verifiers', content: verifiersOfHead(run, web) },
    { id: 'confidence', title: 'Confidence', content: ofHead(confidence) },
    {
      id: 'gates',
      title: 'Risk',
      content: ofHead((shown, known) => prose(gatesText(shown, { state: known, web, on: 'page' }))),
    },
    { id: 'review', title: 'Second opinion', content: prose(opinion) },
  ];
}

function noneYet({ standing, head }: State): Html {
  const yet = isInProgress(standing.phase) && ', yet';
  return html`<p class="missing">Not assessed for ${shaCode(head)}, the head${yet}.</p>`;
}

function report({ state }: RunModel): Html | false {
  const summary = 'value' in state ? (state.value.report?.summary ?? '') : '';
  return summary.trim() !== '' && html`<p>${badge(agentsWord)}</p>${prose(summary)}`;
}

function confidence(shown: Evaluation, state: State): Html {
  return html`<p>${trustOf(shown, state)}</p>${prose(paragraphs([decisionText(state), breakdown(state, shown)]))}`;
}

/** The score, with the risk and the grave concerns, of which it says nothing. */
export function trustOf({ confidence: { score, band }, gates }: Evaluation, state: State): Html {
  return trustBadges(score, band, { risk: riskOf(gates), grave: graveIn(state).length });
}

/** What the second opinion on the head finds grave, and nobody has settled. */
export function graveIn(state: State): readonly Concern[] {
  return graveConcerns(reviewOf(state, state.head));
}

/** What somebody approves in spite of, if they do; all of it is among the evidence. */
export function approvalNotice(state: State): Html | false {
  const text = spiteText(state);
  if (text === '') return false;
  const opinion = graveIn(state).length > 0 && html` <a href="#review">The second opinion</a>`;
  return html`<div class="notice" id="approved-risk">${prose(text)}
<p><a href="#gates">All of the risk</a>${opinion}</p></div>`;
}

/** If the head has not been verified, the verifiers of an earlier commit, or of an earlier time. */
function verifiersOfHead({ state, outputs }: RunModel, web: string): Html {
  return whenLoaded(outputs, ({ head, verifiers: all }) => {
    const known = 'value' in state ? state.value : undefined;
    const at = { web, head };
    if (known === undefined || known.shown !== null)
      return verifiers(all, { at, before: known?.shown ? namesRedBefore(known.shown) : [] });
    const of = outputOfText(known, head) || `This is of an earlier verification of ${commit(head)}.`;
    return steppedBack('verifiers', of, verifiers(all, { at }));
  });
}

/** Says of which commit verifiers are shown. */
interface Verified {
  /** The repository's address, and the commit; places in files are no links without them. */
  readonly at?: { readonly web: string; readonly head: string } | undefined;
  /** The verifiers that were red without it. */
  readonly before?: readonly string[];
}

/** The verifier results of a commit; only exit codes count. */
export function verifiers(outputs: readonly VerifierOutput[], verified: Verified): Html {
  if (outputs.length === 0)
    return html`<p class="muted">No verifier is configured, so nothing confirms these changes.</p>`;
  return html`<ul class="verifiers">${outputs.map((output) => verifier(output, verified))}</ul>`;
}

function verifier(output: VerifierOutput, { at, before = [] }: Verified): Html {
  const { name, success, timed_out, duration_s, required, check } = output;
  const verdict = success ? 'pass' : timed_out ? 'timed out' : 'fail';
  const facts = [
    endText(output),
    testsText(output),
    runsText(output),
    durationText(duration_s),
    !required && 'not required',
    !success && before.includes(name) && 'red before this change',
  ];
  const summary = html`<b class="verdict tone-${success ? 'success' : 'danger'}">${verdict}</b> ${name}
<span class="muted">${said(facts).join(' · ')}</span>`;
  // A browser keeps open what was open under its name: what failed before must not unfold what passes.
  const id = elementId(`output-of-${name}-${verdict}`);
  const url = check?.url;
  const link = url !== undefined && html`<p>${externalLink(url, 'The check on GitHub')}</p>`;
  const failed = prose(
    paragraphs([failuresText(output, { most: 100, room: 100_000, at }), failedRunsText(output)]),
  );
  const shown = details({ id, summary, open: !success }, html`${link}${failed}${streams(output)}`);
  return html`<li id="${elementId(`verifier-${name}`)}">${shown}</li>`;
}

function streams({ stdout, stderr, truncated }: VerifierOutput): Html {
  const nonempty = Object.entries({ stdout, stderr }).filter(([, text]) => text.trim() !== '');
  if (nonempty.length === 0) return html`<p class="muted">No output.</p>`;
  return html`${truncated && html`<p class="muted">Only the end is shown; the ledger has more.</p>`}
${nonempty.map(([name, text]) => html`<h3>${name}</h3><pre tabindex="0">${visible(text)}</pre>`)}`;
}

/** Content that steps back behind what the run is about: folded away, below what it is of. */
function steppedBack(id: string, of: string, content: Html): Html {
  if (of === '') return content;
  return html`<div class="superseded">${prose(of)}</div>${details({ id: `superseded-${id}`, summary: 'Show it' }, content)}`;
}

import { type Html, html } from '../../html/html.ts';
import { graveConcerns, reviewOf } from '../../steering/reviewing/review.ts';
import type { Concern, State } from '../../steering/state.ts';
import { visible } from '../../text/visible.ts';
import { literal, opinionLine, placeOf } from '../../words/index.ts';
import type { Tone } from '../../words/phases/row.ts';
import { badge } from './components.ts';

/** The second opinion on the head, with what became of each concern; undefined if nobody was asked. */
export function secondOpinion(state: State): Html | undefined {
  const review = reviewOf(state, state.head);
  if (review === undefined) return undefined;
  const concerns = review.concerns.map(concern);
  return html`<p>${opinionLine(review, literal)}</p>
${concerns.length > 0 && html`<ul class="gates">${concerns}</ul>`}
${review.omitted !== undefined && html`<p>It named ${review.omitted} more.</p>`}`;
}

/** What the second opinion on the head finds grave, and nobody has settled. */
export function graveIn(state: State): readonly Concern[] {
  return graveConcerns(reviewOf(state, state.head));
}

const tones: { readonly [S in Concern['severity']]: Tone } = {
  low: 'info',
  medium: 'warning',
  high: 'danger',
};

function concern(each: Concern): Html {
  const { id, severity, text, state, dismissed } = each;
  const why = dismissed && html` by ${dismissed.by}${dismissed.why !== '' && `: ${visible(dismissed.why)}`}`;
  return html`<li id="concern-${id}">${badge(id)} ${badge(severity, state === 'open' ? tones[severity] : 'neutral')}
${state !== 'open' && html`<b>${state}</b>${why} `}<code>${visible(placeOf(each))}</code> <span>${visible(text)}</span></li>`;
}

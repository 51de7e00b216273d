import { graveConcerns, openConcerns, reviewOf } from '../../steering/confidence/review.ts';
import { iterationsLeft } from '../../steering/iterations/iterations.ts';
import { possibleIn } from '../../steering/phases/table.ts';
import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import type { Concern, Review, State } from '../../steering/state/state.ts';
import { supersededBy } from '../../steering/superseded.ts';
import { gateLine, worstFirst } from './gates.ts';
import { scoreText } from './phrases.ts';
import {
  code,
  type Format,
  fenced,
  firstLines,
  literal,
  markdown,
  oneLine,
  type Part,
  paragraphs,
  plain,
  under,
} from './sanitize.ts';

/** What people read of a second opinion. */

const maxConcerns = { comment: 20, check: 20, page: 100 };

/**
 * The opinion on the head with what it is concerned about; empty if nobody was asked for one. Where people
 * write comments, it says what they can do about it; a page also tells of the concerns that are settled.
 */
export function reviewText(state: State, on: 'comment' | 'check' | 'page'): string {
  const review = reviewOf(state, state.head);
  if (review === undefined) return '';
  const open = openConcerns(review);
  const line = (concern: Concern) => concernLine(concern, on === 'page' ? 4000 : 300);
  return paragraphs([
    on !== 'page' && '**Second opinion**',
    opinionLine(review, markdown),
    firstLines(on === 'page' ? review.concerns : open, maxConcerns[on], line, review.omitted).join('\n'),
    ...(on === 'comment' ? settlingText(state, open) : []),
  ]);
}

/** What people can do about the concerns, if they can do it now. */
function settlingText(state: State, open: readonly Concern[]): readonly Part[] {
  const possible = possibleIn(state);
  const [worst] = open;
  if (worst === undefined || supersededBy(state) !== undefined) return [];
  return [
    possible.includes('steer') &&
      iterationsLeft(state) &&
      under('To have these addressed, copy this into a comment:', [fenced(steerFor(open))]),
    possible.includes('dismiss') &&
      `If a concern is mistaken, ${code(`/dismiss ${worst.id} <why>`)} settles it.`,
  ];
}

/** How sure the reviewer is, or that it gave no opinion. */
function opinionLine({ by, confidence, problem, concerns }: Review, { text }: Format): string {
  if (confidence === null)
    return `${text(by)} was asked but gave no usable opinion: ${text((problem ?? 'it said nothing').replace(/\.$/, ''))}.`;
  const open = concerns.filter(({ state }) => state === 'open').length;
  const what = open === 0 ? 'no open concerns' : open === 1 ? '1 open concern' : `${open} open concerns`;
  return `${text(by)} reviewed the change. Its confidence is ${scoreText(confidence)}, with ${what}.`;
}

/** The same for where nothing is formatted, one line each; none if nobody was asked for an opinion. */
export function reviewLines(state: State): readonly string[] {
  const review = reviewOf(state, state.head);
  if (review === undefined) return [];
  const line = ({ id, severity, text, ...place }: Concern) =>
    `  ${id} (${severity}): ${oneLine(`${placeOf(place)}: ${text}`, 300)}`;
  const lines = firstLines(openConcerns(review), maxConcerns.check, line, review.omitted);
  return [`Second opinion: ${oneLine(opinionLine(review, literal), 600)}`, ...lines];
}

/** What another agent and the gates find grave, for who is about to approve; empty if nothing is. */
export function spiteText(state: State): string {
  const grave = firstLines(graveConcerns(reviewOf(state, state.head)), maxNoticed, (each) =>
    concernLine(each, 300),
  );
  const line = (hit: GateHit) => gateLine(hit, 'Approving');
  const gates = firstLines(worstFirst(state.shown?.gates ?? []), maxNoticed, line);
  return under('Before you approve, look at these findings:', [...grave, ...gates]);
}

const maxNoticed = 5;

function concernLine(concern: Concern, max: number): string {
  const { id, severity, text } = concern;
  return `- **${id}** ${severity}${settledText(concern)}: ${code(placeOf(concern), 200)} ${plain(text, max)}`;
}

/** What became of a concern that is no longer open. */
function settledText({ state, dismissed }: Concern): string {
  if (state === 'open') return '';
  const why = dismissed?.why ? `: ${plain(dismissed.why, 1000)}` : '';
  return ` (${state}${dismissed === undefined ? '' : ` by ${plain(dismissed.by)}${why}`})`;
}

/** `src/a.js:3` */
export function placeOf({ file, line }: Pick<Concern, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`;
}

/**
 * A steer that has the agent deal with these concerns. What a reviewer wrote stands in a fence, each in one
 * line: whoever posts it says no other command with it, mentions nobody and links to nothing.
 */
export function steerFor(concerns: readonly Concern[]): string {
  const lines = concerns
    .slice(0, maxConcerns.comment)
    .map(({ text, ...place }) => `- ${oneLine(placeOf(place), 200)}: ${oneLine(text, 400)}`);
  return `/steer Deal with what the second opinion found:\n\n${fenced(lines.join('\n'), 'text')}`;
}

import { openConcerns, reviewOf } from '../../steering/reviewing/review.ts';
import type { Concern, Review, State } from '../../steering/state.ts';
import { scoreText } from './phrases.ts';
import { code, type Format, fenced, firstLines, markdown, paragraphs, plain, under } from './sanitize.ts';

/** What people read of a second opinion. */

const maxConcerns = 20;

/** The opinion on the head with what it is concerned about; empty if nobody was asked for one. */
export function reviewText(state: State): string {
  const review = reviewOf(state, state.head);
  if (review === undefined) return '';
  const open = openConcerns(review);
  return paragraphs([
    `**Second opinion**\n\n${opinionLine(review, markdown)}`,
    firstLines(open, maxConcerns, concernLine, review.omitted).join('\n'),
    open.length > 0 && under('To have these dealt with, copy this into a comment:', [fenced(steerFor(open))]),
  ]);
}

/** How sure the reviewer is, or that it gave no opinion. */
export function opinionLine({ by, confidence, problem, concerns }: Review, { text }: Format): string {
  if (confidence === null)
    return `${text(by)} was asked and gave no opinion that counts: ${text(problem ?? 'it said nothing')}.`;
  const open = concerns.filter(({ state }) => state === 'open').length;
  const what = open === 0 ? 'no open concern' : open === 1 ? '1 open concern' : `${open} open concerns`;
  return `${text(by)} has read the change and is sure of it by ${scoreText(confidence)}, with ${what}.`;
}

function concernLine({ id, severity, text, ...place }: Concern): string {
  return `- **${id}** ${severity}: ${code(placeOf(place))} ${plain(text, 500)}`;
}

/** `src/a.js:3` */
export function placeOf({ file, line }: Pick<Concern, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** A steer that has the agent deal with these concerns. */
export function steerFor(concerns: readonly Concern[]): string {
  const lines = concerns.slice(0, maxConcerns).map((each) => `- ${placeOf(each)}: ${oneLine(each.text)}`);
  return ['/steer Deal with what the second opinion found:', '', ...lines].join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

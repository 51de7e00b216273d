import { shortSha } from '../../steering/phrases/short-sha.ts';
import type { OnNoAnswer } from '../../steering/shapes/question.ts';
import type { State } from '../../steering/state/state.ts';
import { type Format, markdown } from './sanitize.ts';

/** What becomes of an agent that was stopped, and of what it had done until then. */

/** The work from which a stopped agent goes on; empty if no agent was stopped, or it had changed nothing. */
export function parkedText({ parked }: Pick<State, 'parked'>, { name, text }: Format = markdown): string {
  const work = parked?.work;
  if (work === undefined) return '';
  const done = 'What the agent has done so far is';
  if (work.kept !== null) return `${done} kept as ${name(shortSha(work.head))}, in ${name(work.kept)}.`;
  const why = work.refusal === undefined ? '' : `, because ${text(work.refusal.replace(/\.$/, ''))}`;
  return `${done} only on the machine where it ran${why}. On another machine it starts over.`;
}

/** The work that is due, after a stop of its agent. */
export const goesOn = 'continues where the agent was stopped';

/** What an agent does with the word of people, as the end of a sentence. */
export function goesOnWith(what: string): string {
  return `continues from there with your ${what}`;
}

/** What happens if nobody answers in time what is asked, as the end of a sentence. */
export function unansweredText(state: Pick<State, 'questions'>): string {
  return unanswered[outcomeOf(state)];
}

const unanswered: { readonly [O in OnNoAnswer]: string } = {
  block: 'the run times out, but an answer still lets it continue',
  default: 'the agent continues with what it would choose, which is recorded as "nobody answered"',
  fail: 'people have to decide how to continue',
};

/** The strictest of what is open decides; a default is taken only where each question has one. */
function outcomeOf({ questions = [] }: Pick<State, 'questions'>): OnNoAnswer {
  if (questions.some(({ on_timeout }) => on_timeout === 'fail')) return 'fail';
  const haveDefaults = questions.every(
    ({ on_timeout, asked }) => on_timeout === 'default' && asked.default !== undefined,
  );
  return haveDefaults ? 'default' : 'block';
}

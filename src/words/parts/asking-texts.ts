import { possibleIn } from '../../steering/phases/table.ts';
import { otherBase, shortSha, startedOver } from '../../steering/phrases/phrases.ts';
import type { OnNoAnswer } from '../../steering/shapes/question.ts';
import { shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { approvingText, remindedText } from './approval-texts.ts';
import { approveAgain, pullLink } from './common-phrases.ts';
import { askedPeople, requestedText } from './resolution-texts.ts';
import { code, type Format, lengthOf, markdown, maxBody, type Part, paragraphs } from './sanitize.ts';

/**
 * Says what changed while this was under review, so that whoever approves has to say which commit they mean.
 */
export function namedText(state: State): string {
  const { pushed_while_shown, base_left_while_shown, restored, run, head } = state;
  const how = `${approveAgain(state, head)}.`;
  if (base_left_while_shown) return `${otherBase(code(run.base))} before: ${how}`;
  if (!pushed_while_shown) return '';
  return `${restored ? `This ${startedOver}` : 'Someone pushed while this was under review'}: ${how}`;
}

export function closing(state: State, web: string): readonly Part[] {
  const checks = pullLink(web, state, 'checks');
  const [open] = state.questions ?? [];
  // An answer in words of one's own needs a comment.
  const hasButtons = shownPhase(state) !== 'awaiting_answer' || open?.asked.options !== undefined;
  const isClickable = state.run.presenter === 'app' && hasButtons;
  const only = possibleIn(state).includes('approve') ? approvingText(state) : '';
  const approved = only === '' ? '' : ` Approval takes ${only}: a comment does not count.`;
  const buttons = isClickable ? ` There are buttons on the [Checks tab](${checks}).` : '';
  const people = state.standing.phase === 'awaiting_resolution' ? askedPeople(state) : requestedText(state);
  return [remindedText(state), `${people}${approved}${buttons}`];
}

/** Evidence gives way to what people need to decide, where a comment has no room for both. */
export function fitting(
  state: State,
  web: string,
  evidence: readonly Part[],
  write: (evidence: readonly Part[]) => readonly Part[],
): string {
  const whole = paragraphs(write(evidence));
  if (lengthOf(whole) <= maxAsk) return whole;
  const rest = `The evidence is in [its checks](${pullLink(web, state, 'checks')}).`;
  return paragraphs(write([rest]));
}

/** There has to be room for how it was settled. */
const maxAsk = maxBody - 4000;

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

/** Says what an agent does with the word of people, as the end of a sentence. */
export function goesOnWith(what: string): string {
  return `continues from there with your ${what}`;
}

/** Says what happens if nobody answers in time what is asked, as the end of a sentence. */
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

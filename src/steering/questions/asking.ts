import { deadlineAfter, openingOf } from '../iterations/interactions.ts';
import { currentIteration } from '../iterations/iterations.ts';
import { holdsLease, type Next, next, nothing, type Step } from '../iterations/step.ts';
import { isSameQuestion, questionLimits, stricterOf, usualQuestions } from '../shapes/question.ts';
import {
  type AwaitingAnswer,
  type OpenQuestion,
  type SettledInteraction,
  steersOnTheirWay,
} from '../shapes/standing.ts';
import type { EventOf, Stamp } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

/** What an agent at work asks of people. */

/** Whether a run has room for one more question; whoever has asked too often goes on with an assumption. */
export function mayAskMore({ questions = [], interactions }: State): boolean {
  const asked = interactions.filter(({ kind }) => kind === 'question').length + questions.length;
  return questions.length < questionLimits.open && asked < questionLimits.ofRun;
}

/** The question is put before people, unless they have answered the same one in the same circumstances. */
export function ask(state: In<'working'>, event: EventOf<'question_asked'>): Step {
  const { hold, asked, at } = event;
  if (!holdsLease(state, hold) || state.standing.held !== undefined) return nothing;
  const { questions = [], settings, interactions } = state;
  const of = { iteration: hold.iteration, attempt: hold.attempt };
  const open = questions.find((each) => isSameQuestion(each.asked, asked));
  if (open !== undefined)
    return next(state, { questions: askedAgain(questions, open, { asked, of }) }, subjectOf(event));
  const { on_timeout } = settings.questions ?? usualQuestions;
  const interaction = { ...openingOf(state, 'question', at), of };
  const earlier = interactions.findLast(({ question, reply }) => isAnswered(question, reply, asked));
  // Without a limit an agent that asks the same as it ends would go on for ever, at no cost to the budget.
  if (!mayAskMore(state)) return nothing;
  if (earlier !== undefined && holdsStill(state, earlier)) {
    const repeated = { ...earlier, ...interaction, settled_at: at, question: asked };
    return next(state, { interactions: [...interactions, repeated] }, `Answer again as ${earlier.by} did`);
  }
  const question: OpenQuestion = {
    ...{ interaction, asked, on_timeout: stricterOf(on_timeout, asked.on_timeout) },
    ...(earlier?.how === 'answered' &&
      earlier.reply !== undefined && { suggestion: { answer: earlier.reply, by: earlier.by } }),
  };
  return next(state, { questions: [...questions, question] }, subjectOf(event));
}

/** Undefined if nothing is asked. */
export function awaitAnswers(state: State, { at }: Pick<Stamp, 'at'>): Next | undefined {
  const [first] = state.questions ?? [];
  if (first === undefined) return undefined;
  const standing: AwaitingAnswer = {
    phase: 'awaiting_answer',
    interaction: first.interaction,
    deadline: '',
  };
  const deadline = deadlineAfter(state, at, standing);
  return next(state, { standing: { ...standing, deadline } }, 'Wait for an answer to the agent');
}

/** The agent no longer waits for an answer. */
export function withdraw(state: In<'working'>, event: EventOf<'question_withdrawn'>): Step {
  const { questions = [], interactions } = state;
  const open = questions.find(({ asked }) => asked.id === event.question);
  if (!holdsLease(state, event.hold) || open === undefined) return nothing;
  const how = 'the agent withdrew it';
  const end = { settled_at: event.at, by: 'coxswain', how, question: open.asked };
  const changed = {
    questions: questions.filter((each) => each !== open),
    interactions: [...interactions, { ...open.interaction, ...end }],
  };
  return next(state, changed, `End a question: ${how}`);
}

function isAnswered(
  question: SettledInteraction['question'],
  reply: string | undefined,
  asked: OpenQuestion['asked'],
): boolean {
  return question !== undefined && reply !== undefined && isSameQuestion(question, asked);
}

/** An answer is one to the same question later only if nothing has been said since that may change it. */
function holdsStill(state: State, { of }: SettledInteraction): boolean {
  const wasTold = currentIteration(state).steers.some(({ told }) => told !== undefined);
  return of?.iteration === state.iteration && !wasTold && steersOnTheirWay(state).length === 0;
}

/** The attempt that lost its agent asks once more. */
function askedAgain(
  questions: readonly OpenQuestion[],
  open: OpenQuestion,
  { asked, of }: { readonly asked: OpenQuestion['asked']; readonly of: OpenQuestion['interaction']['of'] },
): readonly OpenQuestion[] {
  return questions.map((each) =>
    each === open ? { ...each, asked, interaction: { ...each.interaction, of } } : each,
  );
}

function subjectOf({ asked }: EventOf<'question_asked'>): string {
  return `Ask people: ${[...asked.question.replace(/\s+/g, ' ')].slice(0, 120).join('')}`;
}

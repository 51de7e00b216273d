import { withContributors } from '../iterations/authorship.ts';
import { deadlineAfter, heldWork, openingOf } from '../iterations/interactions.ts';
import { currentIteration } from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  holdsLease,
  type Next,
  next,
  nothing,
  type Refused,
  refuse,
  type Step,
} from '../iterations/step.ts';
import { because } from '../phrases/phrases.ts';
import { covers } from '../shapes/people.ts';
import {
  type AskedQuestion,
  isSameQuestion,
  questionLimits,
  stricterOf,
  usualQuestions,
} from '../shapes/question.ts';
import {
  type AttemptId,
  type AwaitingAnswer,
  type OpenQuestion,
  type SettledInteraction,
  steersOnTheirWay,
} from '../shapes/standing.ts';
import { readingTimeMs } from '../shapes/time.ts';
import type { Event, EventOf, Stamp } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';

/** Whether a run has room for one more question; whoever has asked too often goes on with an assumption. */
function mayAskMore({ questions = [], interactions }: State): boolean {
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
    return next(state, { questions: askedAgain(questions, open, asked, of) }, subjectOf(event));
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

/** The run waits until people have answered its agent; undefined if that asks nothing. */
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
export function endQuestion(state: In<'working'>, event: EventOf<'question_withdrawn'>): Step {
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

/** The questions, with this one asked once more by the attempt that goes on after one that lost its agent. */
function askedAgain(
  questions: readonly OpenQuestion[],
  open: OpenQuestion,
  asked: AskedQuestion,
  of: AttemptId,
): readonly OpenQuestion[] {
  return questions.map((each) =>
    each === open ? { ...each, asked, interaction: { ...each.interaction, of } } : each,
  );
}

function subjectOf({ asked }: EventOf<'question_asked'>): string {
  return `Ask people: ${[...asked.question.replace(/\s+/g, ' ')].slice(0, 120).join('')}`;
}

/** The first answer counts, and `goOn` says what follows. Whoever answers has shaped the work. */
export function answerThen(
  goOn: (state: State, event: CommandEventOf<'answer'>) => Next,
): (state: State, event: CommandEventOf<'answer'>) => Step {
  return (state, event) => {
    const answered = answer(state, event);
    if ('refused' in answered) return answered;
    return accepted({ ...goOn(answered.state, event), subject: answered.subject }, event);
  };
}

/** Records an answer and nothing else, such as for an agent that waits for it. */
export const answerOnly = answerThen((state) => next(state, {}, ''));

/**
 * Work that is held comes first: the agent has finished, and is asked about what it wants to know afterwards.
 */
function mayBeAnswered({ standing, questions = [] }: Pick<State, 'standing' | 'questions'>): boolean {
  return questions.length > 0 && heldWork({ standing }) === undefined;
}

function answer(state: State, event: CommandEventOf<'answer'>): Pick<Next, 'state' | 'subject'> | Refused {
  const { command, by, source } = event;
  const { phase } = state.standing;
  if ((state.questions ?? []).length > 0 && !mayBeAnswered(state))
    return refuse({ why: 'not_now', command: 'answer', phase });
  const open = questionOf(state, event);
  if ('why' in open) return refuse(open);
  const read = replyTo(open.asked, command.text);
  if ('why' in read) return refuse(read);
  const { reply, isChosen } = read;
  if (!isChosen && !covers(by.role, 'write'))
    return refuse({ why: 'options_only', options: open.asked.options ?? [] });
  if (
    source.from === 'comment' &&
    Date.parse(source.written_at) < Date.parse(open.interaction.opened_at) - 1000
  )
    return refuse({ why: 'just_asked' });
  const end = { by: by.login, how: 'answered', reply };
  const answered = withAnswer(state, event, open, end);
  return {
    state: { ...answered, ...withContributors(state, [by]), times_lost: 0 },
    subject: `${by.login} answered${because(reply)}`,
  };
}

/** The state in which the question is settled. */
export function withAnswer<S extends State>(
  state: S,
  { at }: Pick<Event, 'at'>,
  open: OpenQuestion,
  end: Pick<SettledInteraction, 'by' | 'how' | 'reply'>,
): S {
  const settled = { ...open.interaction, settled_at: at, question: open.asked, ...end };
  return {
    ...state,
    questions: (state.questions ?? []).filter((each) => each.interaction.id !== open.interaction.id),
    interactions: [...state.interactions, settled],
  };
}

/** The question that an answer is to: the one that is named, or that has the button, or the one on show. */
function questionOf(
  { questions = [], interactions }: State,
  { command, source }: CommandEventOf<'answer'>,
): OpenQuestion | Refusal {
  const id = command.question ?? (source.from === 'click' ? source.interaction : undefined);
  if (id === undefined && source.from === 'comment') {
    // Whoever wrote it may have read the question that was on show before.
    const readBefore = Date.parse(source.written_at) - readingTimeMs;
    const before = interactions.findLast(({ kind }) => kind === 'question');
    if (before !== undefined && Date.parse(before.settled_at) > readBefore)
      return refusalOfAnswer(interactions, before.id);
  }
  const open = id === undefined ? questions[0] : questions.find(({ interaction }) => interaction.id === id);
  return open ?? refusalOfAnswer(interactions, id);
}

/** Why there is nothing to answer: somebody has answered it, or nobody asks. */
export function refusalOfAnswer(interactions: State['interactions'], id?: string): Refusal {
  const settled = interactions.findLast(
    ({ kind, id: known }) => kind === 'question' && (id === undefined || known === id),
  );
  if (settled === undefined) return { why: 'no_question', ...(id !== undefined && { named: id }) };
  const { by, how, reply } = settled;
  return { why: 'already_answered', by, how, ...(reply !== undefined && { reply }) };
}

/**
 * The text of an answer, with options for their numbers; a refusal if there is no such option. `isChosen`: it
 * is one of the options, or several of them.
 */
function replyTo(
  { options = [], multiple }: AskedQuestion,
  text: string,
): { readonly reply: string; readonly isChosen: boolean } | Extract<Refusal, { why: 'no_such_option' }> {
  if (options.length === 0) return { reply: text, isChosen: false };
  const parts = multiple ? partsOf(text, options) : [text];
  const missing = parts.find((part) => isNumber(part) && optionNamed(options, part) === undefined);
  if (missing !== undefined) return { why: 'no_such_option', named: missing, options };
  const chosen = parts.map((part) => optionNamed(options, part));
  const reply = [...new Set(parts.map((part, nth) => chosen[nth] ?? part))].join(', ');
  return { reply, isChosen: !chosen.includes(undefined) };
}

/** The parts of an answer that chooses several options, any of which may itself contain a comma. */
function partsOf(text: string, options: readonly string[]): readonly string[] {
  if (optionNamed(options, text) !== undefined) return [text];
  const parts = text.split(/[,\n]|\s+(?=\d+(?:\s|$))/).flatMap((part) => part.trim() || []);
  const areOptions = parts.every((part) => isNumber(part) || optionNamed(options, part) !== undefined);
  // Commas alone choose nothing.
  return areOptions && parts.length > 0 ? parts : [text];
}

function optionNamed(options: readonly string[], text: string): string | undefined {
  const numbered = isNumber(text) ? options[Number.parseInt(text, 10) - 1] : undefined;
  return numbered ?? options.find((option) => sameWords(option) === sameWords(text));
}

function isNumber(text: string): boolean {
  return /^\d+[.)]?$/.test(text);
}

function sameWords(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

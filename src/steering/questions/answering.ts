import { withContributors } from '../iterations/contributing.ts';
import { heldWork } from '../iterations/held-work.ts';
import { accepted, type CommandEventOf, type Next, next, refuse, type Step } from '../iterations/step.ts';
import { because } from '../phrases/first-line.ts';
import { covers } from '../shapes/person.ts';
import type { AskedQuestion } from '../shapes/question.ts';
import type { OpenQuestion, SettledInteraction } from '../shapes/standing.ts';
import { readingTimeMs } from '../shapes/time.ts';
import type { Event } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { State } from '../state/state.ts';

/** What people answer to an agent. */

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

interface Answered {
  readonly state: State;
  readonly subject: string;
}

function answer(state: State, event: CommandEventOf<'answer'>): Answered | { readonly refused: Refusal } {
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
  const answered = withAnswer(state, event, { open, end });
  return {
    state: { ...answered, ...withContributors(state, [by]), times_lost: 0 },
    subject: `${by.login} answered${because(reply)}`,
  };
}

interface Answering {
  readonly open: OpenQuestion;
  readonly end: Pick<SettledInteraction, 'by' | 'how' | 'reply'>;
}

/** The state in which the question is settled. */
export function withAnswer<S extends State>(
  state: S,
  { at }: Pick<Event, 'at'>,
  { open, end }: Answering,
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

interface Reply {
  readonly reply: string;
  /** It is one of the options, or several of them. */
  readonly isChosen: boolean;
}

/** The text of an answer, with options for their numbers; a refusal if there is no such option. */
function replyTo({ options = [], multiple }: AskedQuestion, text: string): Reply | NoSuchOption {
  if (options.length === 0) return { reply: text, isChosen: false };
  const parts = multiple ? partsOf(text, options) : [text];
  const missing = parts.find((part) => isNumber(part) && optionNamed(options, part) === undefined);
  if (missing !== undefined) return { why: 'no_such_option', named: missing, options };
  const chosen = parts.map((part) => optionNamed(options, part));
  const reply = [...new Set(parts.map((part, nth) => chosen[nth] ?? part))].join(', ');
  return { reply, isChosen: !chosen.includes(undefined) };
}

type NoSuchOption = Extract<Refusal, { why: 'no_such_option' }>;

/** An option may itself contain a comma. */
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

import {
  type AskedQuestion,
  onNoAnswer,
  type QuestionSettings,
  questionLimits,
  stricterOf,
} from '../../steering/shapes/question.ts';
import { control, escapeSequence, ignorable } from '../../text/characters.ts';
import { redact } from '../../text/redact.ts';
import type { QuestionRequest } from './agent-adapter.ts';

/** The question as people are shown it, or why it cannot be asked, which is for the agent. */
export function questionFrom(
  request: QuestionRequest,
  { settings, secrets }: { readonly settings: QuestionSettings; readonly secrets: readonly string[] },
): Omit<AskedQuestion, 'id'> | string {
  const question = request.question.trim();
  const context = request.context?.trim() ?? '';
  const options = (request.options ?? []).map(oneLine);
  const wanted = request.default?.trim() ?? '';
  const byDefault = options.find((each) => isAlike(each, wanted)) ?? wanted;
  const objection =
    objectionToLength({ question, context, options }) ??
    objectionToOptions(options, wanted) ??
    objectionToTimeout(request.on_timeout, { wanted, settings }) ??
    objectionToTexts({ question, context, default: wanted, option: options }, secrets);
  if (objection !== undefined) return objection;
  const on_timeout = onNoAnswer.find((each) => each === request.on_timeout);
  return {
    question,
    ...(context !== '' && { context }),
    ...(options.length > 0 && { options, ...(request.multiple === true && { multiple: true }) }),
    ...(byDefault !== '' && { default: byDefault }),
    ...(on_timeout !== undefined && { on_timeout }),
  };
}

/** The text by which an option is shown, and by which it comes back when somebody chooses it. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function isAlike(one: string, other: string): boolean {
  return one.toLowerCase() === oneLine(other).toLowerCase();
}

interface Sized {
  readonly question: string;
  readonly context: string;
  readonly options: readonly string[];
}

function objectionToLength({ question, context, options }: Sized): string | undefined {
  const { question: most, context: ofContext, options: many, option: ofOption } = questionLimits;
  if (question === '') return 'the question is empty: write what you want to know';
  if (question.length > most)
    return `the question has ${question.length} characters, and people are shown at most ${most}: ask in fewer words`;
  if (context.length > ofContext)
    return `the context has ${context.length} characters, and people are shown at most ${ofContext}: shorten it`;
  if (options.length > many)
    return `there are ${options.length} options, and people can choose from at most ${many}: offer fewer, or none`;
  const long = options.findIndex((each) => each.length > ofOption);
  if (long >= 0)
    return `option ${long + 1} has ${options[long]?.length} characters, and may have at most ${ofOption}: shorten it`;
  return undefined;
}

function objectionToOptions(options: readonly string[], wanted: string): string | undefined {
  if (options.includes('')) return `option ${options.indexOf('') + 1} is empty: leave it out`;
  const first = options.findIndex((each, nth) =>
    options.slice(nth + 1).some((later) => isAlike(each, later)),
  );
  if (first >= 0)
    return `two options read "${options[first]}": make them differ in more than case and blanks`;
  const misread = options.find((each, nth) => isNumberOfOther(each, { nth, of: options.length }));
  if (misread !== undefined)
    return `the option "${misread}" would be read as the number of another: add a word to it`;
  if (wanted.length > questionLimits.answer)
    return `the default has ${wanted.length} characters, and may have at most ${questionLimits.answer}: shorten it`;
  const isOption = options.length === 0 || options.some((each) => isAlike(each, wanted));
  return wanted === '' || isOption
    ? undefined
    : 'the default is none of the options: name one of them, or none';
}

/** People answer with the number of an option: what reads like that of another would choose the other. */
function isNumberOfOther(
  option: string,
  { nth, of }: { readonly nth: number; readonly of: number },
): boolean {
  const number = /^\d+[.)]?$/.test(option) ? Number.parseInt(option, 10) : 0;
  return number > 0 && number <= of && number !== nth + 1;
}

/** Only people can let an agent go on without them. */
function objectionToTimeout(
  on_timeout: string | undefined,
  { wanted, settings }: { readonly wanted: string; readonly settings: QuestionSettings },
): string | undefined {
  if (on_timeout === undefined) return undefined;
  const known = onNoAnswer.find((each) => each === on_timeout);
  if (known === undefined)
    return `on_timeout is none of ${onNoAnswer.join(', ')}: use one of these, or leave it out`;
  if (stricterOf(settings.on_timeout, known) !== known)
    return `on_timeout: ${known} is looser than \`${settings.on_timeout}\`, which the configuration says: leave it out`;
  if (known === 'default' && wanted === '')
    return 'on_timeout: default needs a default: name one, or leave it out';
  return undefined;
}

function objectionToTexts(
  texts: Readonly<Record<string, string | readonly string[]>>,
  secrets: readonly string[],
): string | undefined {
  for (const [name, given] of Object.entries(texts))
    for (const text of [given].flat()) {
      const hidden = hiddenBy(text, secrets);
      if (hidden !== undefined) return `people cannot be shown the ${name}: ${objections[hidden]}`;
    }
  return undefined;
}

const objections = {
  characters: 'it contains characters that they would not see: leave them out',
  blanks: 'most of it is blank, so that they would not see all of it: leave that out',
  secret: 'a part of it looks like a secret: ask without it',
};

/** When an agent is to ask, from its level 0 to 5. */
const levels = [
  'Ask only when it is impossible to go on without an answer.',
  'Ask when it is impossible to go on, or when what you are told contradicts itself so that going on is unsafe.',
  'Ask about contradictions, and when a decision about the architecture is left open.',
  'Ask about contradictions and gaps in the architecture, and when the design can be understood in several ways.',
  'Ask about all of that, and have business logic confirmed before you rely on it.',
  'Offer people every real choice before you make it.',
] as const;

/** What the agent is told of when to ask, in a sentence. */
export function whenToAsk(level: number): string {
  return levels[level] ?? levels[2];
}

/** Blanks that push the rest out of sight: code is not indented as far. */
const gap = /[^\S\n]{100}|(?:\n[^\S\n]*){20}/;

/** These join the parts of an emoji, in which they hide nothing. */
const joining = /[\u200D\uFE0E\uFE0F]/g;

/** What keeps people from seeing a text as it is; undefined if nothing does. */
export function hiddenBy(text: string, secrets: readonly string[]): keyof typeof objections | undefined {
  const plain = text.replace(joining, '');
  if ([escapeSequence, control, ignorable].some((pattern) => plain.search(pattern) >= 0)) return 'characters';
  if (gap.test(text)) return 'blanks';
  return redact(text, secrets) === text ? undefined : 'secret';
}

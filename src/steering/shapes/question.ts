/** A question of an agent at work to people, as it is shown to them. Redacted. */
export interface AskedQuestion {
  /** Unique among the questions of an attempt. */
  readonly id: string;
  /** At most 1,200 characters. */
  readonly question: string;
  /** What helps to answer it, at most 400 characters; absent if the agent says nothing more. */
  readonly context?: string;
  /** At most 25 that differ, of at most 200 characters each; absent: the answer is any text. */
  readonly options?: readonly string[];
  /** More than one of the options may be chosen. */
  readonly multiple?: true;
  /** What the agent would choose; one of the options if there are any. */
  readonly default?: string;
  /** What happens if nobody answers, where the agent wants something stricter than the configuration says. */
  readonly on_timeout?: OnNoAnswer;
}

/**
 * What happens when nobody answers in time: the default is taken, the run times out and can be answered
 * later, or people have to decide how to continue. From the loosest to the strictest.
 */
export const onNoAnswer = ['default', 'block', 'fail'] as const;

export type OnNoAnswer = (typeof onNoAnswer)[number];

/** What a repository says about questions. */
export interface QuestionSettings {
  /** False: agents are not given a way to ask. */
  readonly enabled: boolean;
  /** From 0 (only if it is impossible to go on) to 5 (every real choice). */
  readonly ask_level: number;
  readonly timeout_s: number;
  readonly on_timeout: OnNoAnswer;
}

/** What counts where nothing is written, and in older ledgers. */
export const usualQuestions: QuestionSettings = {
  enabled: true,
  ask_level: 2,
  timeout_s: 7 * 24 * 3600,
  on_timeout: 'block',
};

/** The bounds of a question and of its answer, in characters and numbers. */
export const questionLimits = {
  question: 1_200,
  context: 400,
  options: 25,
  option: 200,
  answer: 10_000,
  open: 3,
  ofRun: 25,
} as const;

/**
 * How long an agent is held at most until somebody answers its question, in seconds; then it is parked. Codex
 * does not wait for 30 s.
 */
export const longestHoldS = 25;

/** Whether two questions are the same, so that one answer is an answer to both. */
export function isSameQuestion(one: AskedQuestion, other: AskedQuestion): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ question, context = '', options = [], multiple }: AskedQuestion): string {
  return JSON.stringify([question, context, options, multiple === true]);
}

/** What happens if nobody answers, where two say so: the stricter counts. */
export function stricterOf(one: OnNoAnswer, other: OnNoAnswer = one): OnNoAnswer {
  return onNoAnswer.indexOf(one) > onNoAnswer.indexOf(other) ? one : other;
}

import type { AskedCall } from '../../steering/shapes/attempt-result.ts';
import type { Limits } from '../../steering/shapes/limits.ts';
import type { Progress } from '../../steering/shapes/progress.ts';
import type { AskedQuestion } from '../../steering/shapes/question.ts';
import type { CallAnswer } from '../../steering/shapes/standing.ts';
import type { QuestionAnswer, Told } from './agent.ts';

/**
 * The reason of a signal by which nobody waits for people any more, while what they were asked stays open: it
 * then counts as `parked`. With any other reason it is withdrawn.
 */
export const parking = 'parking';

/** The run that an attempt belongs to, while its agent works. */
export interface Live {
  /** Puts a tool call before people. `parked`: nobody has answered in time. Never rejects. */
  ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer | 'parked'>;
  /** Puts a question before people. `parked`: nobody has answered while the agent could be held. Never rejects. */
  question(asked: AskedQuestion, signal: AbortSignal): Promise<QuestionAnswer>;
  /** Whether people still have to answer something that the agent of this attempt asked. */
  awaitsAnswer(): boolean;
  /** From now on the agent can be told what people say; returns how to end that. */
  attend(tell: (words: string) => Promise<Told>): () => void;
  /** What it is doing; may be called many times a second. */
  progress(progress: Progress): void;
  /** The rules that people have allowed always in this run. */
  allowedRules(): readonly string[];
  /** The limits of the run as they are now; people can raise them while it works. */
  limits(): Limits;
}

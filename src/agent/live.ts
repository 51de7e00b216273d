import type { AskedCall } from '../steering/attempt-result.ts';
import type { Limits } from '../steering/limits.ts';
import type { Progress } from '../steering/progress.ts';
import type { CallAnswer } from '../steering/standing.ts';
import type { Told } from './port.ts';

/** The run that an attempt belongs to, while its agent works. */
export interface Live {
  /**
   * Puts a tool call before people. Resolves when somebody has answered, or nobody has in time; never
   * rejects.
   */
  ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer>;
  /** From now on the agent can be told what people say; returns how to end that. */
  attend(tell: (words: string) => Promise<Told>): () => void;
  /** What it is doing; may be called many times a second. */
  progress(progress: Progress): void;
  /** The rules that people have allowed always in this run. */
  allowedRules(): readonly string[];
  /** The limits of the run as they are now; people can raise them while it works. */
  limits(): Limits;
}

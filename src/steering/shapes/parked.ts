import type { ToolCall, UnfinishedWork } from './attempt-result.ts';
import type { AttemptId } from './standing.ts';

/** An agent that was stopped before it had finished; the next attempt goes on from what it left. */
export interface Parked extends AttemptId {
  readonly because: ParkReason;
  /** Absent if it had changed nothing. */
  readonly work?: UnfinishedWork;
  /** What it did so far, which counts with what the next attempt does; absent if it told of nothing. */
  readonly tool_calls?: readonly ToolCall[];
  /** A tool call that somebody has allowed since, by `textOfCall`: the next attempt may make it once. */
  readonly granted?: string;
}

/**
 * Why an agent was stopped: people have to answer its question, or decide about a tool call; its model has no
 * more for now; people or this process stopped it; it failed.
 */
export type ParkReason = 'question' | 'permission' | 'rate_limit' | 'stopped' | 'failed';

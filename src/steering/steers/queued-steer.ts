import type { Source } from '../source.ts';

export interface QueuedSteer extends Steer {
  /** The id of its event. */
  readonly id: string;
  readonly at: string;
}

export interface Steer {
  readonly prompt: string;
  readonly author: string;
  /** GitHub's id of the author; absent if an older version recorded the steer. */
  readonly author_id?: number;
  readonly source: Source;
  /** The agent that it hands the work to. */
  readonly with?: string;
  /** How the agent was told in the middle of its work; absent if it began an iteration. */
  readonly told?: 'injected' | 'restarted_turn';
}

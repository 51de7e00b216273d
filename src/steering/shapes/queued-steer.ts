import type { Source } from './source.ts';

export interface QueuedSteer extends Steer {
  /** The id of its event. */
  readonly id: string;
  readonly at: string;
}

/** A steer in one line of at most 150 characters, of whole words where there are any. */
export function summaryOf(prompt: string): string {
  const line = [...prompt.replace(/\s+/g, ' ').trim()];
  if (line.length <= 150) return line.join('');
  const cut = line.slice(0, 149);
  const end = line[149] === ' ' ? 149 : cut.lastIndexOf(' ');
  return `${cut.slice(0, end > 0 ? end : 149).join('')}…`;
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

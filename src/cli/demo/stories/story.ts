import type { Words } from '../../../app/app.ts';
import type { State } from '../../../steering/state.ts';
import type { Places } from './places.ts';

/** What is played with one issue of the demo. */
export interface Story {
  readonly name: 'discount' | 'flaky' | 'upgrade';
  readonly title: string;
  /** In a line of the terminal. */
  readonly summary: string;
  /** For the page, before it has begun. */
  readonly pitch: string;
  readonly issue: { readonly number: number; readonly title: string; readonly body: string };
  readonly steps: readonly StoryStep[];
  /** What comes next, now that this is the newest run of the issue. */
  next(run: State, places: Places, runs: Runs): Next;
}

/** The runs of an issue, oldest first. */
export type Runs = readonly State[];

export interface StoryStep {
  readonly text: string;
  /** Whether it has really happened. */
  isDone(runs: Runs): boolean;
}

export interface Next {
  /** The text of a step; absent where the run is off the story, or over. */
  readonly step?: string;
  readonly words: readonly Words[];
}

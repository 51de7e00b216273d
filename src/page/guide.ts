import type { State } from '../steering/state.ts';

/** Says what can be tried next, from what has really happened; null where it has nothing to say. */
export type Guide = (shown: Shown) => Guidance | null;

/** What a page shows, and what is known of all runs. */
export interface Shown {
  /** The issue or pull request; null on the overview. */
  readonly at: { readonly owner: string; readonly repo: string; readonly number: number } | null;
  /** The newest state of every run that this process knows. */
  readonly runs: readonly State[];
}

export interface Guidance {
  readonly title: string;
  /** What all of this is, for those who have just come; absent elsewhere. */
  readonly intro?: readonly Words[] | undefined;
  readonly tracks: readonly Track[];
}

/** One thing to try, in steps. */
export interface Track {
  readonly name: string;
  /** Where it is played now. */
  readonly href: string;
  /** Whether this page is about it. */
  readonly isHere: boolean;
  readonly steps: readonly TrackStep[];
  /** What can be done now, or what is going on. */
  readonly now: readonly Words[];
}

export interface TrackStep {
  readonly text: string;
  readonly status: 'done' | 'now' | 'later';
}

/** Plain text, a link, or something to type. */
export type Words = string | { readonly text: string; readonly href: string } | { readonly type: string };

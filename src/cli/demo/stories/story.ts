import type { Words } from '../../../app/app.ts';
import { approvedBy } from '../../../steering/approval/auto-approval.ts';
import { isInProgress, table } from '../../../steering/phases/table.ts';
import { shownPhase } from '../../../steering/shapes/standing.ts';
import type { State } from '../../../steering/state/state.ts';
import { compareLink } from '../../../words/parts/common-phrases.ts';

/** What is played with one issue of the demo. */
export interface Story {
  readonly name: 'discount' | 'flaky' | 'upgrade' | 'question' | 'replace' | 'plan' | 'queue';
  readonly title: string;
  /** What it is about, in a line of the terminal. */
  readonly summary: string;
  /** What the page says of it before it has begun. */
  readonly pitch: string;
  /** Where it is played; absent if in `widgets`, as most stories are. */
  readonly repo?: 'gadgets';
  readonly issue: StoryIssue;
  /** Issues that are played together with the first. */
  readonly others?: readonly StoryIssue[];
  readonly steps: readonly StoryStep[];
  /** The run of the issue that people are to look at; absent: the newest. */
  current?(runs: Runs): State | undefined;
  /** What comes next, now that this is that run. */
  next(run: State, places: Places, runs: Runs): Next;
}

interface StoryIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
}

/** The runs of the issues of a story, oldest first. */
export type Runs = readonly State[];

interface StoryStep {
  readonly text: string;
  /** Whether it has really happened. */
  isDone(runs: Runs): boolean;
}

export interface Next {
  /** The text of a step; absent where the run is off the story, or over. */
  readonly step?: string;
  readonly words: readonly Words[];
}

export type Places = ReturnType<typeof placesOf>;

/** Where things of a run are: on the App's page, by path, and on GitHub's side, whose address `web` is. */
export function placesOf({ run, iterations }: State, web: string) {
  const { owner, repo, number, branch, base, issue } = run;
  const repository = `${web}/${owner}/${repo}`;
  const first = iterations[0]?.head_after ?? run.head;
  const last = iterations.at(-1)?.head_after ?? run.head;
  return {
    issue: `/${owner}/${repo}/issues/${issue}`,
    /** Leads to another issue of the story. */
    other: (another: number) => `/${owner}/${repo}/issues/${another}`,
    /** Leads to the run's page, or to a part of it. */
    run: (part?: string) => `/${owner}/${repo}/pull/${number}${part === undefined ? '' : `#${part}`}`,
    /** Leads to the pull request on GitHub's side. */
    pull: (tab?: 'files') => `${repository}/pull/${number}${tab === undefined ? '' : `/${tab}`}`,
    /** Where the pull request is merged, on GitHub's side. */
    mergeBox: `${repository}/pull/${number}#partial-pull-merging`,
    /** Who is in the merge queue of its base, on GitHub's side. */
    queue: `${repository}/queue/${base}`,
    /** What the run has changed since its first iteration. */
    sinceFirst: compareLink(repository, first, last),
    /** Leads to the form that changes a file on the run's branch. */
    edit: (path: string) => `${repository}/edit/${branch}/${path}`,
  };
}

/** What all stories have in common. */

export const start: StoryStep = { text: 'Start', isDone: (runs) => runs.length > 0 };

export const merge: StoryStep = { text: 'Merge', isDone: (runs) => runs.some(isMerged) };

export function isMerged({ standing }: State): boolean {
  return standing.phase === 'done' && standing.merged;
}

/** Whether the agent has finished its first iteration. */
export function hasLanded({ iterations }: State): boolean {
  return iterations[0]?.landed === true;
}

/** Whether its head is approved, or was when it was merged. */
export function isApproved(state: State): boolean {
  const { phase } = state.standing;
  return phase === 'approved' || (phase === 'done' && approvedBy(state) !== '');
}

export function isAtWork({ standing }: State): boolean {
  return isInProgress(standing.phase);
}

export function newestOf(runs: Runs): State | undefined {
  return runs.at(-1);
}

/** It leaves draft only once the approval was compared with GitHub. */
function approved({ standing }: State, places: Places): Next {
  if (standing.phase === 'approved' && standing.finish === 'checking') {
    const comparing = { text: 'compares the approval with GitHub once more', href: places.run('way-on') };
    return { step: merge.text, words: ['Approved. Coxswain ', comparing, '.'] };
  }
  const box = { text: "on GitHub's side", href: places.mergeBox };
  return { step: merge.text, words: ['Approved, and ready for review: merge it ', box, '.'] };
}

/** Says of a run that is off the story, or over, what is true of each kind of phase. */
export function offStory(run: State, places: Places): Next {
  const page = (text: string, part?: string) => ({ text, href: places.run(part) });
  const phase = shownPhase(run);
  switch (table[phase].kind) {
    case 'in_progress':
      return { words: ['The agent or the verifiers are at work: ', page('watch them', 'at-work'), '.'] };
    case 'asks':
    case 'asks_midway':
      return phase === 'awaiting_approval'
        ? { words: ['Off the story, and just as real: ', page('approve it, steer it or reject it'), '.'] }
        : { words: [page('It asks a human', 'phase-details'), ' how to continue.'] };
    case 'stopped':
      return phase === 'blocked'
        ? {
            words: [
              'It waits for what it depends on: ',
              page('its page says for what', 'phase-details'),
              '.',
            ],
          }
        : { words: ['It has stopped: ', page('its page says why', 'phase-details'), '.'] };
    case 'approved':
      return approved(run, places);
    case 'over':
      return over(run, places);
  }
}

function over(run: State, places: Places): Next {
  const record = { text: 'The record', href: places.run('record') };
  if (isMerged(run)) return { words: ['Merged. ', record, ' is what Git keeps of it.'] };
  const how = run.standing.phase === 'done' ? 'Closed after its approval. ' : endedUnmerged;
  return {
    words: [how, { text: 'Start another run', href: places.issue }, ' to play the story to its end.'],
  };
}

const endedUnmerged = 'This run has ended without a merge. ';

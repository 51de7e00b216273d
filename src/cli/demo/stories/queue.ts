import type { State } from '../../../steering/state/state.ts';
import {
  isApproved,
  isAtWork,
  isMerged,
  type Next,
  offStory,
  type Places,
  type Runs,
  type Story,
  start,
} from './story.ts';

const second = { text: 'Start another', isDone: (runs: Runs) => issuesOf(runs) > 1 };
const approve = { text: 'Approve both', isDone: (runs: Runs) => both(runs, isApproved) };
const merged = { text: 'Merged by the queue', isDone: (runs: Runs) => both(runs, isMerged) };

/** Two approved runs that GitHub merges one after the other, each tested with what is merged before it. */
export const queue: Story = {
  name: 'queue',
  title: 'Queue',
  summary: 'two approved runs go through a merge queue, tested together before they are merged',
  pitch:
    'The base has a merge queue: you approve two runs, and GitHub merges them as they were tested together.',
  repo: 'gadgets',
  issue: {
    number: 1,
    title: 'Count the gadgets of an order',
    body: [
      'An order should say how many gadgets it has, over all its positions.',
      '',
      '## Acceptance criteria',
      '- an order without positions has none',
    ].join('\n'),
  },
  others: [
    {
      number: 2,
      title: 'Find the dearest position of an order',
      body: [
        'An order should say which of its positions costs most.',
        '',
        '## Acceptance criteria',
        '- price and quantity both count',
      ].join('\n'),
    },
  ],
  steps: [start, second, approve, merged],
  current,
  next,
};

/** The run that is to be looked at: the first one for which there is something to do. */
function current(runs: Runs): State | undefined {
  const newest = [...new Map(runs.map((run) => [run.run.issue, run])).values()];
  const open = newest.filter((run) => !isMerged(run));
  return open.find((run) => !isApproved(run)) ?? open[0] ?? runs.at(-1);
}

function next(run: State, places: Places, runs: Runs): Next {
  if (issuesOf(runs) < 2) return toStartAnother(run, places);
  if (isAtWork(run)) {
    const watch = { text: run.task.title, href: places.run('at-work') };
    return { step: approve.text, words: [watch, ' is at work.'] };
  }
  if (run.standing.phase === 'approved') {
    const place = { text: 'the merge queue', href: places.queue };
    const words = ['Approved, so Coxswain puts it into ', place, ' and verifies what would be merged.'];
    return { step: merged.text, words };
  }
  if (run.standing.phase !== 'awaiting_approval') return offStory(run, places);
  const button = { text: 'approve it', href: places.run('commands') };
  return { step: approve.text, words: [run.task.title, ' is finished: read it, then ', button, '.'] };
}

function toStartAnother({ run }: State, places: Places): Next {
  const left = [queue.issue, ...(queue.others ?? [])].find(({ number }) => number !== run.issue);
  const number = left?.number ?? queue.issue.number;
  const issue = { text: `issue #${number}`, href: places.other(number) };
  return { step: second.text, words: ['Start another run, on ', issue, ': both are to be merged.'] };
}

/** How many of the issues have a run. */
function issuesOf(runs: Runs): number {
  return new Set(runs.map(({ run }) => run.issue)).size;
}

/** Whether it holds for a run of each issue. */
function both(runs: Runs, holds: (run: State) => boolean): boolean {
  return issuesOf(runs.filter(holds)) > 1;
}

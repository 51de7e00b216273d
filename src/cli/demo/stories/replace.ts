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

const fail = { text: 'It fails', isDone: (runs: Runs) => runs.some(hasFailed) };
const split = { text: 'Replace it with three tasks', isDone: (runs: Runs) => partsOf(runs).length >= 3 };
const first = { text: 'Merge the first', isDone: (runs: Runs) => merged(runs) > 0 };
const others = { text: 'Merge what depends on it', isDone: (runs: Runs) => isWhole(runs) };

/** The tasks that take the place of the one that was too large, as they are said on its pull request. */
export const threeTasks = `/spawn
\`\`\`yaml coxswain
name: net
title: Net prices of an invoice
description: Net prices, without 19 % tax, in whole cents.
acceptance_criteria: [the net price of 11.90 EUR is 10.00 EUR]
---
name: lines
title: Lines of an invoice
description: A line for each position of an invoice, with its net price.
acceptance_criteria: [a line names the position and its net price]
depends_on: [net]
---
name: invoice
title: The whole invoice
description: The lines of an invoice, then its total.
acceptance_criteria: [the last line is the total]
depends_on: [lines]
\`\`\``;

/** A task that is too large for its agent: three smaller ones take its place, one after the other. */
export const replace: Story = {
  name: 'replace',
  title: 'Replace',
  summary: 'the agent fails three times; three smaller tasks take the place of the large one',
  pitch: 'The agent takes on too much and fails; you replace the task with three that depend on each other.',
  issue: {
    number: 5,
    title: 'Print an invoice',
    body: [
      'Print an invoice with net prices, a line for each position, and a total.',
      '',
      '## Acceptance criteria',
      '- the net price of 11.90 EUR is 10.00 EUR',
      '- a line names the position and its net price',
      '- the last line is the total',
    ].join('\n'),
  },
  steps: [start, fail, split, first, others],
  current,
  next,
};

/** The run that is to be looked at: the first one that has not ended. */
function current(runs: Runs): State | undefined {
  return partsOf(runs).find(({ standing }) => standing.phase !== 'done') ?? runs.at(-1);
}

function next(run: State, places: Places, runs: Runs): Next {
  const step = merged(runs) > 0 ? others.text : first.text;
  if (run.replaces === undefined) return ofTheLargeOne(run, places);
  if (run.standing.phase === 'blocked') {
    const waits = { text: 'It waits', href: places.run('phase-details') };
    return { step, words: [waits, ' until what it depends on is merged, and then starts automatically.'] };
  }
  if (isAtWork(run)) {
    const watch = { text: run.task.title, href: places.run('at-work') };
    return { step, words: [watch, ' is at work; the others wait for it.'] };
  }
  if (isApproved(run)) {
    const box = { text: "merge it on GitHub's side", href: places.mergeBox };
    return { step, words: [run.task.title, ' is approved: ', box, ', and what depends on it begins.'] };
  }
  if (run.standing.phase !== 'awaiting_approval') return offStory(run, places);
  const button = { text: 'approve it', href: places.run('commands') };
  return { step, words: [run.task.title, ' is finished: read it, then ', button, '.'] };
}

function ofTheLargeOne(run: State, places: Places): Next {
  if (isAtWork(run)) {
    const watch = { text: 'Watch it', href: places.run('at-work') };
    return { step: fail.text, words: [watch, ': it does everything at once, and a test stays red.'] };
  }
  if (run.standing.phase !== 'awaiting_resolution') return offStory(run, places);
  const why = { text: 'It has failed', href: places.run('phase-details') };
  const button = { text: 'Create New Task', href: places.run('phase-details') };
  const words = [
    why,
    ' three times. Replace it with smaller tasks using ',
    button,
    ', or with this comment: ',
  ];
  return { step: split.text, words: [...words, { type: threeTasks }] };
}

function partsOf(runs: Runs): Runs {
  return runs.filter(({ replaces }) => replaces !== undefined);
}

function merged(runs: Runs): number {
  return partsOf(runs).filter(isMerged).length;
}

function isWhole(runs: Runs): boolean {
  return partsOf(runs).length > 0 && merged(runs) === partsOf(runs).length;
}

function hasFailed({ standing, interactions }: State): boolean {
  return standing.phase === 'awaiting_resolution' || interactions.some(({ kind }) => kind === 'interrupt');
}

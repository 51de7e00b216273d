import { openConcerns, reviewOf } from '../../../steering/confidence/evaluation.ts';
import { isPlanning } from '../../../steering/iterations/iteration.ts';
import type { Concern, State } from '../../../steering/state/state.ts';
import { steerFor } from '../../../words/index.ts';
import {
  isApproved,
  isAtWork,
  merge,
  type Next,
  offStory,
  type Places,
  type Runs,
  type Story,
  start,
} from './story.ts';

const read = { text: 'Read the plan', isDone: (runs: Runs) => runs.some(hasPlan) };
const steer = { text: 'Steer it', isDone: (runs: Runs) => runs.some(isSteered) };
const begin = { text: 'Approve the plan', isDone: (runs: Runs) => runs.some(isPlanApproved) };
const opinion = { text: 'Second opinion', isDone: (runs: Runs) => runs.some(isReviewed) };
const settle = { text: 'Have it dealt with', isDone: (runs: Runs) => runs.some(isSettled) };
const approve = { text: 'Approve', isDone: (runs: Runs) => runs.some(isApproved) };

/** What is to be different in the plan. */
export const otherPlan = '/steer Calculate in whole cents, as receipts do';

/** An agent that plans before it writes, and another one that reads what it wrote. */
export const plan: Story = {
  name: 'plan',
  title: 'Plan',
  summary: 'the agent plans first; you steer and approve the plan, and a second agent reads the work',
  pitch: 'The agent writes a plan before it writes code, and a second agent has a concern about the code.',
  issue: {
    number: 6,
    title: 'Charge for shipping',
    body: [
      'Shipping costs 4.90 EUR below 50 EUR, and nothing from there on.',
      '',
      '## Acceptance criteria',
      '- shipping an order of 49.99 EUR costs 4.90 EUR',
      '- shipping an order of 50.00 EUR costs nothing',
      '',
      '```yaml coxswain',
      'pipeline: planned',
      '```',
    ].join('\n'),
  },
  steps: [start, read, steer, begin, opinion, settle, approve, merge],
  next,
};

function next(run: State, places: Places): Next {
  if (run.standing.phase === 'awaiting_stage') return onPlan(run, places);
  if (isAtWork(run)) return atWork(run, places);
  if (run.standing.phase !== 'awaiting_approval' || !isReviewed(run)) return offStory(run, places);
  const open = concernsOf(run);
  if (open.length > 0) return toSettle(open, places);
  const gone = { text: 'The concern is gone', href: places.run('review') };
  const button = { text: 'approve it', href: places.run('commands') };
  return {
    step: approve.text,
    words: [gone, ', and the plan has been followed. Read the change, then ', button, '.'],
  };
}

function onPlan(run: State, places: Places): Next {
  const shown = { text: 'The plan', href: places.run('phase-details') };
  if (isSteered(run)) {
    const button = { text: 'Approve it', href: places.run('commands') };
    const words = [shown, ' is different now. ', button, ': the work begins, and that approves no code.'];
    return { step: begin.text, words };
  }
  const words = [
    shown,
    ' calculates in euros, and not a line is written yet. Steer it: ',
    { type: otherPlan },
    '.',
  ];
  return { step: steer.text, words };
}

function atWork(run: State, places: Places): Next {
  const watch = (text: string) => ({ text, href: places.run('at-work') });
  if (isReviewed(run))
    return { step: settle.text, words: ['The agent deals with the concern: ', watch('watch it'), '.'] };
  if (!isPlanning(run))
    return {
      step: opinion.text,
      words: [watch('Watch it'), ': it follows the plan, and then another agent reads what it wrote.'],
    };
  const what = hasPlan(run) ? ': it rewrites the plan with your words.' : ': it writes a plan, and no code.';
  return { step: hasPlan(run) ? steer.text : read.text, words: [watch('Watch it'), what] };
}

function toSettle(open: readonly Concern[], places: Places): Next {
  const concern = { text: 'a concern', href: places.run('review') };
  const words = [
    'The second opinion has ',
    concern,
    ' that no test found. Have it dealt with, by a button or with: ',
  ];
  return { step: settle.text, words: [...words, { type: steerFor(open) }] };
}

function hasPlan({ plan: written }: State): boolean {
  return written !== undefined;
}

/** Whether the plan on show, or the one that was followed, is not the first. */
function isSteered({ plan: written }: State): boolean {
  return written !== undefined && written.iteration > 0;
}

function isPlanApproved({ interactions }: State): boolean {
  return interactions.some(({ kind, how }) => kind === 'stage' && how.startsWith('approved'));
}

function isReviewed({ review }: State): boolean {
  return review !== undefined;
}

function concernsOf(run: State): readonly Concern[] {
  const review = reviewOf(run, run.head);
  return review === undefined ? [] : openConcerns(review);
}

function isSettled({ review }: State): boolean {
  return review?.concerns.some(({ state }) => state !== 'open') ?? false;
}

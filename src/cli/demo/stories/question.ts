import type { State } from '../../../steering/state/state.ts';
import {
  hasLanded,
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

const read = { text: 'Read the question', isDone: (runs: Runs) => runs.some(hasAsked) };
const answer = { text: 'Answer', isDone: (runs: Runs) => runs.some(isAnswered) };
const approve = { text: 'Approve', isDone: (runs: Runs) => runs.some(isApproved) };

/** An agent that asks what the issue does not say, and goes on where it was with the answer. */
export const question: Story = {
  name: 'question',
  title: 'Question',
  summary: 'the agent asks how to round; it is stopped, and continues with your answer',
  pitch: 'The agent finds a choice that the issue leaves open, and asks; your answer decides what it builds.',
  issue: {
    number: 4,
    title: 'Show the tax on a receipt',
    body: [
      'A receipt should show 7 % tax in a line of its own.',
      '',
      '## Acceptance criteria',
      '- the tax on 10.00 EUR is 0.70 EUR',
      '- the tax is in whole cents',
    ].join('\n'),
  },
  steps: [start, read, answer, approve, merge],
  next,
};

function next(run: State, places: Places): Next {
  if ((run.questions ?? []).length > 0) return toAnswer(run, places);
  if (isAtWork(run)) return isAnswered(run) ? goingOn(places) : beginning(places);
  if (run.standing.phase !== 'awaiting_approval' || !hasLanded(run) || !isAnswered(run))
    return offStory(run, places);
  const files = { text: 'what it began before', href: places.pull('files') };
  const button = { text: 'approve it', href: places.run('commands') };
  const words = ['It rounds as you said, and ', files, ' is still there. Read it, then ', button, '.'];
  return { step: approve.text, words };
}

function beginning(places: Places): Next {
  const watch = { text: 'Watch it', href: places.run('at-work') };
  return {
    step: read.text,
    words: [watch, ': it begins, and comes to a choice that the issue leaves open.'],
  };
}

function toAnswer({ standing }: State, places: Places): Next {
  const asks = { text: 'It asks', href: places.run('phase-details') };
  const box = { text: 'with a button', href: places.run('commands') };
  const stands =
    standing.phase === 'working'
      ? 'It waits for a moment; if you take longer, it is stopped and keeps what it has done.'
      : 'It was stopped and keeps what it has done, however long you take.';
  const words = [asks, ` how to round half a cent. ${stands} Answer `, box, ' or with '];
  return { step: answer.text, words: [...words, { type: '/answer 2' }, '.'] };
}

function goingOn(places: Places): Next {
  const watch = { text: 'watch it', href: places.run('at-work') };
  return { step: approve.text, words: ['The agent continues where it was, with your answer: ', watch, '.'] };
}

function hasAsked(run: State): boolean {
  return (run.questions ?? []).length > 0 || run.interactions.some(({ kind }) => kind === 'question');
}

function isAnswered({ interactions }: State): boolean {
  return interactions.some(({ kind, reply }) => kind === 'question' && reply !== undefined);
}

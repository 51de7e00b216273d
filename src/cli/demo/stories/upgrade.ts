import type { State } from '../../../steering/state/state.ts';
import { isAtWork, merge, type Next, offStory, type Places, type Runs, type Story, start } from './story.ts';

const red = { text: 'Red to the end', isDone: (runs: Runs) => runs.some(hasUsedItsAttempts) };
const despite = { text: 'Approve despite lint', isDone: (runs: Runs) => runs.some(isApprovedDespite) };

/** A required verifier that no attempt can satisfy: a human with the right to do so decides. */
export const upgrade: Story = {
  name: 'upgrade',
  title: 'Upgrade',
  summary: 'lint stays red after every attempt; a maintainer approves despite lint',
  pitch: 'The agent cannot satisfy a required check; you are a maintainer, and decide.',
  issue: {
    number: 3,
    title: 'Upgrade money to 2.0.0',
    body: [
      'Version 2.0.0 of `vendor/money.js` separates thousands. Its digest is in `vendor/released.json`.',
      '',
      '## Acceptance criteria',
      '- a receipt shows 1,234,567.00 EUR',
      '- `vendor/money.js` is exactly what its publisher released',
    ].join('\n'),
  },
  steps: [start, red, despite, merge],
  next,
};

function next(run: State, places: Places): Next {
  if (isAtWork(run) && run.iteration === 0) {
    const watch = { text: 'Watch it', href: places.run('at-work') };
    return { step: red.text, words: [watch, ': what lint wants, a test forbids.'] };
  }
  if (run.standing.phase !== 'awaiting_resolution' || !hasRedLint(run)) return offStory(run, places);
  const lint = { text: 'lint is red', href: places.run('verifiers') };
  const asks = { text: 'a human decides', href: places.run('phase-details') };
  const button = { text: 'a button', href: places.run('commands') };
  const command = { type: '/approve --despite lint' };
  const words = [
    'The agent goes in circles and ',
    lint,
    ', so ',
    asks,
    '. As a maintainer, override it with ',
  ];
  return { step: despite.text, words: [...words, button, ' or with ', command, '.'] };
}

function hasUsedItsAttempts({ iterations, settings }: State): boolean {
  return (iterations[0]?.attempts ?? 0) >= settings.attempts.max;
}

function hasRedLint({ shown }: State): boolean {
  return shown?.verifiers.some(({ name, success }) => name === 'lint' && !success) ?? false;
}

function isApprovedDespite({ approvals }: State): boolean {
  return approvals.some((approval) => approval.despite.includes('lint'));
}

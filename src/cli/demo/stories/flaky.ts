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

const claim = { text: '“All green”', isDone: (runs: Runs) => runs.some(hasLanded) };
const reject = { text: 'Reject', isDone: (runs: Runs) => runs.some(isRejected) };
const again = { text: 'Start again', isDone: (runs: Runs) => afterRejection(runs).length > 0 };
const cause = { text: 'The cause is fixed', isDone: (runs: Runs) => afterRejection(runs).some(hasLanded) };
const approve = { text: 'Approve', isDone: (runs: Runs) => afterRejection(runs).some(isApproved) };

/** An agent that removes the test instead of the fault, and is told why that will not do. */
export const flaky: Story = {
  name: 'flaky',
  title: 'Flaky sum',
  summary: 'the agent deletes the failing test; reject it, and the next run knows why',
  pitch: 'The agent makes a failing test go away; you say no, and why.',
  issue: {
    number: 2,
    title: 'The sum depends on the order of the prices',
    body: [
      'Our nightly job runs the tests with a random `SEED`, and on some nights `test/sum.test.js` fails:',
      '',
      '```sh',
      'SEED=2 node --test test/sum.test.js',
      '```',
      '',
      '## Acceptance criteria',
      '- the tests pass with every seed',
    ].join('\n'),
  },
  steps: [start, claim, reject, again, cause, approve, merge],
  next: (run, places, runs) => (runs.some(isRejected) ? secondTry(run, places) : firstTry(run, places)),
};

function firstTry(run: State, places: Places): Next {
  if (isAtWork(run)) {
    const watch = { text: 'Watch it', href: places.run('at-work') };
    return { step: claim.text, words: [watch, ': it makes the failure go away.'] };
  }
  if (run.standing.phase !== 'awaiting_approval' || !deletesTest(run)) return offStory(run, places);
  const gate = { text: 'a gate', href: places.run('gates') };
  const files = { text: 'deleted', href: places.pull('files') };
  const form = { text: 'Reject it', href: places.run('reject-reason') };
  const reason = { type: 'The test found a real bug: fix the sum' };
  const words = ['“All green”, but ', gate, ' names the test that it ', files, '. ', form, ' and say why: '];
  return { step: reject.text, words: [...words, reason, '.'] };
}

function secondTry(run: State, places: Places): Next {
  if (isRejected(run)) {
    const issue = { text: 'the issue', href: places.issue };
    const words = [
      'The next agent is told your reason. It begins with ',
      { type: '/run' },
      ' on ',
      issue,
      '.',
    ];
    return { step: again.text, words };
  }
  if (isAtWork(run)) {
    const watch = { text: 'Watch it', href: places.run('at-work') };
    return { step: cause.text, words: [watch, ': this agent has read why the last run was rejected.'] };
  }
  if (run.standing.phase !== 'awaiting_approval' || deletesTest(run)) return offStory(run, places);
  const report = { text: 'report', href: places.run('report') };
  const files = { text: 'keeps the test', href: places.pull('files') };
  const button = { text: 'Approve it', href: places.run('commands') };
  const words = ['Its ', report, ' quotes your reason, and its change ', files, '. ', button, '.'];
  return { step: approve.text, words };
}

function isRejected({ standing }: State): boolean {
  return standing.phase === 'rejected';
}

function afterRejection(runs: Runs): Runs {
  const first = runs.findIndex(isRejected);
  return first < 0 ? [] : runs.slice(first + 1);
}

function deletesTest({ shown }: State): boolean {
  return shown?.gates.some(({ rule }) => rule === 'weakens-tests') ?? false;
}

import type { State } from '../../../steering/state/state.ts';
import {
  hasLanded,
  isApproved,
  isAtWork,
  merge,
  type Next,
  newestOf,
  offStory,
  type Places,
  type Runs,
  type Story,
  start,
} from './story.ts';

const green = { text: 'Red, then green', isDone: (runs: Runs) => is(runs, hasLanded) };
const steer = { text: 'Steer', isDone: (runs: Runs) => is(runs, ({ iteration }) => iteration > 0) };
const approve = { text: 'Approve', isDone: (runs: Runs) => is(runs, wasApproved) };
const push = { text: 'Push yourself', isDone: (runs: Runs) => is(runs, hasForeignCommit) };
const approveAgain = {
  text: 'Approve again',
  isDone: (runs: Runs) => is(runs, (run) => hasForeignCommit(run) && isApproved(run)),
};

/** A run goes from red to merged, and loses an approval on the way. */
export const discount: Story = {
  name: 'discount',
  title: 'Discount',
  summary: 'red, green on its own, steered, approved; your own commit withdraws the approval',
  pitch:
    'The agent fails a test and fixes it on its own; you ask for more, approve, and see what an approval is worth.',
  issue: {
    number: 1,
    title: 'Ten widgets or more are 10 % cheaper',
    body: [
      'Customers who buy ten or more widgets should pay 10 % less.',
      '',
      '## Acceptance criteria',
      '- nine widgets cost the full price',
      '- ten widgets cost 10 % less',
    ].join('\n'),
  },
  steps: [start, green, steer, approve, push, approveAgain, merge],
  next: (run, places) => (hasForeignCommit(run) ? afterPush(run, places) : beforePush(run, places)),
};

function beforePush(run: State, places: Places): Next {
  if (isAtWork(run)) return run.iteration === 0 ? atFirst(places) : following(places);
  if (run.standing.phase === 'approved') return toPush(places);
  if (run.standing.phase !== 'awaiting_approval') return offStory(run, places);
  return run.iteration === 0 ? toSteer(places) : toApprove(places);
}

function atFirst(places: Places): Next {
  const watch = { text: 'Watch it', href: places.run('at-work') };
  return { step: green.text, words: [watch, ': the first attempt fails a test, and the next one fixes it.'] };
}

function toSteer(places: Places): Next {
  const box = { text: 'in the box of the run', href: places.run('commands') };
  const words = ['Green. Steer it ', box, ': write ', { type: 'also handle an empty list' }, '.'];
  return { step: steer.text, words };
}

function following(places: Places): Next {
  const watch = { text: 'watch it', href: places.run('at-work') };
  return { step: approve.text, words: ['The agent follows your words: ', watch, '.'] };
}

function toApprove(places: Places): Next {
  const since = { text: 'what changed since iteration 0', href: places.sinceFirst };
  const button = { text: 'approve it', href: places.run('commands') };
  return { step: approve.text, words: ['Read ', since, ', then ', button, '.'] };
}

function toPush(places: Places): Next {
  const edit = { text: 'Change README.md on its branch', href: places.edit('README.md') };
  const words = ['Approved, and only this commit. ', edit, ' and commit it: the approval is withdrawn.'];
  return { step: push.text, words };
}

function afterPush(run: State, places: Places): Next {
  if (isAtWork(run)) {
    const words = ['No approval counts for the new commit. The verifiers come first.'];
    return { step: approveAgain.text, words };
  }
  if (run.standing.phase !== 'awaiting_approval') return offStory(run, places);
  const button = { text: 'approve', href: places.run('commands') };
  const words = ['It is verified, and not approved: ', button, ' the commit that the button names.'];
  return { step: approveAgain.text, words };
}

/** Whether it holds for the newest run. */
function is(runs: Runs, holds: (run: State) => boolean): boolean {
  const newest = newestOf(runs);
  return newest !== undefined && holds(newest);
}

function wasApproved(run: State): boolean {
  return isApproved(run) || run.interactions.some(({ how }) => how === 'approved');
}

function hasForeignCommit({ pushed_while_shown }: State): boolean {
  return pushed_while_shown === true;
}

import { expect, test } from 'vitest';
import { endedWork } from '../../src/page/load/ended-work.ts';
import { bob } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

const listed = ({ events }: Story) =>
  endedWork(events).map(({ attempt, outcome, head }) => ({ attempt, outcome, head }));

test('an attempt is listed with the verification of its own commit', () => {
  const run = story().starts();
  run.agent.finishes();
  run.verifiers.fail('test');
  const head = run.state.head;
  expect(listed(run)).toEqual([{ attempt: 1, outcome: 'red', head }]);
});

test('a verification of what somebody pushed meanwhile is not of the attempt', () => {
  const run = story().starts();
  run.agent.finishes();
  const made = run.state.head;
  run.pushes(bob);
  run.verifiers.pass();
  const pushed = run.state.head;
  run.says(bob, '/retry').works();
  expect(listed(run)).toEqual([
    { attempt: null, outcome: 'green', head: pushed },
    { attempt: 1, outcome: 'unverified', head: made },
    { attempt: 2, outcome: 'green', head: run.state.head },
  ]);
});

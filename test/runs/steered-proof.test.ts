import { expect, test } from 'vitest';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import { ada } from '../steering/samples.ts';
import { story } from '../steering/story.ts';
import { atWorkOn } from './at-work.ts';

test('a steer while the verifiers run says that nobody needs more than their results', () => {
  const run = story().starts().agent.finishes();
  const { live } = atWorkOn(run);
  const watch = live.awaitSteers();
  live.see(run.state);
  expect(watch.steered.aborted).toBe(false);
  live.see(run.says(ada, '/steer rename it').state);
  expect(watch.steered.aborted).toBe(true);
  watch.end();
});

test('a steer that came before is known from the beginning', () => {
  const run = story().starts().agent.finishes().says(ada, '/steer rename it');
  const watch = atWorkOn(run).live.awaitSteers();
  expect(watch.steered.aborted).toBe(true);
  watch.end();
});

test('what the verifiers run for besides the change is shown until they run for the change again', () => {
  const board = new ProgressBoard();
  board.verify('acme/sums#1', [], 'old_tests');
  expect(board.of('acme/sums#1')).toMatchObject({ stage: 'verifiers', trial: 'old_tests' });
  board.verify('acme/sums#1', []);
  expect(board.of('acme/sums#1')).not.toHaveProperty('trial');
});

import { expect, test } from 'vitest';
import { comesLast } from '../../src/steering/state/pending-effect.ts';
import { ada, rea } from './samples.ts';
import { type Story, story } from './story.ts';

/** Twelve comments within twelve minutes, each an event. */
function flood(run: Story, by = rea, words = '/steer do what I want'): Story {
  for (let count = 0; count < 12; count++) run.says(by, words);
  return run;
}

test('someone without write access is answered ten times an hour, then ignored', () => {
  const run = flood(story().starts().works());
  expect(run.replies).toHaveLength(10);
  const { state } = run;
  expect(run.says(rea, '/status').state).toBe(state);
});

test('read-only commands count as well, because they are answered too', () => {
  expect(flood(story().starts().works(), rea, '/diff').replies).toHaveLength(10);
});

test('what strangers cause comes last among the writes, what others cause does not', () => {
  const run = story().starts().works();
  run.says(rea, '/steer more').says(rea, '/status').says(ada, '/status').says(ada, '/approve');
  const answers = run.effects.filter((effect) => effect.do !== 'withdraw');
  expect(answers.map((effect) => [effect.do, comesLast(effect)])).toEqual([
    ['reply', true],
    ['reply', true],
    ['reply', false],
    ['check_finish', false],
  ]);
  expect(run.reacted.map(({ as, last }) => [as, last])).toEqual([
    ['confused', true],
    ['rocket', undefined],
  ]);
});

test('a whole diff needs write, because a stranger could have it posted again and again', () => {
  const run = story().starts().works().says(rea, '/diff --full');
  expect(run.refusal).toEqual({
    why: 'not_permitted',
    command: 'diff',
    has: 'read',
    needs: 'write for --full',
  });
  expect(story().starts().works().says(ada, '/diff --full').refusal).toBeUndefined();
  expect(story().starts().works().says(rea, '/diff src').refusal).toBeUndefined();
});

test('all of them together are answered thirty times an hour', () => {
  const run = story().starts().works();
  for (const id of [4, 5, 6, 7]) flood(run, { ...rea, id });
  expect(run.replies).toHaveLength(30);
});

test('a new login does not make anyone a new person', () => {
  const run = flood(story().starts().works());
  expect(flood(run, { ...rea, login: 'reb' }).replies).toHaveLength(10);
});

test('people with write access are not limited', () => {
  const run = flood(story().starts().works());
  expect(run.says(ada, '/approve').phase).toBe('approved');
});

test('an App that writes for a person is limited as well, so that the two cannot loop', () => {
  const run = story().starts().works();
  for (let count = 0; count < 12; count++) run.says(ada, '/status', { via_app: 'helper' });
  expect(run.replies).toHaveLength(10);
});

test('an hour later they are answered again', () => {
  const run = flood(story().starts().works()).waits(2);
  expect(run.says(rea, '/status').replies).toHaveLength(11);
});

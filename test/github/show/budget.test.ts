import { expect, test } from 'vitest';
import { aBench } from './bench.ts';
import { aSession } from './session.ts';
import { working } from './state.ts';

const bench = aBench();

test('two attempts, a steer and an approval stay within the request budget, even when slow', async () => {
  const presenter = bench.aPresenter();
  for (const state of aSession()) await presenter.present(state);
  for (const id of [1, 2]) {
    await presenter.send(
      { id: `comment:${id}:react`, do: 'react', to: { comment_id: id }, as: 'rocket' },
      working,
    );
  }
  const requests = bench.github.requests();
  const writes = requests.filter((line) => !line.startsWith('GET'));
  expect(writes.length).toBeLessThanOrEqual(40);
  expect(requests.length).toBeLessThanOrEqual(60);
  expect(bench.github.checks.filter(({ conclusion }) => conclusion === null)).toEqual([]);
});

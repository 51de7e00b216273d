import { expect, test } from 'vitest';
import { presenterFixture } from './presenter-fixture.ts';
import { aSession } from './session.ts';

const fixture = presenterFixture();
const budget = { writes: 40, requests: 60 };

test('two attempts, a steer and an approval stay within the request budget, even when slow', async () => {
  const presenter = fixture.createPresenter();
  for (const state of aSession()) await presenter.present(state);
  const requests = fixture.github.requests();
  const writes = requests.filter((line) => !line.startsWith('GET'));
  const beyond = { writes: writes.length - budget.writes, requests: requests.length - budget.requests };
  expect(beyond.writes, `writes beyond the ${budget.writes} allowed`).toBeLessThanOrEqual(0);
  expect(beyond.requests, `requests beyond the ${budget.requests} allowed`).toBeLessThanOrEqual(0);
  expect(fixture.github.checks.filter(({ conclusion }) => conclusion === null)).toEqual([]);
});

import { afterEach, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { at } from './person.ts';

let fixture: AppFixture;

afterEach(() => expectCleanEnd(fixture));

test('two labels and a /run start one run', async () => {
  fixture = await startAppFixture();
  const { ada, bob } = fixture;
  const issue = await ada.opensIssue('Everybody wants this');
  await Promise.all([ada.labels(issue), bob.labels(issue), bob.says(issue, '/run this as well')]);
  const pull = await ada.findsPullFor(issue);
  await pull.waitForPhase('awaiting_approval');
  const { data } = await ada.octokit.rest.pulls.list({ ...at, state: 'all' });
  expect(data.filter(({ body }) => body?.includes(`#${issue},`))).toHaveLength(1);
});

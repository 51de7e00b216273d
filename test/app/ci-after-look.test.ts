import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { config } from './widgets.ts';

/** `ci: after_look`: GitHub is told to skip CI until a person lets it run. */
let fixture: AppFixture;

beforeAll(async () => {
  fixture = await startAppFixture({ files: { '.github/coxswain.yml': `${config}ci: after_look\n` } });
});
afterAll(() => expectCleanEnd(fixture));

async function headOf(pull: PullClient) {
  const { data } = await fixture.ada.octokit.rest.git.getCommit({ ...at, commit_sha: await pull.head() });
  return data;
}

test('each commit tells GitHub to skip CI, until someone says /verify --ci', async () => {
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  const before = await headOf(pull);
  // The last trailer, with two empty lines before the trailers.
  expect(before.message).toMatch(/^[^\n]+\n\n\nCoxswain-Run: [\s\S]*\nskip-checks: true\n?$/);
  await pull.waitForComment(/CI has not run on this commit/);
  expect((await pull.details()).body).toContain('CI has not run on this commit');

  await ada.says(pull, '/verify --ci');
  const { events } = await pull.waitForEvents('verified', 2);
  expect(events.filter(({ type }) => type === 'ci_started')).toHaveLength(1);
  await pull.waitForPhase('awaiting_approval');
  const after = await headOf(pull);
  expect(after.message).not.toContain('skip-checks');
  expect(after.tree.sha).toBe(before.tree.sha);
  expect(after.parents.map(({ sha }) => sha)).toEqual([before.sha]);
  expect((await pull.details()).body).not.toContain('CI has not run');

  await ada.says(pull, '/steer agent: work');
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  expect((await headOf(pull)).message).toMatch(/\nskip-checks: true\n?$/);
});

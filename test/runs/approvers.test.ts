import { expect, test } from 'vitest';
import { runWithApprovers } from './run-with-approvers.ts';
import { at } from './runs-fixture.ts';

const run = runWithApprovers();
const { number, pull, phase, comments, lastComment, says } = run;

test('an approval says what is still missing, and of whom; the last one that is missing approves', async () => {
  await says('ada', '/approve');
  expect(await lastComment()).toContain(
    'Approval 1 of 2 recorded. Still needed: 1 more by write; infra/ needs @acme/platform; web/app.js needs @mia.',
  );
  await says('mia', '/approve');
  expect(await phase()).toBe('awaiting_approval');
  expect(await lastComment()).toContain(
    'Approval 2 of 2 recorded. Still needed: infra/ needs @acme/platform.',
  );
  await says('bob', '/approve');
  expect(await phase()).toBe('approved');
  expect((await pull()).draft).toBe(false);
});

test('those whose approval is missing by name are asked for a review, once', async () => {
  const { requested_reviewers, requested_teams, draft } = await pull();
  expect(draft).toBe(true);
  expect(requested_reviewers?.map(({ login }) => login)).toEqual(['mia']);
  expect(requested_teams?.map(({ slug }) => slug)).toEqual(['platform']);
  const asked = { ...at, pull_number: number, reviewers: ['mia'] };
  await run.fixture.ada.rest.pulls.removeRequestedReviewers(asked);
  await says('ada', '/verify');
  expect((await pull()).requested_reviewers).toEqual([]);
});

test('people without a part in it are told who has', async () => {
  await says('rea', '/approve');
  expect(await lastComment()).toContain('@acme/platform');
  expect(await phase()).toBe('awaiting_approval');
});

test('an approval falls when its author leaves the team', async () => {
  for (const login of ['bob', 'mia'] as const) await says(login, '/approve');
  expect(await phase()).toBe('approved');
  run.fixture.forge.seed.setMember('acme/terraform', 'bob', false);
  await run.fixture.sweep();
  expect(await phase()).toBe('awaiting_approval');
  expect((await comments()).join('\n')).toContain('infra/ needs @acme/platform');
});

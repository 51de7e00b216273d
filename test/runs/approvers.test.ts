import { expect, test } from 'vitest';
import { runWithApprovers } from './run-with-approvers.ts';
import { at } from './runs-fixture.ts';

const run = runWithApprovers();
const { number, pull, phase, comments, lastComment, says } = run;

test('the comment that asks says what is still missing, and of whom; the last approval approves', async () => {
  const before = (await comments()).length;
  await says('ada', '/approve');
  expect(await lastComment()).toContain(
    '- 1 of 2 from people with write access; approved by ada\n- 0 of 1 from @acme/platform for `infra/`\n- 0 of 1 from @mia for `web/app.js`',
  );
  await says('mia', '/approve');
  expect(await phase()).toBe('awaiting_approval');
  expect(await lastComment()).toContain('- 1 of 1 from @mia for `web/app.js`; approved by mia');
  expect(await comments()).toHaveLength(before);
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

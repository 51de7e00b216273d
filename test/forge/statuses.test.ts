import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

test('a status is set by a person or an App', async () => {
  const { repository, sha } = await openPull(fixture);
  const asked = { ...repository.at, sha };
  const wil = fixture.person('wil');
  const { data } = await wil.repos.createCommitStatus({ ...asked, state: 'pending', context: 'ci' });
  expect(data).toMatchObject({ state: 'pending', context: 'ci', creator: { login: 'wil' } });
  const { data: second } = await repository.bot.repos.createCommitStatus({ ...asked, state: 'error' });
  expect(second).toMatchObject({ state: 'error', context: 'default', creator: { login: 'helm[bot]' } });
});

test('it takes write access, and of an App statuses: write', async () => {
  const { repository, sha } = await openPull(fixture);
  const asked = { ...repository.at, sha, state: 'success' as const };
  const refused = fixture.person('tri').repos.createCommitStatus(asked);
  expect((await httpErrorOf(refused)).status).toBe(403);
  fixture.forge.seed.setInstallationPermissions(repository.installation, { checks: 'write' });
  await expect(repository.bot.repos.createCommitStatus(asked)).rejects.toMatchObject({
    status: 403,
    response: { headers: { 'x-accepted-github-permissions': 'statuses=write' } },
  });
});

test('a commit that does not exist has no status', async () => {
  const { at } = await fixture.repository();
  const asked = { ...at, sha: 'a'.repeat(40), state: 'success' as const };
  expect(await httpErrorOf(fixture.person('wil').repos.createCommitStatus(asked))).toMatchObject({
    status: 422,
    message: expect.stringContaining('No commit found'),
  });
});

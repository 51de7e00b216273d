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

test('a status is set, listed, combined by its newest state, and delivered', async () => {
  const { repository, sha } = await openPull(fixture);
  await fixture.forgetDeliveries();
  const wil = fixture.person('wil');
  const asked = { ...repository.at, sha };
  const { data } = await wil.repos.createCommitStatus({ ...asked, state: 'pending', context: 'ci' });
  expect(data).toMatchObject({ state: 'pending', context: 'ci', creator: { login: 'wil' } });
  const combined = async () => {
    const { data: found } = await wil.repos.getCombinedStatusForRef({ ...repository.at, ref: 'topic' });
    return [found.state, found.total_count];
  };
  expect(await combined()).toEqual(['pending', 1]);
  await wil.repos.createCommitStatus({ ...asked, state: 'success', context: 'ci' });
  expect(await combined()).toEqual(['success', 1]);
  await repository.bot.repos.createCommitStatus({ ...asked, state: 'error' });
  expect(await combined()).toEqual(['failure', 2]);
  const { data: all } = await wil.repos.listCommitStatusesForRef({ ...repository.at, ref: sha });
  expect(all.map((one) => [one.context, one.state, one.creator?.login])).toEqual([
    ['default', 'error', 'helm[bot]'],
    ['ci', 'success', 'wil'],
    ['ci', 'pending', 'wil'],
  ]);
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ event, payload }) => [event, payload['state']])).toEqual([
    ['status', 'pending'],
    ['status', 'success'],
    ['status', 'error'],
  ]);
  expect(fixture.received[0]?.payload).toMatchObject({
    sha,
    branches: [{ name: 'topic' }],
    sender: { login: 'wil' },
  });
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

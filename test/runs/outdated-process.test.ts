import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, newestConclusion, number } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A process that knows a run as it was before another one recorded something. */
let saved: SavedForge;
let fixture: RunsFixture;

const config = (approval: string) =>
  `version: 1\nagent: { use: command, command: [sh, agent.sh] }\napproval: { ${approval} }\n`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, forge }) => {
    forge.seed.protect('acme/api', 'main', { required_checks: ['ci'] });
    forge.seed.addTeam('acme/core', { repositories: ['acme/api'] });
    forge.seed.setMember('acme/core', 'rea', true);
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

/** The second process sees the run wait for approval, and the first one goes on. */
async function bothSeeRun(approval: string): Promise<void> {
  fixture.switches();
  fixture.switches();
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': config(approval) });
  await fixture.says('ada', 1, '/run');
  fixture.switches();
  await fixture.sweep();
  fixture.switches();
}

test('the end of a check that reaches it merges what another process knows to be approved', async () => {
  await bothSeeRun('finish: merge');
  await fixture.says('mia', number, '/approve');
  const { head: sha } = (await ledgerOf(fixture)).state;
  await fixture.ada.rest.repos.createCommitStatus({ ...at, sha, context: 'ci', state: 'success' });
  fixture.switches();
  await fixture.checksPass(number);
  expect((await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data.merged).toBe(true);
});

test('a deleted approval of which it learns falls at once', async () => {
  await bothSeeRun('finish: ready');
  const approval = await fixture.says('mia', number, '/approve');
  const { head } = (await ledgerOf(fixture)).state;
  expect(await newestConclusion(fixture, head)).toBe('success');
  fixture.switches();
  await fixture.deletes('mia', number, approval);
  expect((await ledgerOf(fixture)).state).toMatchObject({
    approvals: [],
    standing: { phase: 'awaiting_approval' },
  });
  expect(await newestConclusion(fixture, head)).not.toBe('success');
});

test('the word of a team that may approve since then counts, also of somebody who may only read', async () => {
  await bothSeeRun('finish: ready');
  const text = config('finish: ready, by: ["@acme/core"]');
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': text });
  await fixture.says('ada', number, '/retry');
  const { head } = (await ledgerOf(fixture)).state;
  fixture.switches();
  await fixture.says('rea', number, `/approve ${head}`);
  expect((await ledgerOf(fixture)).state).toMatchObject({
    approvals: [{ by: { login: 'rea', teams: ['acme/core'] } }],
    standing: { phase: 'approved' },
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readBlock } from '../../src/github/show/block.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 was approved by Ada, in this process, and is open. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, says }) => {
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  await fixture.says('ada', number, `/approve ${await head()}`);
  expect(await phase()).toBe('approved');
});

afterEach(() => fixture.end());

async function pull() {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
}

const head = async () => (await pull()).head.sha;
const phase = async () => readBlock((await pull()).body ?? '')?.phase;

/** How the newest check run of the run ended. */
async function conclusion() {
  const ref = await head();
  const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref, check_name: 'Coxswain' });
  return data.check_runs[0]?.conclusion;
}

test('an approval that still holds is left alone by every sweep', async () => {
  const { updated_at } = await pull();
  await fixture.sweep();
  await fixture.sweep();
  expect(await conclusion()).toBe('success');
  expect((await pull()).updated_at).toBe(updated_at);
});

test('an approval by someone who has lost the role falls with the next sweep', async () => {
  fixture.forge.seed.setCollaborator('acme/api', 'ada', 'read');
  await fixture.sweep();
  expect(await phase()).toBe('awaiting_approval');
  expect(await conclusion()).toBe('action_required');
  expect((await fixture.appComments(number)).join('\n')).toContain(
    'ada is no longer allowed to approve (role read)',
  );
  expect(await pull()).toMatchObject({ draft: true });
});

test('an approval falls with the next sweep when the configuration has changed', async () => {
  const text = 'version: 1\nagent: { use: command, command: [sh, agent.sh] }\napproval: { required: 2 }\n';
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': text });
  await fixture.sweep();
  expect(await phase()).toBe('awaiting_approval');
  expect(await conclusion()).toBe('action_required');
});

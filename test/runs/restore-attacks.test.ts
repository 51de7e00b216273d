import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Bob, who may write, damages the ledger of a run to gain something from its restoration; Mia restores it. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;
const ref = 'refs/coxswain/open/2';

const config =
  'version: 1\nagent: { use: command, command: [sh, agent.sh] }\nverifiers:\n  - { name: test, run: "true" }\n' +
  'approval: { steerer_may_approve: false }\n';

beforeAll(async () => {
  saved = await saveForge(async ({ forge, ada, says }) => {
    await forge.seed.commit('acme/api', { '.github/coxswain.yml': config });
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

async function pull() {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
}

async function state() {
  const found = await readLedger(fixture.url, fixture.adasToken, number);
  if (found === undefined) throw new Error('there is no ledger');
  return found.state;
}

const deleteLedger = () => fixture.gitAsAda('push', '--quiet', fixture.url, `:${ref}`);

async function edits(body: string): Promise<void> {
  await fixture.bob.rest.pulls.update({ ...at, pull_number: number, body });
}

/** Points the branch of the run to a commit on which nothing was drawn. */
async function movesBranch(): Promise<void> {
  const { head } = await pull();
  await fixture.pushes('bob', { from: 'main', to: head.ref, files: { 'x.txt': 'x\n' }, force: true });
}

describe('an older block put back', () => {
  test.each([
    ['on the same head', false],
    ['with a head on which nothing was drawn', true],
  ])('%s does not make its steerer forgotten', async (_, moved) => {
    const older = (await pull()).body ?? '';
    await fixture.says('bob', number, '/steer put my change in');
    await deleteLedger();
    if (moved) await movesBranch();
    await edits(older);
    await fixture.says('mia', number, '/resume');
    expect(await state()).toMatchObject({ people_unknown: true, restored: { unproven: true } });
    await fixture.says('bob', number, `/approve ${(await state()).head}`);
    expect((await state()).standing.phase).not.toBe('approved');
    expect((await fixture.appComments(number)).at(-1)).toMatch(/^@bob: /);
  });
});

describe('the newest block', () => {
  test('proves who steered', async () => {
    await fixture.says('bob', number, '/steer put my change in');
    await deleteLedger();
    await fixture.says('mia', number, '/resume');
    const restored = await state();
    expect(restored.people_unknown).toBeUndefined();
    expect(restored.restored).not.toHaveProperty('unproven');
    await fixture.says('bob', number, `/approve ${restored.head}`);
    expect((await fixture.appComments(number)).at(-1)).toMatch(/^@bob: .*steer/);
    await fixture.says('ada', number, `/approve ${restored.head}`);
    expect((await state()).standing.phase).toBe('approved');
  });
});

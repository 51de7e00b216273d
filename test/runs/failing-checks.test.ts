import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ledgerOf, newestConclusion, number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 that Mia has approved, and what can be asked about it only in part. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(async () => {
  vi.useRealTimers();
  await fixture.end();
});

const conclusion = (ref: string) => newestConclusion(fixture, ref);
const state = async () => (await ledgerOf(fixture)).state;

/** From now on such requests are refused. */
function fails(path: RegExp): void {
  fixture.forge.seed.fault({ method: 'GET', path, times: 1_000, status: 422, body: { message: 'No.' } });
}

describe('while the reviews of a pull request cannot be read', () => {
  test('an approval by someone who has lost the role falls', async () => {
    const { head } = await state();
    fails(/\/pulls\/2\/reviews\?/);
    fixture.forge.seed.setCollaborator('acme/api', 'mia', 'read');
    await fixture.sweep();
    expect(await conclusion(head)).not.toBe('success');
    expect((await state()).standing.phase).not.toBe('approved');
  });
});

test('a push revokes an approval even where Git cannot tell whether it only merges the base', async () => {
  const { head, run } = await state();
  const { repository } = fixture.run(number).run;
  const { dir } = await repository.mirror();
  await fixture.pushes('ada', { from: 'main', files: { newer: 'x\n' } });
  const merged = await fixture.pushes('bob', { from: run.branch, merge: 'main' });
  const lock = join(dir, 'refs', 'heads', 'main.lock');
  await writeFile(lock, '');
  const sweeping = fixture.sweep();
  await expect.poll(state).toMatchObject({ head: merged, approvals: [] });
  await rm(lock);
  await sweeping;
  expect(await conclusion(head)).toBe('cancelled');
});

test('what is known to have fallen is taken back although it takes long to record it', async () => {
  const { forge, ada } = fixture;
  const { head } = await state();
  forge.seed.setCollaborator('acme/api', 'mia', 'read');
  forge.seed.fault({ method: 'POST', path: /git-receive-pack$/, times: 1, delay_ms: 12_000 });
  await fixture.sweep();
  await expect.poll(state).toMatchObject({ approvals: [] });
  const place = { ...at, ref: head, check_name: 'Coxswain', filter: 'all' } as const;
  const { data } = await ada.rest.checks.listForRef(place);
  const titles = data.check_runs.map(({ output }) => output.title);
  expect(titles).toContain('Approved, but not everything is recorded');
});

describe('when the approvals cannot be read', () => {
  beforeEach(() => fails(/\/collaborators\/mia\/permission/));

  test('they fall when the check has failed for a while', async () => {
    const { head } = await state();
    await fixture.sweep();
    expect(await conclusion(head)).toBe('success');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
    await fixture.sweep();
    expect(await conclusion(head)).not.toBe('success');
    expect((await state()).approvals).toEqual([]);
    expect((await fixture.appComments(number)).join('\n')).toContain('could not be checked');
  });
});

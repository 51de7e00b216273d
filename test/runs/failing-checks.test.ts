import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 that Mia has approved, and what can be asked about it only in part. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, says }) => {
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
    await says('mia', number, '/approve');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(async () => {
  vi.useRealTimers();
  await fixture.end();
});

async function state() {
  const found = await readLedger(fixture.url, fixture.adasToken, number);
  if (found === undefined) throw new Error('there is no ledger');
  return found.state;
}

/** The newest conclusion of our check run on a commit. */
async function conclusion(ref: string): Promise<string | null | undefined> {
  const place = { ...at, ref, check_name: 'Coxswain', filter: 'all' } as const;
  const { data } = await fixture.ada.rest.checks.listForRef(place);
  return data.check_runs.toSorted((one, other) => one.id - other.id).at(-1)?.conclusion;
}

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
  await expect.poll(state, { timeout: 30_000 }).toMatchObject({ head: merged, approvals: [] });
  await rm(lock);
  await sweeping;
  expect(await conclusion(head)).toBe('cancelled');
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

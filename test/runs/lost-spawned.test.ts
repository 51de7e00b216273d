import type { RequestHook } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';
import { oneTask, saveInterruptedRun, stateOf } from './spawning-fixture.ts';

/** The ledger of a run that has taken the place of another one, or that others were to replace, is lost. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveInterruptedRun();
});

afterAll(() => saved.remove());

afterEach(() => fixture.end());

async function start(): Promise<RunsFixture> {
  fixture = await startRunsFixture(saved, undefined, { onRequest: refusesOther });
  fixture.wait(10);
  return fixture;
}

/** Nobody opens the pull request of that task. */
const refusesOther: RequestHook = async ({ method, path, body }, next) => {
  if (method !== 'POST' || !path.endsWith('/pulls') || !body.toString().includes('Nobody')) return next();
  const message = JSON.stringify({ message: 'Resource not accessible by integration' });
  return { status: 403, headers: { 'content-type': 'application/json' }, body: message };
};

async function loses(run: RunsFixture, number: number): Promise<void> {
  await run.gitAsAda('push', '--quiet', run.url, `:refs/coxswain/open/${number}`);
  await run.restart();
  run.wait(10);
  await run.says('mia', number, '/resume');
}

test('a run that was begun anew still is in the place of another one, on the same issue', async () => {
  const run = await start();
  await run.says('ada', 2, oneTask);
  const { replaces } = await stateOf(run, 3);
  await loses(run, 3);
  expect(await stateOf(run, 3)).toMatchObject({
    ...{ restored: { by: 'mia' }, replaces, run: { issue: 1 }, standing: { phase: 'awaiting_approval' } },
  });
});

test('what anybody writes into its description does not put it into the place of another one', async () => {
  const run = await start();
  await run.ada.rest.pulls.update({ ...at, pull_number: 2, body: 'Takes the place of #1.' });
  await loses(run, 2);
  const state = await stateOf(run, 2);
  expect(state).toHaveProperty('restored');
  expect(state).not.toHaveProperty('replaces');
});

test('a run that was begun anew knows those that were made in its place', async () => {
  const run = await start();
  const two = ['name: one', 'description: One', '---', 'name: other', 'description: Nobody'];
  await run.says('ada', 2, ['/spawn', '```coxswain', ...two, '```'].join('\n'));
  const { replaced_by } = await stateOf(run, 2);
  expect(replaced_by).toMatchObject({ made: [{ name: 'one', number: 3 }] });
  await loses(run, 2);
  expect(await stateOf(run, 2)).toMatchObject({ restored: { by: 'mia' }, replaced_by });
});

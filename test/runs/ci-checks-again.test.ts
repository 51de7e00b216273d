import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ledgerOf, newestConclusion, number } from './approved-run.ts';
import { configuration, githubActions, type OwnCi } from './own-ci.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run on #2 that waits for the check of its CI. */
let saved: SavedForge;
let fixture: RunsFixture;
let ci: OwnCi;

async function starts({ ada, says, pushes }: RunsFixture, config: string): Promise<void> {
  await pushes('ada', { from: 'main', files: { '.github/coxswain.yml': config } });
  const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  await says('ada', issue.data.number, '/run');
}

beforeAll(async () => {
  saved = await saveForge((first) => starts(first, configuration()));
});
afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  ci = githubActions(fixture);
});
afterEach(() => fixture.end());

const state = async () => (await ledgerOf(fixture)).state;
const phase = async () => (await state()).standing.phase;
const head = async () => (await state()).head;

/** GitHub tells the App that a check has ended. */
async function told(name = 'build / test', app = 'github-actions'): Promise<void> {
  await fixture.checkEnds(number, { check_name: name, app, head_sha: await head() });
}

async function ends(...[conclusion, given]: Shift<Parameters<OwnCi['says']>>): Promise<void> {
  await ci.says(await head(), conclusion, given);
  await told();
}

type Shift<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

describe('what is run again', () => {
  test('takes it back at the sweep, too', async () => {
    await ends('success');
    await fixture.says('mia', number, '/approve');
    await ci.says(await head(), 'failure');
    await fixture.sweep();
    expect((await state()).approvals).toEqual([]);
    expect(await newestConclusion(fixture, await head())).not.toBe('success');
  });

  test('is judged again without an attempt if it succeeds', async () => {
    await ends('cancelled');
    await ends('success');
    expect(await state()).toMatchObject({ attempt: 1, standing: { phase: 'awaiting_approval' } });
    await fixture.says('bob', number, '/approve');
    expect(await newestConclusion(fixture, await head())).toBe('success');
  });

  test('refuses the finish by name if it failed before anybody told us', async () => {
    await ends('success');
    await ci.says(await head(), 'failure');
    await fixture.says('mia', number, '/approve');
    expect(await newestConclusion(fixture, await head())).not.toBe('success');
    expect((await fixture.appComments(number)).join()).toContain('ci (build / test by github-actions)');
  });

  test('does not matter to whoever approved despite it', async () => {
    await ends('skipped');
    await fixture.says('mia', number, '/approve --despite ci');
    expect(await newestConclusion(fixture, await head())).toBe('success');
    await fixture.sweep();
    expect(await phase()).toBe('approved');
  });

  test('out of draft takes nothing back while it runs', async () => {
    await ends('success');
    await fixture.says('mia', number, '/approve');
    await ci.says(await head(), null);
    await fixture.sweep();
    expect(await newestConclusion(fixture, await head())).toBe('success');
  });
});

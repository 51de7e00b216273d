import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { ledgerOf, number } from './approved-run.ts';
import { configuration, githubActions, type OwnCi } from './own-ci.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Gives each test of the file a copy of a run on #2 that waits for the check of its CI. */
export function runAwaitingCi() {
  let saved: SavedForge;
  let fixture: RunsFixture;
  let ci: OwnCi;
  beforeAll(async () => {
    saved = await saveForge(starts);
  });
  afterAll(() => saved.remove());
  beforeEach(async () => {
    fixture = await startRunsFixture(saved);
    ci = githubActions(fixture);
  });
  afterEach(() => fixture.end());

  const state = async () => (await ledgerOf(fixture)).state;
  const head = async () => (await state()).head;
  /** GitHub tells the App that a check has ended. */
  const told = async (name = 'build / test', app = 'github-actions') =>
    fixture.checkEnds(number, { check_name: name, app, head_sha: await head() });
  return {
    get fixture() {
      return fixture;
    },
    get ci() {
      return ci;
    },
    ...{ state, head, told },
    phase: async () => (await state()).standing.phase,
    /** The check on the head ends, and GitHub tells the App. */
    ends: async (...[conclusion, given]: Shift<Parameters<OwnCi['says']>>) => {
      await ci.says(await head(), conclusion, given);
      await told();
    },
  };
}

type Shift<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

async function starts({ ada, says, pushes }: RunsFixture): Promise<void> {
  await pushes('ada', { from: 'main', files: { '.github/coxswain.yml': configuration() } });
  const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  await says('ada', issue.data.number, '/run');
}

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { ledgerOf, number, saveRunForApproval } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** Gives each test of the file a copy of a run on a real pull request, with real Git, that waits for approval. */
export function runForApproval() {
  let saved: SavedForge;
  let fixture: RunsFixture;
  beforeAll(async () => {
    saved = await saveRunForApproval();
  });
  afterAll(() => saved.remove());
  beforeEach(async () => {
    fixture = await startRunsFixture(saved);
  });
  afterEach(() => fixture.end());

  const pull = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
  const headOf = async () => (await pull()).head.sha;
  return {
    get fixture() {
      return fixture;
    },
    ...{ pull, headOf },
    state: async () => (await ledgerOf(fixture)).state,
    treeOf: async (sha: string) =>
      (await fixture.ada.rest.git.getCommit({ ...at, commit_sha: sha })).data.tree.sha,
    says: (text: string) => fixture.says('ada', number, text),
    /** The newest check run of the App on the head. */
    check: async () => {
      const place = { ...at, ref: await headOf(), check_name: 'Coxswain' };
      const { data } = await fixture.ada.rest.checks.listForRef(place);
      return data.check_runs.toSorted((one, other) => other.id - one.id)[0];
    },
  };
}

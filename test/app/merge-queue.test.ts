import type { MergeQueueRule } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type AppFixture,
  expectNoProblems,
  name,
  startAppFixture,
  waitForDeliveries,
} from './app-fixture.ts';
import { at, type Person } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { config } from './widgets.ts';

/** Runs that are merged through a merge queue, in a repository whose rules require our check. */
let fixture: AppFixture;

beforeAll(async () => {
  const merging = `${config}approval: { finish: merge }\nothers: pass\n`;
  fixture = await startAppFixture({ files: { '.github/coxswain.yml': merging } });
  startQueue();
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

/** The default branch has a merge queue, and requires `Coxswain` from our App. */
function startQueue(parameters: Partial<MergeQueueRule['parameters']> = {}): void {
  const { id: integration_id } = fixture.accounts.registered;
  const required_status_checks = ['Coxswain', 'Coxswain / test'].map((context) => ({
    context,
    integration_id,
  }));
  fixture.forge.seed.addRuleset(name, {
    rules: [
      { type: 'merge_queue', parameters },
      { type: 'required_status_checks', parameters: { required_status_checks } },
    ],
  });
}

async function waitForMerge(pull: PullClient): Promise<void> {
  await pull.waitUntil(
    `#${pull.number} to be merged`,
    async () => (await pull.details()).merged || undefined,
  );
}

async function started(task: string): Promise<PullClient> {
  const pull = await fixture.ada.starts(task);
  await pull.waitForPhase('awaiting_approval');
  return pull;
}

describe('with `finish: merge`', () => {
  test('two approved runs are merged through the queue, each verified with what is before it', async () => {
    const { bob } = fixture;
    const [one, two] = [await started('agent: file src/one.txt'), await started('agent: file src/two.txt')];
    await bob.says(one, '/approve');
    await bob.says(two, '/approve');
    await waitForMerge(one);
    await waitForMerge(two);
    await two.waitForPhase('done');
    expect((await two.ledger()).events.map(({ type }) => type)).toContain('enqueued');
    await waitForDeliveries(fixture);
    const { data } = await bob.octokit.rest.repos.getContent({ ...at, path: 'src' });
    expect((data as { name: string }[]).map((file) => file.name)).toEqual(
      expect.arrayContaining(['one.txt', 'two.txt']),
    );
    const [check] = (await two.checks('main')).filter((run) => run.name === 'Coxswain');
    expect(check).toMatchObject({ conclusion: 'success', output: { title: 'Approved and verified' } });
  });
});

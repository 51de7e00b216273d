import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listRemote } from '../../src/git/remote.ts';
import { type AppFixture, expectCleanEnd, permissions, startAppFixture } from './app-fixture.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** Work that the repository's CI must not run before a human has looked at it. */
let fixture: AppFixture;

beforeAll(async () => {
  fixture = await startAppFixture({ permissions: { ...permissions, workflows: 'write' } });
});
afterAll(() => expectCleanEnd(fixture));

/** Every ref of the repository with its commit. */
function refs() {
  return listRemote(
    { url: `${fixture.forge.url}/acme/widgets.git`, token: async () => fixture.ada.token },
    [],
  );
}

async function keptFor({ number }: PullClient): Promise<readonly string[]> {
  return [...(await refs()).keys()].filter((ref) => ref.startsWith(`refs/coxswain/kept/${number}/`));
}

async function filesOn(pull: PullClient): Promise<readonly string[]> {
  const { data } = await fixture.ada.octokit.rest.pulls.listFiles({ ...at, pull_number: pull.number });
  return data.map(({ filename }) => filename);
}

describe('an agent that adds a workflow', () => {
  test('waits for permission, and nothing of it is on a branch until then', async () => {
    const { ada, mia } = fixture;
    const pull = await ada.starts('agent: workflow');
    await pull.waitForPhase('awaiting_permission');
    expect(await filesOn(pull)).toEqual([]);
    const [kept = ''] = await keptFor(pull);
    const commit = kept.split('/').at(-1);
    const ask = await pull.waitForComment(/Permission needed before this is pushed/);
    expect(ask).toMatch(/`changes-automation` \(high\): `.github\/workflows\/new.yml` is added\. Allowing/);
    expect(ask).toContain(`/compare/main...${commit}`);
    const check = await pull.check('Coxswain');
    expect(check).toMatchObject({ conclusion: 'action_required', output: { title: /permission to push/ } });

    await mia.says(pull, '/allow');
    await pull.waitForPhase('awaiting_approval');
    expect(await pull.head()).toBe(commit);
    expect(await filesOn(pull)).toEqual(['.github/workflows/new.yml']);
  });

  test('is told when it is denied, and tries again', async () => {
    const { ada, bob } = fixture;
    const pull = await ada.starts('agent: workflow');
    await pull.waitForPhase('awaiting_permission');
    await bob.says(pull, '/deny agent: work without workflows');
    await pull.waitForPhase('awaiting_approval');
    expect(await filesOn(pull)).toEqual(['src/0.txt']);
    expect(await keptFor(pull)).toHaveLength(1);
    const { events } = await pull.ledger();
    const finished = events.filter(({ type }) => type === 'work_finished');
    expect(finished).toMatchObject([{ hold: { iteration: 0, attempt: 2 } }]);
  });

  test('can be steered instead: what was held stays off the branch', async () => {
    const { ada } = fixture;
    const pull = await ada.starts('agent: workflow');
    await pull.waitForPhase('awaiting_permission');
    await ada.says(pull, '/steer agent: work');
    await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    expect(await filesOn(pull)).toEqual(['src/1.txt']);
    expect(await keptFor(pull)).toHaveLength(1);
  });

  test('is allowed always by a button: its next workflow is pushed at once', async () => {
    const { ada } = fixture;
    const pull = await ada.starts('agent: workflow');
    await pull.waitForPhase('awaiting_permission');
    await ada.clicks(pull, 'allow_always');
    await pull.waitForPhase('awaiting_approval');
    await ada.says(pull, '/steer agent: other-workflow');
    await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    expect(await filesOn(pull)).toEqual(['.github/workflows/new.yml', '.github/workflows/other.yml']);
  });
});

describe('an agent that touches secrets', () => {
  test('has its work kept on this machine only, and asks a maintainer', async () => {
    const { ada, bob, mia } = fixture;
    const pull = await ada.starts('agent: secret');
    await pull.waitForPhase('awaiting_permission');
    const ask = await pull.waitForComment(/Permission needed/);
    expect(ask).toMatch(/only on the machine where the agent ran, because it touches secrets/);
    expect(await keptFor(pull)).toEqual([]);

    await bob.says(pull, '/allow');
    await pull.waitForComment(/`\/allow` requires maintain/);
    expect(await filesOn(pull)).toEqual([]);

    await mia.says(pull, '/allow');
    await pull.waitForPhase('awaiting_approval');
    expect(await filesOn(pull)).toEqual(['config/.env']);
  });
});

test('allowed work that no longer exists is an honest failure, and /retry makes it anew', async () => {
  const { ada, variables } = fixture;
  const pull = await ada.starts('agent: workflow');
  await pull.waitForPhase('awaiting_permission');
  const [kept = ''] = await keptFor(pull);
  await ada.octokit.rest.git.deleteRef({ ...at, ref: kept.replace('refs/', '') });
  await fixture.app.stop();
  rmSync(join(variables['COXSWAIN_DATA'] ?? '', 'mirrors'), { recursive: true });
  await fixture.start();
  await ada.says(pull, '/allow');
  await pull.waitForPhase('awaiting_resolution');
  await pull.waitForComment(/no longer exists: it is neither here nor at refs/);
  expect(await filesOn(pull)).toEqual([]);
  await ada.says(pull, '/retry');
  await pull.waitForPhase('awaiting_permission');
});

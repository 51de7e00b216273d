import { Octokit } from '@octokit/rest';
import { afterEach, expect, test } from 'vitest';
import { isAwaitingChecks } from '../../src/steering/shapes/standing.ts';
import {
  type AppFixture,
  expectNoProblems,
  name,
  prepareAppFixture,
  startAppFixture,
} from './app-fixture.ts';
import { Apps } from './apps.ts';
import { eventually } from './eventually.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { config } from './widgets.ts';

/** A check of GitHub Actions is a verifier, and the App is told of it by webhooks alone. */
let fixture: AppFixture;
let apps: Apps | undefined;

afterEach(async () => {
  await apps?.end();
  await fixture.end();
});

const ci = '  - { name: ci, check: "build / test", app: github-actions, timeout: 10m }\n';
const files = { '.github/coxswain.yml': config.replace('verifiers:\n', `verifiers:\n${ci}`) };

/** No sweep makes good what a webhook misses. */
const variables = { COXSWAIN_SWEEP_EVERY: '1h' };

async function waitForCi(pull: PullClient, attempt: number): Promise<string> {
  await pull.waitForEvents('verified', attempt);
  return eventually(`attempt ${attempt} waits for CI`, async () => {
    const { state } = await pull.ledger();
    return state.attempt === attempt && isAwaitingChecks(state.standing) ? state.head : undefined;
  });
}

async function ciSays(head_sha: string, conclusion: 'success' | 'failure', summary: string): Promise<void> {
  const { forge } = fixture;
  const auth = forge.seed.actionsToken(name, { checks: 'write' });
  const output = { title: 'CI', summary };
  const check = { ...at, name: 'build / test', head_sha, conclusion, output };
  await new Octokit({ baseUrl: forge.apiUrl, auth }).rest.checks.create(check);
}

test('what it says of a commit starts the next attempt, or lets people approve', async () => {
  fixture = await startAppFixture({ files, variables });
  const { ada, bob } = fixture;
  const pull = await ada.starts('Make it fine');
  const first = await waitForCi(pull, 1);
  await fixture.app.kill();
  await fixture.start();
  await ciSays(first, 'failure', 'expected 3, got 4');
  const second = await waitForCi(pull, 2);
  expect(second).not.toBe(first);
  await ciSays(second, 'success', '12 tests');
  await pull.waitForPhase('awaiting_approval');
  await pull.waitForComment(/pass `widgets:ci` \(\[build \/ test: success\]\(http/);
  await bob.says(pull, '/approve');
  await pull.waitForPhase('approved');
  await ciSays(second, 'failure', 'a flaky test');
  await pull.waitForPhase('awaiting_resolution');
  await expect.poll(async () => (await pull.check('Coxswain')).conclusion).not.toBe('success');
  expectNoProblems(fixture);
});

test('either of two Apps hears of it', async () => {
  fixture = await prepareAppFixture({ files, unchecked: true, variables });
  apps = await Apps.prepare(fixture, 2);
  await apps.start();
  const pull = await fixture.ada.starts('Make it fine');
  await ciSays(await waitForCi(pull, 1), 'failure', 'expected 3, got 4');
  await ciSays(await waitForCi(pull, 2), 'success', '12 tests');
  await pull.waitForPhase('awaiting_approval');
  await apps.stop();
});

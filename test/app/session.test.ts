import { afterEach, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** A whole session with people, GitHub, and the App as an operator runs it. */
let fixture: AppFixture;

afterEach(() => expectCleanEnd(fixture));

async function namesAndResults(pull: PullClient, ref?: string) {
  const checks = await pull.checks(ref);
  return Object.fromEntries(checks.map(({ name, conclusion }) => [name, conclusion]));
}

test('label, red, green, steer, approve, ready, with the write limits of GitHub', async () => {
  fixture = await startAppFixture({ variables: { COXSWAIN_WRITE_LIMITS: 'github' } });
  const { ada, barrier } = fixture;
  const pull = await ada.starts(`Make it fine. agent: red-then-wait ${barrier.path}`);
  await barrier.reached();
  await expectRedChecks(pull);
  barrier.open();
  const first = await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  expect(first).toMatchObject({ attempt: 2, max_attempts: 3, decision: 'wait', unverified: false });
  expect(await pull.details()).toMatchObject({ draft: true, state: 'open', base: { ref: 'main' } });
  await expectGreenChecks(pull);
  await pull.waitForComment(/Coxswain finished Widgets are wrong[\s\S]*Did red-then-wait in iteration 0/);

  const steer = await ada.says(pull, '/steer also mind the empty list');
  expect(await pull.waitForReaction(steer, 'rocket')).toEqual(['eyes', 'rocket']);
  const second = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  expect(second.history).toMatchObject([
    { iteration_number: 1, prompt: 'also mind the empty list', landed: true },
  ]);
  await pull.waitForComment(/Steering iteration 1 complete/);

  const approval = await ada.says(pull, `/approve ${second.head_sha}`);
  expect(await pull.waitForReaction(approval, 'rocket')).toEqual(['eyes', 'rocket']);
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
  expect(await fixture.app.stop()).toBe(0);
  expectLogged(`acme/widgets#${pull.number}: started by ada, now queued (`);
  expectLogged(`acme/widgets#${pull.number}: /approve by ada, now approved (comment:${approval}@`);
  await expectApproved(pull);
});

/** The failing check stays on its commit, with an annotation at the reported line. */
async function expectRedChecks(pull: PullClient): Promise<void> {
  const head = await pull.head();
  const results = () => namesAndResults(pull, head);
  await expect.poll(results, { timeout: 60_000 }).toMatchObject({ 'Coxswain / test': 'failure' });
  const { id } = await pull.check('Coxswain / test');
  const { data: notes } = await fixture.ada.octokit.rest.checks.listAnnotations({ ...at, check_run_id: id });
  expect(notes).toMatchObject([{ path: 'src/0.txt', start_line: 1, annotation_level: 'failure' }]);
}

async function expectGreenChecks(pull: PullClient): Promise<void> {
  const { octokit } = fixture.ada;
  const { data: commits } = await octokit.rest.pulls.listCommits({ ...at, pull_number: pull.number });
  const messages = commits.map(({ commit }) => commit.message);
  expect(messages).toHaveLength(3);
  expect(messages[1]).toContain(`Coxswain-Run: acme/widgets#${pull.number}`);
  expect(messages[2]).toMatch(/Coxswain-Iteration: 0\nCoxswain-Attempt: 2\nCo-authored-by: ada/);
  expect(await namesAndResults(pull)).toEqual({
    Coxswain: 'action_required',
    'Coxswain / test': 'success',
    'Coxswain / lint': 'success',
  });
}

async function expectApproved(pull: PullClient): Promise<void> {
  const facts = await pull.details();
  const labels = facts.labels.map(({ name }) => name).sort();
  expect(labels).toEqual(['coxswain', 'coxswain:approved']);
  expect(await namesAndResults(pull)).toMatchObject({ Coxswain: 'success', 'Coxswain / test': 'success' });
  const ledger = await pull.ledger();
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger).toMatchObject({ ref: `refs/coxswain/open/${pull.number}`, state: { owed: [] } });
  expect(await pull.block()).toMatchObject({ phase: 'approved', ledger: ledger.ref });
  const requests = fixture.requests();
  const writes = requests.filter(({ method }) => method !== 'GET');
  // The slower the machine, the more of its phases last long enough to be shown.
  expect(requests.length).toBeLessThanOrEqual(90);
  expect(writes.length).toBeLessThanOrEqual(50);
}

/** The App has logged exactly one line that begins so. */
function expectLogged(beginning: string): void {
  const messages = fixture.app
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => String(JSON.parse(line).msg));
  expect(messages.filter((message) => message.startsWith(beginning))).toHaveLength(1);
}

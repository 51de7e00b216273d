import { afterEach, describe, expect, test } from 'vitest';
import { flawsOf } from './ledger-story.ts';
import { at } from './person.ts';
import type { PullStory } from './pull-story.ts';
import { endCleanly, type Stage, setStage } from './stage.ts';
import { setStageWithRuns } from './waiting-runs.ts';
import { config } from './widgets.ts';

/** Whole sessions: people and GitHub on one side, the App as an operator runs it on the other. */
let stage: Stage;

afterEach(() => endCleanly(stage));

async function namesAndResults(pull: PullStory, ref?: string) {
  const checks = await pull.checks(ref);
  return Object.fromEntries(checks.map(({ name, conclusion }) => [name, conclusion]));
}

describe('the whole loop', () => {
  test('label, red, green, steer, approve, ready: at the pace of GitHub', async () => {
    stage = await setStage({ variables: { COXSWAIN_WRITE_LIMITS: 'github' } });
    const { ada, gate } = stage;
    const pull = await ada.starts(`Make it fine. agent: red-then-wait ${gate.url}`);
    await gate.reached();
    await sawRed(pull);
    gate.open();
    const first = await pull.reaches('awaiting_approval', { iteration: 0 });
    expect(first).toMatchObject({ attempt: 2, max_attempts: 3, decision: 'wait', unverified: false });
    expect(await pull.facts()).toMatchObject({ draft: true, state: 'open', base: { ref: 'main' } });
    await sawGreen(pull);
    await pull.hears(/Coxswain finished Widgets are wrong[\s\S]*Did red-then-wait in iteration 0/);

    const steer = await ada.says(pull, '/steer also mind the empty list');
    expect(await pull.reacts(steer, 'rocket')).toEqual(['eyes', 'rocket']);
    const second = await pull.reaches('awaiting_approval', { iteration: 1 });
    expect(second.history).toMatchObject([
      { iteration_number: 1, prompt: 'also mind the empty list', landed: true },
    ]);
    await pull.hears(/Steering iteration 1 complete/);

    const approval = await ada.says(pull, `/approve ${second.head_sha}`);
    expect(await pull.reacts(approval, 'rocket')).toEqual(['eyes', 'rocket']);
    await pull.reaches('approved');
    await pull.isDraft(false);
    expect(await stage.app.stop()).toBe(0);
    await endedWell(pull);
  });

  test('a click on Approve is as good as the word', async () => {
    const waiting = await setStageWithRuns();
    stage = waiting.stage;
    const { bob } = stage;
    const pull = waiting.next();
    await bob.clicks(pull, 'approve');
    await pull.reaches('approved');
    await pull.isDraft(false);
    const { state } = await pull.ledger();
    expect(state.approvals).toMatchObject([{ by: { login: 'bob' }, source: { from: 'click' } }]);
  });

  test('where approving is to merge, what was approved is merged', async () => {
    const merging = `${config}approval: { finish: merge }\n`;
    stage = await setStage({ files: { '.github/coxswain.yml': merging } });
    const { ada } = stage;
    const pull = await ada.starts('Make it fine');
    const { head_sha } = await pull.reaches('awaiting_approval');
    await ada.says(pull, `/approve ${head_sha}`);
    await pull.reaches('done');
    expect(await pull.facts()).toMatchObject({ merged: true, head: { sha: head_sha } });
    const ledger = await pull.ledger();
    expect(ledger.ref).toBe(`refs/coxswain/closed/${pull.number}`);
    expect(flawsOf(ledger)).toEqual([]);
  });
});

/** What was red stays on its commit, with a note where the verifier pointed. */
async function sawRed(pull: PullStory): Promise<void> {
  const head = await pull.head();
  const results = () => namesAndResults(pull, head);
  await expect.poll(results, { timeout: 10_000 }).toMatchObject({ 'Coxswain / test': 'failure' });
  const { id } = await pull.check('Coxswain / test');
  const { data: notes } = await stage.ada.octokit.rest.checks.listAnnotations({ ...at, check_run_id: id });
  expect(notes).toMatchObject([{ path: 'src/0.txt', start_line: 1, annotation_level: 'failure' }]);
}

async function sawGreen(pull: PullStory): Promise<void> {
  const { octokit } = stage.ada;
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

async function endedWell(pull: PullStory): Promise<void> {
  const facts = await pull.facts();
  const labels = facts.labels.map(({ name }) => name).sort();
  expect(labels).toEqual(['coxswain', 'coxswain:approved']);
  expect(await namesAndResults(pull)).toMatchObject({ Coxswain: 'success', 'Coxswain / test': 'success' });
  const ledger = await pull.ledger();
  expect(flawsOf(ledger)).toEqual([]);
  expect(ledger).toMatchObject({ ref: `refs/coxswain/open/${pull.number}`, state: { owed: [] } });
  expect(await pull.block()).toMatchObject({ phase: 'approved', ledger: ledger.ref });
  const requests = stage.requests();
  const writes = requests.filter(({ method }) => method !== 'GET');
  expect(requests.length).toBeLessThanOrEqual(70);
  expect(writes.length).toBeLessThanOrEqual(40);
}

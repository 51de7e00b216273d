import { afterEach, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';

/** Where only clicks approve, an agent that holds a person's token can write what it wants. */
let fixture: AppFixture;
afterEach(() => expectCleanEnd(fixture));

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers: [{ name: test, run: 'true' }]
approval: { how: [button] }
`;

test('neither a comment nor a review in the name of a person approves, and their click does', async () => {
  const script = 'turns: [{ steps: [{ write: a.txt, content: "a" }] }]\n';
  fixture = await startAppFixture({ files: { '.github/coxswain.yml': config, 'tools/agent.yml': script } });
  const { ada, bob } = fixture;
  const pull = await ada.starts('Write a');
  await pull.waitForPhase('awaiting_approval');
  await pull.waitForComment(/Approval takes a click on Approve: a comment does not count\./);

  await bob.says(pull, `/approve ${await pull.head()}`);
  await pull.waitForComment(/A comment does not approve anything here.*\/checks\)/);
  await bob.reviews(pull, { event: 'APPROVE' });
  await pull.waitForComment(/A review does not approve anything here/);
  expect((await pull.ledger()).state.standing.phase).toBe('awaiting_approval');

  await bob.clicks(pull, 'approve');
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
  expect((await pull.ledger()).state.approvals).toMatchObject([{ source: { from: 'click' } }]);
});

import { afterEach, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** An attempt in stages, with people, GitHub, and the App as an operator runs it. */
let fixture: AppFixture;
afterEach(() => expectCleanEnd(fixture));

const agent = `turns:
  - on: { prompt: ['Yours is \`plan\`', 'Freeze it'] }
    steps:
      - { write: PLAN.md, content: "1. Freeze the price.\\n" }
  - on: { prompt: 'Yours is \`plan\`' }
    steps:
      - { write: PLAN.md, content: "1. Show the price.\\n" }
      - { write: src/0.txt, content: "too early\\n" }
      - { say: Wrote a plan }
  - on: { prompt: ['Yours is \`tests\`', 'failed its check'] }
    steps:
      - { write: src/1.test.txt, content: "red\\n" }
  - on: { prompt: 'Yours is \`tests\`' }
    steps:
      - { say: Nothing to test }
  - on: { prompt: ['Yours is \`implement\`', 'Freeze the price'] }
    steps:
      - { write: src/0.txt, content: "frozen\\n" }
`;

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
stages:
  - { name: plan, approve: true }
  - { name: tests, instructions: { file: docs/tests.md }, check: [{ file: src/1.test.txt }, { run: grep -q green src/1.test.txt, expect: fail }] }
  - implement
verifiers:
  - { name: test, run: grep -q frozen src/0.txt }
`;

async function start(files: Readonly<Record<string, string>> = {}): Promise<PullClient> {
  const all = {
    '.github/coxswain.yml': config,
    'tools/agent.yml': agent,
    'docs/tests.md': 'Only tests.\n',
    ...files,
  };
  fixture = await startAppFixture({ files: all });
  return fixture.ada.starts('Show the price');
}

async function textOf(pull: PullClient, path: string): Promise<string | undefined> {
  const place = { ...at, path, ref: await pull.head() };
  const { data } = await fixture.ada.octokit.rest.repos.getContent(place).catch(() => ({ data: undefined }));
  return data !== undefined && 'content' in data ? Buffer.from(data.content, 'base64').toString() : undefined;
}

test('people steer and approve a plan before a line is written, and later stages follow it', async () => {
  const pull = await start();
  await pull.waitForPhase('awaiting_stage', { iteration: 0 });
  expect(await textOf(pull, 'src/0.txt')).not.toBe('too early\n');
  expect(await textOf(pull, 'PLAN.md')).toBeUndefined();
  await pull.waitForComment(
    /A plan waits for approval[\s\S]*1\. Show the price\.[\s\S]*was dropped[\s\S]*src\/0\.txt/,
  );
  const { status, conclusion } = await pull.check('Coxswain');
  expect([status, conclusion]).toEqual(['completed', 'action_required']);

  await fixture.ada.says(pull, '/steer Freeze it');
  await pull.waitForPhase('awaiting_stage', { iteration: 1 });
  // A comment so soon after the other plan might be about that one; a button is of this one.
  await fixture.bob.clicks(pull, 'approve');
  const done = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  expect(await textOf(pull, 'src/0.txt')).toBe('frozen\n');
  expect(await pull.details()).toMatchObject({ draft: true, state: 'open' });

  const ledger = await pull.ledger();
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger.state.approvals).toEqual([]);
  expect(ledger.state.attempts).toMatchObject([
    { stage: 'tests', outcome: 'failed', failure: { kind: 'stage_check', check: 'src/1.test.txt' } },
    { outcome: 'green' },
  ]);
  const folders = ledger.paths.filter((path) => path.endsWith('/prompt.md'));
  expect(folders).toEqual([
    'iterations/0/1/plan/prompt.md',
    'iterations/1/1/plan/prompt.md',
    'iterations/1/1/tests/prompt.md',
    'iterations/1/2/implement/prompt.md',
    'iterations/1/2/tests/prompt.md',
  ]);
  expect(ledger.paths).toContain('iterations/0/1/plan/plan.md');
  await fixture.bob.says(pull, `/approve ${done.head_sha}`);
  await pull.waitForPhase('approved');
});

test('instructions that are not on the default branch stop the run before its agent begins', async () => {
  const pull = await start({ '.github/coxswain.yml': config.replace('docs/tests.md', 'docs/none.md') });
  await pull.waitForPhase('awaiting_stage');
  await fixture.bob.says(pull, '/approve');
  await pull.waitForPhase('awaiting_resolution');
  await pull.waitForComment(/the stage tests cannot begin: its instructions are to be in `?docs\/none\.md/);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import { config } from './widgets.ts';

/** A verifier that fails every other time, through whole sessions. */
let fixture: AppFixture;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-flaky-'));
});
afterEach(async () => {
  try {
    expectNoProblems(fixture, /the sandbox is switched off/);
  } finally {
    await fixture.end();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** It remembers its runs outside of its folders, where only a program without a sandbox can write. */
const everyOther = (): string => {
  const file = join(folder, 'runs');
  const count = `n=$(cat ${file} 2>/dev/null || echo 0); echo $((n + 1)) > ${file}`;
  return `${config}  - { name: e2e, run: "${count}; echo not ok 1 - adds; exit $(( (n + 1) % 2 ))" }\nsandbox: off\n`;
};

test('people see that a verifier is flaky and no attempt is spent; later runs know it, too', async () => {
  fixture = await startAppFixture({
    files: { '.github/coxswain.yml': `${everyOther()}approval: { finish: merge }\n` },
    variables: { COXSWAIN_SANDBOX: 'off' },
  });
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  const { head_sha, attempt } = await pull.waitForPhase('awaiting_approval');
  expect(attempt).toBe(1);
  const check = await pull.check('Coxswain / e2e');
  expect(check).toMatchObject({ conclusion: 'success', output: { title: 'Passed, flaky' } });
  expect(check.output.summary).toContain('It is flaky: failed in 1 of 2 runs on the same files.');
  expect(check.output.text).toMatch(
    /Other runs on the same files that failed:\n\n- exit code 1 after .*: not ok 1/,
  );
  await pull.waitForComment(
    /- pass `widgets:e2e` \(exit code 0, flaky: failed in 1 of 2 runs on the same files\)/,
  );
  await ada.says(pull, '/why');
  await pull.waitForComment(/\*\*Flaky verifiers\*\*.*\n\n- `e2e`: 1 time in this run\n/);
  await ada.says(pull, `/approve ${head_sha}`);
  await pull.waitForPhase('done');

  const later = await ada.starts('Make it better. agent: file src/more.txt');
  await later.waitForPhase('awaiting_approval');
  await ada.says(later, '/why');
  await later.waitForComment(/- `e2e`: 1 time in this run, in 1 of the last 1 run\n/);
});

test('an agent that comes back to what failed before is stopped, and both changes are linked', async () => {
  const agent = `
import { writeFileSync } from 'node:fs';
const { COXSWAIN_ATTEMPT: attempt, COXSWAIN_REPORT_FILE: file } = process.env;
writeFileSync('src/0.txt', attempt % 2 === 1 ? 'BROKEN here\\n' : 'BROKEN there\\n');
writeFileSync(file, JSON.stringify({ summary: 'Tried it', status: 'done', tool_calls: [] }));
`;
  fixture = await startAppFixture({
    files: { 'tools/agent.mjs': agent, '.github/coxswain.yml': `${config}attempts: { max: 9 }\n` },
  });
  const pull = await fixture.ada.starts('Make it fine');
  const { attempt } = await pull.waitForPhase('awaiting_resolution');
  expect(attempt).toBe(3);
  const comment = await pull.waitForComment(/It goes in circles/);
  expect(comment).toContain('stopped because its attempts go in circles');
  expect(comment).toContain('attempt 3 came to the same files as attempt 1, and test failed on them again');
  const links = [...comment.matchAll(/\[what attempt (\d) changed\]\(\S+\/compare\/(\w+)\.\.\.(\w+)\)/g)];
  expect(links.map(([, number]) => number)).toEqual(['1', '3']);
  const [first, again] = links;
  expect(again?.[3]).toBe(await pull.head());
  expect(first?.[3]).not.toBe(again?.[3]);
});

import { afterEach, expect, test } from 'vitest';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { waitingAt } from './barrier.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** A verifier that writes a report of its tests, through a whole session. */
let fixture: AppFixture;

afterEach(() => expectCleanEnd(fixture));

/** Breaks something, then mends it, then makes tests lie; keeps what it is told of the tests that failed. */
const agent = `
import { readFileSync, writeFileSync } from 'node:fs';
${waitingAt}
const prompt = readFileSync(0, 'utf8');
const { COXSWAIN_ITERATION: iteration, COXSWAIN_ATTEMPT: attempt, COXSWAIN_REPORT_FILE: file } = process.env;
if (attempt === '2') await passed(/barrier: (\\S+)/.exec(prompt)[1]);
const told = /--- ERROR OUTPUT ---\\n([\\s\\S]*?)\\n--- END ERROR OUTPUT ---/.exec(prompt)?.[1];
writeFileSync('src/0.txt', iteration === '1' ? 'LIES\\n' : attempt === '1' ? 'BROKEN\\n' : 'fine\\n');
if (told !== undefined) writeFileSync('src/told.txt', told + '\\n');
writeFileSync(file, JSON.stringify({ summary: 'Done', status: 'done', tool_calls: [] }));
`;

/** 70 of 214 tests fail, each at a line of its own, and the log has 20,000 characters. */
const runner = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const text = readFileSync('src/0.txt', 'utf8');
const isRed = (index) => !text.includes('fine') && index < 70;
const tests = Array.from({ length: 214 }, (_, index) => {
  const failure = isRed(index) ? '<failure message="@ada expected ' + index + ' to be 0"/>' : '';
  return '<testcase classname="cart" name="counts ' + index + '" file="test/cart.js" line="' + (index + 1) + '">' + failure + '</testcase>';
});
writeFileSync('junit.xml', '<testsuites><testsuite name="cart">' + tests.join('') + '</testsuite></testsuites>');
console.log('working hard\\n'.repeat(1540));
process.exitCode = text.includes('BROKEN') ? 1 : 0;
`;

const config = `version: 1
agent: { use: command, command: [node, tools/agent.mjs], timeout: 30s }
verifiers:
  - { name: test, run: node tools/test.mjs }
`;

async function checkOn(pull: PullClient, head: string) {
  const { rest } = fixture.ada.octokit;
  const [check] = (await pull.checks(head)).filter(({ name }) => name === 'Coxswain / test');
  if (check === undefined || check.output.text === '') return undefined;
  const place = { ...at, check_run_id: check.id, per_page: 100 };
  const { data: annotations } = await rest.checks.listAnnotations(place);
  return { ...check, annotations };
}

test('people and the agent read which tests failed, and that a report contradicts its exit code', async () => {
  const lines = Array.from({ length: 214 }, (_, index) => `// ${index + 1}`).join('\n');
  fixture = await startAppFixture({
    files: {
      ...{ '.github/coxswain.yml': config, 'tools/agent.mjs': agent, 'tools/test.mjs': runner },
      ...{ 'test/cart.js': lines, '.gitignore': 'junit.xml\n' },
    },
  });
  const { ada, barrier } = fixture;
  const pull = await ada.starts(`Make it fine. barrier: ${barrier.path}`);
  await barrier.reached();
  const broken = await pull.head();
  // GitHub takes fifty annotations at once, so the others come later.
  const red = await pull.waitUntil('a red check run', async () => {
    const check = await checkOn(pull, broken);
    return (check?.output.annotations_count ?? 0) > 50 ? check : undefined;
  });
  expect(red).toMatchObject({
    conclusion: 'failure',
    output: { title: 'Failed (exit code 1): 70 of 214 tests', annotations_count: 70 },
  });
  expect(red.output.summary).toContain('70 of 214 tests failed, the first is `cart › counts 0`');
  expect(red.output.text).toContain(`(${fixture.forge.url}/acme/widgets/blob/${broken}/test/cart.js#L1)`);
  expect(red.annotations.map(({ path, start_line }) => `${path}:${start_line}`)).toEqual(
    Array.from({ length: 70 }, (_, index) => `test/cart.js:${index + 1}`),
  );
  expect(red.annotations[0]?.message).toBe('cart › counts 0: @\u200bada expected 0 to be 0');
  barrier.open();
  const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  const there = { ...at, ref: head_sha, path: 'src/told.txt', mediaType: { format: 'raw' } };
  const { data: told } = await ada.octokit.rest.repos.getContent(there);
  expect(told).toMatch(
    /^70 of 214 tests failed, beginning with:\n- cart › counts 0 \(test\/cart\.js:1\):\n {2}@ada expected 0 to be 0\n/,
  );
  expect(String(told).length).toBeLessThan(10_200);
  expect((await checkOn(pull, head_sha))?.output.title).toBe('Passed: 214 tests');

  await ada.says(pull, '/steer Make it lie');
  const lying = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  const contradicted = 'although its report names 70 failed tests of 214';
  await pull.waitForComment(
    new RegExp(`pass \`widgets:test\` \\(exit code 0, ${contradicted}, the first is`),
  );
  const green = await checkOn(pull, lying.head_sha);
  expect(green).toMatchObject({ conclusion: 'success', annotations: [] });
  expect(green?.output.title).toBe(`Passed, ${contradicted}`);
  await ada.says(pull, '/logs');
  const logs = await pull.waitForComment(/\[PASS\] widgets:test/);
  expect(logs).toContain('contradict each other: the exit code counts.\n\n- `cart › counts 0` at [');
  expect(logs.indexOf('- and 50 more')).toBeLessThan(logs.indexOf('working hard'));
  await ada.says(pull, '/why');
  await pull.waitForComment(/\*\*Tests\*\*\n\n- pass `widgets:test` \(exit code 0, although/);
});

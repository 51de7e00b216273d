import { describe, expect, test } from 'vitest';
import type { TestReport, VerifierOutput } from '../../src/steering/shapes/attempt-result.ts';
import {
  askText,
  failuresText,
  literal,
  replyText,
  statusText,
  testsText,
  verdictLine,
  verifierCheck,
  whyText,
} from '../../src/words/index.ts';
import { aVerifier, awaiting, head, shownAt, web } from '../github/show/state.ts';
import { harmful } from './harmful.ts';

const counting = {
  name: 'cart > counts an empty list',
  message: 'AssertionError: expected 1 to be 0\n    at cart.test.ts:12',
  path: 'test/cart.test.ts',
  line: 12,
};
const paying = { name: 'pay > refuses a negative sum', message: '' };
const adding = { name: 'cart > adds', message: 'expected 3 to be 2', path: 'test/cart.test.ts' };

const aReport = (changed: Partial<TestReport> = {}): TestReport => ({
  ...{ from: 'junit', total: 214, failed: 3, skipped: 2, failures: [counting, paying, adding] },
  ...changed,
});

const passed = (changed: Partial<TestReport> = {}) =>
  aVerifier({ tests: aReport({ failed: 0, failures: [], ...changed }) });

/** A red verifier with ten thousand characters of output. */
const red = (tests: TestReport = aReport(), changed: Partial<VerifierOutput> = {}): VerifierOutput =>
  aVerifier({ success: false, exit_code: 1, tests, stdout: 'not ok\n'.repeat(1428), ...changed });

const stateOf = (...verifiers: readonly VerifierOutput[]) =>
  awaiting({ shown: shownAt(head, { verifiers }) });

const checkOf = (output: VerifierOutput) => verifierCheck(output, { head_sha: head }, web);

const none = {
  web,
  diff: async () => undefined,
  outputs: async () => undefined,
  progress: () => ({ progress: undefined, now: new Date(0) }),
};

describe('what is said of single tests in a line', () => {
  test.each<[said: string, output: VerifierOutput]>([
    ['', aVerifier()],
    ['3 of 214 tests failed', red()],
    ['1 of 1 test failed', red(aReport({ total: 1, failed: 1, skipped: 0 }))],
    ['2,000 of 12,345 tests failed', red(aReport({ total: 12_345, failed: 2000 }))],
    ['214 tests passed', passed({ skipped: 0 })],
    ['212 tests passed, 2 skipped', passed()],
    ['no tests ran', passed({ total: 0, skipped: 0 })],
    ['no tests ran, 2 skipped', passed({ total: 2 })],
    ['no tests ran', red(aReport({ total: 0, failed: 0, skipped: 0, failures: [] }))],
    ['its report could not be read', red(aReport({ total: 0, failed: 0, unread: ['a.xml: too large'] }))],
    ['3 of 214 tests failed, as far as its reports could be read', red(aReport({ unread: ['a.xml: cut'] }))],
    ['3 of 214 tests failed', red(aReport({ from: 'closing_lines', unread: ['a.xml: not XML'] }))],
    ['although its report names 3 failed tests of 214', aVerifier({ tests: aReport() })],
    [
      'although its output names 1 failed test of 9',
      aVerifier({ tests: aReport({ from: 'closing_lines', total: 9, failed: 1, failures: [] }) }),
    ],
    ['although its report names no failed test', red(aReport({ failed: 0, failures: [] }))],
    ['212 tests passed, 2 skipped', red(aReport({ failed: 0, failures: [] }), { timed_out: true })],
  ])('%s', (said, output) => {
    expect(testsText(output)).toBe(said);
  });
});

test('the check run of a red verifier has the counts, the failures with their places, then the output', () => {
  const { title, summary, text } = checkOf(red(aReport(), { stdout: 'not ok 1\n' }));
  expect(title).toBe('Failed (exit code 1): 3 of 214 tests');
  expect(summary).toBe(
    'Failed (exit code 1) after 3.3 s: 3 of 214 tests failed, the first is `cart > counts an empty list`. ' +
      'This verifier is required.',
  );
  expect(text).toMatchInlineSnapshot(`
    "\`[FAIL] api:test (exit code: 1, 3 of 214 tests failed)\`

    - \`cart > counts an empty list\` at [\`test/cart.test.ts:12\`](https://github.com/acme/api/blob/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4/test/cart.test.ts#L12): AssertionError: expected 1 to be 0 at cart.test.ts:12
    - \`pay > refuses a negative sum\`
    - \`cart > adds\` at [\`test/cart.test.ts\`](https://github.com/acme/api/blob/a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4/test/cart.test.ts): expected 3 to be 2

    stdout:

    \`\`\`text
    not ok 1
    \`\`\`"
  `);
});

test('the titles of check runs tell what the exit code and the tests say', () => {
  const titleOf = (output: VerifierOutput) => checkOf(output).title;
  expect(
    [
      passed(),
      passed({ total: 0, skipped: 0 }),
      red(aReport(), { required: false }),
      red(aReport(), { timed_out: true }),
      aVerifier({ tests: aReport() }),
      red(aReport({ failed: 0, failures: [] })),
      red(aReport({ unread: ['a.xml: cut'] })),
      red(aReport({ total: Number.MAX_VALUE, failed: Number.MAX_VALUE })),
    ].map(titleOf),
  ).toMatchInlineSnapshot(`
    [
      "Passed: 212 tests, 2 skipped",
      "Passed: no tests ran",
      "Failed (exit code 1): 3 of 214 tests, not required",
      "Timed out: 3 of 214 tests failed",
      "Passed, although its report names 3 failed tests of 214",
      "Failed (exit code 1), although its report names no failed test",
      "Failed (exit code 1): 3 of 214 tests, as far as its reports could be read",
      "Failed (exit code 1): 179,769,313,486,231,570,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000,0…",
    ]
  `);
});

test('a report that disagrees with the exit code is shown as a contradiction, and the exit code counts', () => {
  const green = checkOf(aVerifier({ tests: aReport() }));
  expect(green.summary).toMatchInlineSnapshot(
    `"Passed after 3.3 s, although its report names 3 failed tests of 214, the first is \`cart > counts an empty list\`. This verifier is required."`,
  );
  expect(green.text).toContain(
    'contradict each other: the exit code counts.\n\n- `cart > counts an empty list`',
  );
  const failed = checkOf(red(aReport({ failed: 0, failures: [] })));
  expect(failed.summary).toMatchInlineSnapshot(
    `"Failed (exit code 1) after 3.3 s, although its report names no failed test. This verifier is required."`,
  );
  expect(failed.text).toContain(
    'No failed test is named, so something else may have failed, such as a linter or a check of coverage: the exit code counts.',
  );
});

test('ten thousand characters of log read in one line, wherever people read of verifiers', async () => {
  const state = stateOf(red(), aVerifier({ name: 'lint' }));
  const line =
    '- **fail** `api:test` (exit code 1, 3 of 214 tests failed, the first is `cart > counts an empty list`)';
  expect(askText(state, web)).toContain(`**Verifiers**\n\n${line}\n- pass \`api:lint\` (exit code 0)`);
  expect(whyText(state, web)).toContain(`**Tests**\n\n${line}\n\n**Confidence**`);
  expect(whyText(stateOf(aVerifier({ success: false })), web)).not.toContain('**Tests**');
  expect(statusText(state)).toContain('[FAIL] api:test (exit code: 1, 3 of 214 tests failed)');
  const logs = await replyText({ say: 'logs', verifier: 'test' }, state, none);
  const [verdict, failures, stream] = logs.split('\n\n');
  expect(verdict).toBe('`[FAIL] api:test (exit code: 1, 3 of 214 tests failed)`');
  expect(failures?.split('\n')).toHaveLength(3);
  expect(stream).toBe('stdout:');
});

test('for a terminal they are plain lines, without a link', () => {
  const coloured = { ...paying, message: 'no \u001b[31mred\u001b[0m\nsecond line' };
  const output = red(aReport({ failures: [counting, coloured], failed: 2 }));
  expect(failuresText(output, { most: 20, room: 1000, format: literal }).split('\n')).toEqual([
    '- cart > counts an empty list at test/cart.test.ts:12: AssertionError: expected 1 to be 0 at cart.test.ts:12',
    '- pay > refuses a negative sum: no red second line',
  ]);
});

test('reports that were not read are named with why', () => {
  const unread = ['reports/a.xml: larger than 8 MiB', 'reports/`b`.xml: not XML'];
  expect(
    failuresText(red(aReport({ unread, failures: [] })), { most: 20, room: 1000 }),
  ).toMatchInlineSnapshot(`
    "Reports that were not read, or not to their end:

    - reports/a.xml: larger than 8 MiB
    - reports/\\\`b\\\`.xml: not XML"
  `);
});

test('more failures than there is room for are counted', () => {
  const failures = Array.from({ length: 100 }, (_, at) => ({
    ...counting,
    name: `test ${at}`,
    line: at + 1,
  }));
  const many = red(aReport({ total: 900, failed: 500, failures }));
  const lines = failuresText(many, { most: 20, room: 5000 }).split('\n');
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('- and 480 more');
  const long = red(aReport({ failures: failures.map((each) => ({ ...each, message: 'x'.repeat(1000) })) }));
  expect(failuresText(long, { most: 20, room: 5000 }).length).toBeLessThan(5100);
  const verifiers = Array.from({ length: 50 }, (_, at) => ({
    ...many,
    name: `v${at}`,
    verifier: `api:v${at}`,
  }));
  return expect(
    replyText({ say: 'logs', verifier: null }, stateOf(...verifiers), none).then(({ length }) => length),
  ).resolves.toBeLessThan(65_536);
});

describe('whoever names tests cannot make them say more', () => {
  const hostile = [
    ...harmful,
    ['everyone', '@everyone <!channel> <@U1>', /@everyone/],
    ['a backtick', '`` ` ``` @octocat', /^\/|[^`]@octocat$/m],
    ['fifty thousand characters', 'x'.repeat(50_000), /x{10001}/],
  ] as const;

  test.each(hostile)('%s', async (_, text, forbidden) => {
    const failures = [{ name: text, message: text, path: text, line: 7 }];
    const output = red(aReport({ failures, unread: [text] }), { stdout: '' });
    const state = stateOf(output);
    const { title, summary, text: details } = checkOf(output);
    const logs = await replyText({ say: 'logs', verifier: null }, state, none);
    for (const said of [title, summary, details, askText(state, web), whyText(state, web), logs]) {
      expect(outsideCode(said)).not.toMatch(forbidden);
      expect(said).not.toContain('<!-- coxswain:');
      expect(said.length).toBeLessThan(60_000);
    }
    expect(verdictLine(output)).toMatch(
      /^\[FAIL\] api:test \(exit code: 1, 3 of 214 tests failed, [a-z ]+\)$/,
    );
  });

  /** GitHub shows code as it is, and addresses of links are encoded. */
  function outsideCode(text: string): string {
    return text
      .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
      .replace(/\]\(https:\/\/github\.com\/acme\/api\/[^)]*\)/g, ']');
  }
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failingLines } from '../../src/steering/confidence/verifier-results.ts';
import { story } from './story.ts';

const said = (stdout: string, stderr = '') => failingLines({ stdout, stderr });

test.each([
  ['TAP', 'TAP version 13\nok 1 - throws an error\nnot ok 2 - sum\n  expected: 3', /^not ok 2 - sum\n/],
  ['Vitest', ' ✓ fails with an error\n × adds\n   → expected 3 to be 2', /^ × adds\n/],
  ['Go', '--- PASS: TestError\n--- FAIL: TestSum (0.00s)\n    sum_test.go:7: got 2', /^--- FAIL: TestSum/],
  ['pytest', 'test_error PASSED\nE       assert 3 == 2', /^E {7}assert 3 == 2$/],
  ['a compiler', 'Found 0 errors in a.ts\nb.ts(1,2): error TS2322: no', /^b\.ts\(1,2\): error TS2322: no$/],
  ['colours', '\u001b[32m✓\u001b[0m an error\n\u001b[31mAssertionError\u001b[0m: no', /^AssertionError: no$/],
])('the first lines that tell of a failure, as %s writes them', (_, stdout, lines) => {
  expect(said(stdout)).toMatch(lines);
});

/** What runners print of three tests, of which two fail: their name, the assertion and the place. */
const runners: Readonly<Record<string, readonly string[]>> = {
  'node-tap': [
    'not ok 2 - adds',
    '    Expected values to be strictly equal:',
    '    2 !== 3',
    '  expected: 3',
    '  actual: 2',
    '    TestContext.<anonymous> (file:///home/ada/sums/sum.test.js:4:29)',
  ],
  'node-spec': [
    '✖ adds (1.09135ms)',
    '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    '  2 !== 3',
    '      at TestContext.<anonymous> (file:///home/ada/sums/sum.test.js:4:29)',
    '    actual: 2,',
    '    expected: 3,',
  ],
  'node-crash': [
    "# SyntaxError: The requested module './b.js' does not provide an export named 'nope'",
    '# Node.js v20.20.2',
  ],
  vitest: [
    ' FAIL  sum.test.js > adds',
    'AssertionError: expected 2 to be 3 // Object.is equality',
    '- Expected',
    '+ Received',
    '- 3',
    '+ 2',
    ' ❯ sum.test.js:3:36',
    "      1| import { test, expect, describe } from 'vitest';",
  ],
  jest: [
    '  ● adds',
    '    expect(received).toBe(expected) // Object.is equality',
    '    Expected: 3',
    '    Received: 2',
    "      1 | test('throws an error on bad input', () => { expect(() => { throw new Error('bad'); }).toThrow('bad'); });",
    "    > 2 | test('adds', () => { expect(1 + 1).toBe(3); });",
    "      3 | describe('invoice', () => {",
    "      4 |   test('has net prices', () => { expect({ net: 1190 }).toEqual({ net: 1000 }); });",
  ],
  pytest: [
    '__________________________________ test_adds ___________________________________',
    '    def test_adds():',
    '        total = 1 + 1',
    '>       assert total == 3',
    'E       assert 2 == 3',
    'test_sum.py:7: AssertionError',
  ],
  unittest: [
    'FAIL: test_adds (test_u.T.test_adds)',
    'Traceback (most recent call last):',
    '  File "/home/ada/sums/test_u.py", line 4, in test_adds',
    '    def test_adds(self): self.assertEqual(1 + 1, 3)',
    'AssertionError: 2 != 3',
  ],
  go: ['--- FAIL: TestSum (0.00s)', '    sum_test.go:7: got 2, want 3'],
  'go-verbose': ['=== RUN   TestSum', '    sum_test.go:7: got 2, want 3'],
  'go-testify': [
    '--- FAIL: TestSum (0.00s)',
    '    sum_test.go:9:',
    '        \tError Trace:\t/x/sum_test.go:9',
    '        \tError:      \tNot equal:',
    '        \t            \texpected: 3',
    '        \t            \tactual  : 2',
    '        \tTest:       \tTestSum',
  ],
  'go-build': ['./sum_test.go:7:5: undefined: Summ'],
  cargo: [
    '---- tests::adds stdout ----',
    "thread 'tests::adds' (26944) panicked at src/lib.rs:4:25:",
    'assertion `left == right` failed: sum',
    '  left: 2',
    ' right: 3',
    'note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.',
  ],
  'cargo-compile': [
    'error[E0308]: mismatched types',
    ' --> src/lib.rs:7:17',
    '7 | fn x() -> i32 { "a" }',
    '  |           ---   ^^^ expected `i32`, found `&str`',
    '  |           expected `i32` because of return type',
    'For more information about this error, try `rustc --explain E0308`.',
    'error: could not compile `c` (lib) due to 1 previous error',
  ],
  maven: [
    '[ERROR] SumTest.net -- Time elapsed: 0.012 s <<< ERROR!',
    'java.lang.IllegalArgumentException: no net price',
    '\tat SumTest.net(SumTest.java:6)',
  ],
  gradle: ['SumTest > adds() FAILED', '    org.opentest4j.AssertionFailedError at SumTest.java:10'],
  'gradle-full': [
    'SumTest > adds() FAILED',
    '    org.opentest4j.AssertionFailedError: expected: <3> but was: <2>',
    '        at app//com.acme.SumTest.adds(SumTest.java:10)',
  ],
};

test.each(Object.entries(runners))('the first failed test and why it failed, of %s', (name, lines) => {
  expect(said(printed(name), printed(`${name}.stderr`)).split('\n')).toEqual(lines);
});

function printed(name: string): string {
  const path = join(import.meta.dirname, '..', 'fixtures', 'red-tests', `${name}.txt`);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

test('what a test says that passes is not why another failed', () => {
  expect(said("# Error: is told\nok 1 - tells\nnot ok 2 - adds\n  ---\n  error: 'net price'")).toBe(
    "not ok 2 - adds\n  error: 'net price'",
  );
  expect(said('Error: is told\n✔ tells\n✖ adds\n  AssertionError: 2 !== 3')).toBe(
    '✖ adds\n  AssertionError: 2 !== 3',
  );
});

test('what programs complain of counts where their output tells of no failure; else their last lines', () => {
  expect(said('ok 1\n# fail 0', 'Traceback (most recent call last):\nKeyError')).toMatch(/^Traceback/);
  expect(said('1\n2\n3\n4\n5\n6\n7\n8\n9\n10')).toBe('3\n4\n5\n6\n7\n8\n9\n10');
  expect(said('started', 'killed')).toBe('killed');
  expect(said('')).toBe('');
});

test('at most 500 characters, of a line of any length', () => {
  expect([...said(`error ${'😀'.repeat(100_000)}`)]).toHaveLength(500);
  expect(said(`${'no error '.repeat(10_000)}\nerror: here`).length).toBeLessThanOrEqual(500);
});

test('an attempt keeps them, with its files, rules and cost', () => {
  const run = story()
    .starts()
    .agent.finishes({ cost: { usd: 0.5 } })
    .verifiers.fail('test');
  expect(run.state.attempts).toMatchObject([
    {
      outcome: 'red',
      files: ['src/clock.ts'],
      cost: { usd: 0.5 },
      verifiers: [{ name: 'test', said: expect.any(String) }, {}],
    },
  ]);
  expect(run.state.attempts[0]?.verifiers[1]).not.toHaveProperty('said');
  expect(run.state.attempts[0]).not.toHaveProperty('gates');
  const green = run.agent.finishes({ changesNothing: true }).verifiers.pass();
  expect(green.state.attempts[1]).not.toHaveProperty('files');
  expect(green.state.attempts[1]).not.toHaveProperty('cost');
});

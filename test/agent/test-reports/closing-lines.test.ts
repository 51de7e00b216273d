import { expect, test } from 'vitest';
import { testsInClosingLines } from '../../../src/agent/test-reports/tests-of.ts';

/** Total, failed and skipped. */
type Counts = readonly [number, number, number];

test.each<[runner: string, Counts, output: string]>([
  [
    'Vitest',
    [15, 1, 2],
    ' Test Files  3 passed (3)\n      Tests  1 failed | 12 passed | 2 skipped (15)\n   Duration  1s',
  ],
  [
    'Jest',
    [14, 0, 2],
    'Test Suites: 3 passed, 3 total\nTests:       2 skipped, 12 passed, 14 total\nSnapshots:   1 passed, 1 total',
  ],
  ['Jest, all of which failed', [3, 3, 0], 'Tests:       3 failed, 3 total'],
  ['pytest', [15, 1, 2], '===== 1 failed, 12 passed, 2 skipped in 0.31s ====='],
  ['pytest in colours', [12, 0, 0], '\u001b[32m12 passed\u001b[0m in 0.31s'],
  ['unittest', [12, 3, 2], 'Ran 12 tests in 0.001s\n\nFAILED (failures=1, errors=2, skipped=2)'],
  ['unittest, all of which passed', [12, 0, 0], 'Ran 12 tests in 0.001s\n\nOK'],
  ['node:test', [14, 0, 2], 'ℹ tests 14\nℹ suites 0\nℹ pass 12\nℹ fail 0\nℹ skipped 2'],
  ['node:test as TAP', [13, 1, 0], '# tests 13\n# pass 12\n# fail 1'],
  ['Mocha', [13, 2, 1], '  10 passing (20ms)\n  1 pending\n  2 failing\n'],
  ['RSpec', [14, 1, 2], '14 examples, 1 failure, 2 pending'],
  ['Minitest', [14, 1, 2], '14 runs, 30 assertions, 0 failures, 1 errors, 2 skips'],
  [
    'Cargo',
    [16, 1, 1],
    'running 13 tests\ntest result: ok. 12 passed; 0 failed; 1 ignored\nrunning 3 tests\ntest result: FAILED. 2 passed; 1 failed; 0 ignored',
  ],
  [
    'cargo-nextest',
    [14, 1, 2],
    '    Starting 12 tests across 3 binaries\n     Summary [   0.005s] 12 tests run: 11 passed, 1 failed, 2 skipped',
  ],
  [
    'Maven',
    [13, 2, 1],
    'Tests run: 5, Failures: 0, Skipped: 0, Time elapsed: 0.1 s\nTests run: 13, Failures: 1, Errors: 1, Skipped: 1',
  ],
  ['Gradle', [12, 1, 2], '12 tests completed, 1 failed, 2 skipped'],
  ['PHPUnit, all of which passed', [12, 0, 0], 'OK (12 tests, 30 assertions)'],
  ['PHPUnit', [12, 1, 2], 'Tests: 12, Assertions: 30, Failures: 1, Skipped: 2.'],
  ['gotestsum', [12, 1, 1], 'DONE 12 tests, 1 skipped, 1 failure in 0.512s'],
  ['CTest', [12, 1, 0], '92% tests passed, 1 tests failed out of 12'],
  [
    '.NET',
    [14, 0, 2],
    'Passed!  - Failed:     0, Passed:    12, Skipped:     2, Total:    14, Duration: 8 ms - a.dll',
  ],
  ['.NET in several lines', [14, 2, 0], 'Total tests: 14\n     Passed: 12\n     Failed: 2\n Total time: 1 s'],
  ['Bats', [12, 1, 2], '12 tests, 1 failure, 2 skipped'],
  ['Bun', [3, 1, 0], ' 2 pass\n 1 fail\n 3 expect() calls\nRan 3 tests across 1 file. [9.00ms]'],
  ['Playwright', [4, 1, 0], 'Running 4 tests using 1 worker\n  1 failed\n  3 passed (1.2s)'],
  [
    'Playwright with retries',
    [7, 1, 2],
    'Running 7 tests using 2 workers\n  1 failed\n    a.spec.ts:3:1 › adds\n  1 flaky\n  1 skipped\n  1 did not run\n  3 passed (1.2s)',
  ],
  [
    'pytest, some of which are expected to fail',
    [15, 0, 2],
    '12 passed, 1 skipped, 1 xfailed, 1 xpassed in 75.20s (0:01:15)',
  ],
  [
    'pytest with subtests and warnings',
    [3, 1, 0],
    '== 1 failed, 2 passed, 3 subtests passed, 1 warning in 1.2s ==',
  ],
  [
    'pytest, whose failures name numbers',
    [3, 1, 0],
    'FAILED a.py::test_x - AssertionError: 5 tests expected, 3 failed\n== 1 failed, 2 passed in 0.1s ==',
  ],
  [
    'tox, in each environment',
    [24, 0, 0],
    '== 12 passed in 0.3s ==\npy39: OK ✔ in 1.2 seconds\n== 12 passed in 0.3s ==\n  py39: OK (1.2=setup[0.5]+cmd[0.7] seconds)',
  ],
  [
    'unittest, some of which were expected to fail',
    [12, 2, 1],
    'Ran 12 tests in 0.1s\r\n\r\nFAILED (failures=1, expected failures=1, unexpected successes=1)\r\n',
  ],
  [
    'node:test, some of which were cancelled',
    [14, 2, 1],
    '# tests 14\n# suites 3\n# pass 11\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n# duration_ms 3.5',
  ],
  ['tape', [13, 1, 0], '1..13\n# tests 13\n# pass  12\n# fail  1\n'],
  ['AVA', [13, 1, 0], '  1 test failed\n  12 tests passed\n'],
  ['Jasmine', [12, 1, 2], '12 specs, 1 failure, 2 pending specs\nFinished in 0.1 seconds'],
  ['ExUnit', [12, 1, 3], '12 tests, 1 failure, 1 excluded, 2 skipped'],
  [
    'Automake',
    [12, 1, 1],
    '# TOTAL: 12\n# PASS:  10\n# SKIP:  1\n# XFAIL: 0\n# FAIL:  1\n# XPASS: 0\n# ERROR: 0\n',
  ],
  ['Ginkgo', [14, 1, 2], 'FAIL! -- 11 Passed | 1 Failed | 0 Pending | 2 Skipped'],
  [
    'Vitest, which tells of files before',
    [15, 1, 0],
    ' ✓ test/a.test.ts (12 tests) 5ms\n ❯ test/b.test.ts (3 tests | 1 failed) 8ms\n      Tests  1 failed | 14 passed (15)',
  ],
  ['Vitest, some of which are to fail', [13, 0, 0], '      Tests  12 passed | 1 expected fail (13)'],
  [
    'Jest, which tells of snapshots before',
    [12, 1, 0],
    ' › 1 snapshot failed from 1 test suite.\nSnapshot Summary\n › 2 tests obsolete\nTests:       1 failed, 11 passed, 12 total',
  ],
  ['Pest', [15, 1, 2], '  Tests:    1 failed, 2 skipped, 12 passed (30 assertions)'],
  [
    'Minitest, which tells how fast it was',
    [14, 0, 0],
    'Finished in 0.1s, 1 runs/s.\n14 runs, 30 assertions, 0 failures, 0 errors, 0 skips',
  ],
  [
    'Mocha, whose failures name numbers',
    [11, 1, 0],
    '  10 passing (20ms)\r\n  1 failing\r\n\r\n  1) x\r\n     AssertionError: expected 3 failed to equal 2 passed\r\n',
  ],
  [
    'Deno',
    [13, 1, 1],
    'FAILED | 11 passed (3 steps) | 1 failed (1 step) | 1 ignored | 3 filtered out (1s12ms)',
  ],
  ['Bun in Windows', [4, 1, 2], ' 1 pass\r\n 1 skip\r\n 1 todo\r\n 1 fail\r\n 3 expect() calls\r\n'],
  [
    'cargo-nextest, which stopped early',
    [5, 2, 0],
    '   Canceling due to test failure: 1 test still running\n     Summary [   0.005s] 5/12 tests run: 3 passed (1 slow, 1 flaky), 1 failed, 1 timed out, 0 skipped',
  ],
  [
    'CTest with labels',
    [12, 0, 0],
    '100% tests passed, 0 tests failed out of 12\n\nLabel Time Summary:\nfast = 0.1 sec*proc (3 tests)\n',
  ],
  [
    'Maven in colours, in two modules',
    [18, 2, 1],
    '[\u001b[1;31mERROR\u001b[m] \u001b[1;31mTests run: 13, Failures: 1, Errors: 1, Skipped: 1\u001b[m\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0',
  ],
  [
    'PHPUnit with everything',
    [12, 3, 2],
    'There were 2 errors:\nTests: 12, Assertions: 30, Errors: 2, Failures: 1, PHPUnit Deprecations: 1, Skipped: 1, Incomplete: 1, Risky: 1.',
  ],
  [
    '.NET 9',
    [15, 1, 2],
    'Test summary: total: 15, failed: 1, succeeded: 12, skipped: 2, duration: 1.2s\nBuild failed with 1 error(s) in 2.3s',
  ],
  [
    '.NET 10',
    [15, 1, 2],
    'Test run summary: Failed!\n  total: 15\n  failed: 1\n  succeeded: 12\n  skipped: 2\n',
  ],
  [
    'Jest by Turborepo',
    [15, 1, 0],
    'web:test: Tests:       12 passed, 12 total\napi:test: Tests:       1 failed, 2 passed, 3 total\n\n Tasks:    1 successful, 2 total\nCached:    0 cached, 2 total',
  ],
  [
    'node:test by pnpm, whose packages take turns',
    [17, 1, 0],
    'packages/web test: ℹ tests 14\npackages/api test: ℹ tests 3\npackages/web test: ℹ pass 14\npackages/api test: ℹ pass 2\npackages/api test: ℹ fail 1',
  ],
  [
    'unittest by Turborepo',
    [12, 1, 0],
    'py:test: Ran 12 tests in 0.1s\npy:test: \npy:test: FAILED (failures=1)',
  ],
  ['a linter and of Vitest', [12, 0, 0], '✖ 3 problems (3 errors, 0 warnings)\n      Tests  12 passed (12)'],
  [
    'a program and of pytest',
    [12, 0, 0],
    'INFO worker: 3 failed jobs, 2 pending\n2 failed\n12 passed in 0.1s',
  ],
])('the closing lines of %s are read', (_, [total, failed, skipped], output) => {
  expect(testsInClosingLines(output)).toEqual({
    from: 'closing_lines',
    ...{ total, failed, skipped, failures: [] },
  });
});

test.each([
  'ok  \texample.com/pkg\t0.012s',
  '',
  'Found 3 errors in 2 files',
  '3 passed inspection',
  '0 errors',
  'Loaded 5 tests from config',
  '✖ 12 problems (3 errors, 9 warnings)',
  'worker: 2 failed, retrying\nqueue: 3 pending\n2 failing\nTotal: 12',
  'Tests: 23 (SUCCESSES: 21, FAILURES: 2)\nFailures: 2 (UNKNOWN: 0, LOW: 0, HIGH: 2)',
  'error: could not compile `shop` (lib test) due to 2 previous errors',
  // Errors of what is no test.
  '=== 2 errors in 0.12s ===',
  '0 examples, 0 failures, 1 error occurred outside of examples',
  'DONE 12 tests, 1 skipped, 1 failure, 1 error in 0.512s',
  // Tests of which some ran several times.
  'DONE 3 runs, 14 tests, 2 failures in 1.2s',
  // A sum after its parts, and steps after their scenarios.
  '5 tests, 4 passed, 1 failed\n7 tests, 7 passed, 0 failed\n12 tests, 11 passed, 1 failed',
  '14 scenarios (1 failed, 13 passed)\n56 steps (1 failed, 3 skipped, 52 passed)',
  '[==========] 12 tests from 3 test suites ran. (3 ms total)\n[  PASSED  ] 11 tests.',
  // What does not add up, or has a word that is not known.
  'Tests: 3 failed, 2 passed, 12 total',
  'Running 7 tests using 2 workers\n  1 failed\n  3 passed (1.2s)',
  '== 12 passed, 3 wobbly in 0.1s ==\n== 12 passed in 0.1s ==',
  '1,234 passed in 1s',
])('no tests are counted in %j', (output) => {
  expect(testsInClosingLines(output)).toBeUndefined();
});

test('a number that is none is no count of tests', () => {
  expect(testsInClosingLines(`${'9'.repeat(400)} passed in 1s`)).toBeUndefined();
});

test('the packages of a monorepo are counted, however much each of them prints', () => {
  const packages = Array.from({ length: 10 }, () => `${'log\n'.repeat(3000)}Tests: 12 passed, 12 total\n`);
  expect(testsInClosingLines(packages.join(''))).toMatchObject({ total: 120 });
});

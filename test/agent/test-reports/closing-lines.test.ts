import { expect, test } from 'vitest';
import { testsInClosingLines } from '../../../src/agent/test-reports/closing-lines.ts';

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
])('the closing lines of %s are read', (_, [total, failed, skipped], output) => {
  expect(testsInClosingLines(output)).toEqual({
    from: 'closing_lines',
    ...{ total, failed, skipped, failures: [] },
  });
});

test.each(['ok  \texample.com/pkg\t0.012s', '', 'Found 3 errors in 2 files'])(
  'no tests are counted in %j',
  (output) => {
    expect(testsInClosingLines(output)).toBeUndefined();
  },
);

test('a number that is none stays one', () => {
  expect(testsInClosingLines(`${'9'.repeat(400)} passed`)).toMatchObject({ total: 1_000_000_000 });
});

import { expect, test } from 'vitest';
import { testsRun } from '../../../src/agent/test-reports/closing-lines.ts';

test.each([
  [13, ' Test Files  3 passed (3)\n      Tests  1 failed | 12 passed | 2 skipped (15)\n   Duration  1s'],
  [
    12,
    'Test Suites: 3 passed, 3 total\nTests:       2 skipped, 12 passed, 14 total\nSnapshots:   1 passed, 1 total',
  ],
  [13, '===== 1 failed, 12 passed, 2 skipped in 0.31s ====='],
  [12, '\u001b[32m12 passed\u001b[0m in 0.31s'],
  [12, 'ℹ tests 14\nℹ suites 0\nℹ pass 12\nℹ fail 0\nℹ skipped 2'],
  [13, '# tests 13\n# pass 12\n# fail 1'],
  [12, '  10 passing (20ms)\n  1 pending\n  2 failing\n'],
  [12, '14 examples, 0 failures, 2 pending'],
  [12, '14 runs, 30 assertions, 0 failures, 0 errors, 2 skips'],
  [15, 'test result: ok. 12 passed; 0 failed; 1 ignored\ntest result: ok. 3 passed; 0 failed; 0 ignored'],
  [
    12,
    'Tests run: 5, Failures: 0, Skipped: 0, Time elapsed: 0.1 s\nTests run: 13, Failures: 0, Errors: 0, Skipped: 1',
  ],
  [12, 'OK (12 tests, 30 assertions)'],
  [10, 'Tests: 12, Assertions: 30, Skipped: 2.'],
  [undefined, 'ok  \texample.com/pkg\t0.012s'],
  [undefined, ''],
])('%s tests were run by %j', (count, output) => {
  expect(testsRun(output)).toBe(count);
});

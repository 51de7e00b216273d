import { expect, test } from 'vitest';
import { failingLines } from '../../src/steering/failing-lines.ts';
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

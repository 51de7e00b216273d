import { describe, expect, test } from 'vitest';
import { annotationsOf } from '../../../src/github/show/view.ts';
import type { TestFailure } from '../../../src/steering/shapes/attempt-result.ts';
import { aVerifier } from './state.ts';

const files = [
  { path: 'src/login.ts', status: 'modified', additions: 1, deletions: 0 } as const,
  { path: 'packages/core/src/login.ts', status: 'modified', additions: 1, deletions: 0 } as const,
];

const found = (stdout: string): readonly string[] =>
  annotationsOf(aVerifier({ success: false, exit_code: 1, stdout }), files).map(
    ({ path, start_line, annotation_level, message }) =>
      `${path}:${start_line} ${annotation_level} ${message}`,
  );

test('the usual formats of file and line are recognized', () => {
  expect(
    found(
      [
        "src/login.ts(12,5): error TS2322: Type 'string' is not assignable",
        './src/login.ts:3:1: warning: unused',
        'lib/other.go:9: undefined: x',
        'AssertionError: expected 1 to be 2',
        ' ❯ test/login.test.ts:20:7',
        'TypeError: x is not a function',
        '    at renew (file:///tmp/room/1/src/login.ts:44:10)',
        '    at /tmp/room/1/packages/core/src/login.ts:5:1',
        '    at node:internal/process/task_queues:105:5',
        "  location: '/tmp/room/1/src/login.ts:8:2'",
      ].join('\n'),
    ),
  ).toMatchInlineSnapshot(`
    [
      "src/login.ts:12 failure error TS2322: Type 'string' is not assignable",
      "src/login.ts:3 warning warning: unused",
      "lib/other.go:9 failure undefined: x",
      "test/login.test.ts:20 failure AssertionError: expected 1 to be 2",
      "src/login.ts:44 failure TypeError: x is not a function",
      "packages/core/src/login.ts:5 failure TypeError: x is not a function",
      "src/login.ts:8 failure TypeError: x is not a function",
    ]
  `);
});

test('paths outside the repository are left out', () => {
  const outside = [
    '/etc/passwd:1:1: no',
    '../other/a.ts:1:1: no',
    'node_modules/x/index.js:1:1: no',
    'http://localhost:8080: refused',
    '12:30:45: a time',
    'C:\\a.ts:1:1: no',
  ];
  expect(found(outside.join('\n'))).toEqual([]);
});

test('five hundred findings make a hundred annotations, without duplicates', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `src/login.ts:${index + 1}:1: bad`);
  expect(found(lines.join('\n'))).toHaveLength(100);
  expect(found('src/login.ts:1:1: bad\nsrc/login.ts:1:9: bad')).toHaveLength(1);
});

test('an impossible line number is left out', () => {
  expect(found(`src/login.ts:${'9'.repeat(400)}:1: bad\nsrc/login.ts:4000000000: bad`)).toEqual([]);
});

test('output of a passing verifier is not searched', () => {
  expect(annotationsOf(aVerifier({ stdout: 'src/login.ts:1:1: fine' }), files)).toEqual([]);
});

test('long malicious lines are searched quickly', () => {
  const slow = `${'at ('.repeat(20_000)}\n${'a/'.repeat(50_000)}:1:1: x\n${' '.repeat(100_000)}`;
  expect(found(slow).length).toBeLessThanOrEqual(2);
});

describe('tests that failed', () => {
  const failing = (failures: readonly TestFailure[], stdout = '', success = false) => {
    const tests = { from: 'junit', total: 9, failed: failures.length, skipped: 0, failures } as const;
    const output = aVerifier({ success, exit_code: success ? 0 : 1, stdout, tests });
    return annotationsOf(output, files).map(
      ({ path, start_line, annotation_level, message }) =>
        `${path}:${start_line} ${annotation_level} ${message}`,
    );
  };
  const renews = {
    ...{ name: 'login > renews without a warning', message: 'expected 1\nto be 2' },
    ...{ path: 'test/login.test.ts', line: 20 },
  };

  test('come first, and the output adds what it finds on other lines', () => {
    const stdout =
      'src/login.ts:44:10: x is not a function\n ❯ test/login.test.ts:20:7\n ❯ test/login.test.ts:21:7';
    expect(failing([renews, { ...renews, name: 'login > again' }], stdout)).toEqual([
      'test/login.test.ts:20 failure login > renews without a warning: expected 1 to be 2',
      'src/login.ts:44 failure x is not a function',
      'test/login.test.ts:21 failure test failed here',
    ]);
  });

  test('are not told again where the output names their lines from a folder of a monorepo', () => {
    const stdout = ' ❯ test/login.test.ts:20:7\n ❯ in.test.ts:20:7';
    expect(failing([{ ...renews, path: 'packages/core/test/login.test.ts' }], stdout)).toEqual([
      expect.stringMatching(/^packages\/core\/test\/login\.test\.ts:20 /),
      expect.stringMatching(/^in\.test\.ts:20 /),
    ]);
  });

  test('annotate only a line that is known, and that GitHub takes', () => {
    const { line: _, ...nowhere } = renews;
    const wrong = ['/etc/passwd', '../x', 'a\nb', 'a//b', 'C:\\x', '.git/config', ''];
    expect(
      failing([
        nowhere,
        ...[0, -1, 2_000_000_000].map((line) => ({ ...renews, line })),
        ...wrong.map((path) => ({ ...renews, path })),
        { name: 'unplaced', message: '', line: 3 },
      ]),
    ).toEqual([]);
  });

  test('a name without a message is enough; neither mentions anybody nor has more than one line', () => {
    const hostile = { ...renews, name: '@everyone\n#12 <!-- coxswain:x -->', message: '' };
    expect(failing([hostile])).toEqual([
      'test/login.test.ts:20 failure @\u200beveryone #\u200b12 <!-- coxswain:x -->',
    ]);
    expect(failing([{ ...renews, message: 'x'.repeat(50_000) }])[0]?.length).toBeLessThan(1100);
  });

  test('of a verifier that passed annotate nothing: the exit code counts', () => {
    expect(failing([renews], '', true)).toEqual([]);
  });
});

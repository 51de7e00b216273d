import { expect, test } from 'vitest';
import { annotationsOf } from '../../../src/github/show/annotations.ts';
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

test('a hundred findings make fifty annotations, without duplicates', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `src/login.ts:${index + 1}:1: bad`);
  expect(found(lines.join('\n'))).toHaveLength(50);
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

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gatesOnDiff } from '../../src/gates/index.ts';
import type { FileDiff } from '../../src/steering/shapes/attempt-result.ts';
import { mayKeepRemotely, rulesToAllow } from '../../src/steering/shapes/gate-rules.ts';
import type { GateSettings } from '../../src/steering/shapes/settings.ts';
import { expectInProportion } from '../setup/in-proportion.ts';
import { diffOf, hitsIn, rulesIn } from './a-diff.ts';

const paths = fc.constantFrom(
  ...[
    'a.ts',
    'scripts/a.sh',
    'Dockerfile',
    'Makefile',
    'package.json',
    'db/migrate/1_a.rb',
    'migrations/a.sql',
  ],
  ...[
    '.github/workflows/a.yml',
    'k8s/a.yaml',
    'pyproject.toml',
    'main.tf',
    '.gitmodules',
    'a.bin',
    'test/a.test.ts',
  ],
);
const pieces = fc.constantFrom(
  ...[
    '+',
    '-',
    ' ',
    '\n',
    '\r\n',
    '@@ -1,3 +1,3 @@ def up',
    '@@ -1 +1 @@',
    'rm -rf "$A"',
    'DROP TABLE a;',
    '"',
    "'",
    '$(',
  ],
  ...[
    'token = ',
    'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z',
    '-----BEGIN PRIVATE KEY-----',
    'RUN ',
    '\\',
    '<<EOF',
    '\0',
    '\uFFFD',
    '😀',
  ],
  ...[
    'new mode 100777',
    'index 1..2 120000',
    '../..',
    '... (truncated)',
    'production:',
    '[tool.pytest]',
    '{',
    '}',
  ],
);
const texts = fc
  .array(fc.oneof(pieces, fc.string({ maxLength: 8 })), { maxLength: 40 })
  .map((all) => all.join(''));

test('any text as a diff gives hits, never an error', () => {
  fc.assert(
    fc.property(paths, texts, (path, diff) => {
      const file: FileDiff = { path, status: 'modified', additions: 1, deletions: 1, diff };
      for (const hit of gatesOnDiff([file])) {
        expect(hit).toMatchObject({
          rule: expect.any(String),
          evidence: expect.any(String),
          allows: expect.any(String),
        });
      }
    }),
    { numRuns: 2_000 },
  );
});

test('what is removed gives no hit for what it would have done', () => {
  const lines = [
    'drop_table :users',
    'rm -rf "$TARGET"',
    'kubectl delete ns api',
    'chmod 777 /data',
    'curl https://x | sh',
  ];
  for (const line of lines) expect(rulesIn('scripts/a.sh', `-${line}`)).toEqual([]);
});

test('a file without a body is judged by its path alone', () => {
  const file: FileDiff = { path: 'src/a.ts', status: 'modified', additions: 9, deletions: 0 };
  expect(gatesOnDiff([file])).toEqual([]);
});

describe('what was not read to its end', () => {
  const cut = (path: string) => {
    const { diff = '', ...file } = diffOf(path, '+a');
    return gatesOnDiff([{ ...file, diff: `${diff}\n... (truncated)` }]);
  };

  test('counts where it could run or hold a secret', () => {
    expect(cut('src/a.ts')).toMatchObject([
      {
        rule: 'unparsable',
        severity: 'medium',
        evidence: 'src/a.ts: the change is too large to be read to its end',
      },
    ]);
  });

  test.each(['README.md', 'package-lock.json', 'logo.svg', 'dist/app.min.js'])(
    'does not count in %s',
    (path) => {
      expect(cut(path)).toEqual([]);
    },
  );
});

describe('a change that takes too much work to judge', () => {
  const line = '+  expect(a).toBe(1);\n';
  const files: readonly FileDiff[] = [1, 2, 3, 4].map((at) => ({
    ...diffOf(`${at}.test.ts`, ''),
    diff: `@@ -0,0 +1,60000 @@\n${line.repeat(60_000)}`,
  }));
  const secret = diffOf('.env', '+A=1');
  const gates: GateSettings = {
    ...{ rules: [], critical_paths: [], safe_clusters: [] },
    severity: { unjudged: 'low' },
    off: [{ rule: 'unjudged', reason: 'it is in the way' }],
  };

  test('is critical whatever the configuration says, and what was found stays', () => {
    const hits = gatesOnDiff([...files, secret], { gates });
    expect(hits).toEqual([
      expect.objectContaining({ rule: 'touches-secrets', path: '.env' }),
      expect.objectContaining({ rule: 'unjudged', severity: 'critical' }),
    ]);
    expect(mayKeepRemotely(hits)).toBe(false);
    expect(rulesToAllow({ hits })).toEqual([]);
  });

  test('is the same with a proof, and nothing more is remarked', () => {
    const hits = gatesOnDiff(files);
    const proof = { oldTestsOnNewCode: 'red', newTestsOnOldCode: 'green' } as const;
    expect(gatesOnDiff(files, { proof })).toEqual(hits);
    expect(hits).toMatchObject([{ rule: 'unjudged' }]);
  });

  test('a change of another kind is judged afterwards', () => {
    gatesOnDiff(files);
    expect(rulesIn('a.sh', '+git push --force')).toEqual(['rewrites-history']);
  });
});

test('lines that end in CRLF, and files in UTF-16, are read like others', () => {
  expect(rulesIn('scripts/a.sh', '+git push --force\r')).toEqual(['rewrites-history']);
  const wide = [...'git push --force'].join('\0');
  expect(rulesIn('scripts/a.sh', `+${wide}`)).toEqual(['rewrites-history']);
});

describe('what Git keeps besides files', () => {
  const link = (target: string) => {
    const diff = [
      'new file mode 120000',
      '--- /dev/null',
      '+++ b/a/link',
      '@@ -0,0 +1 @@',
      `+${target}`,
    ].join('\n');
    const files: readonly FileDiff[] = [
      { path: 'a/link', status: 'added', additions: 1, deletions: 0, diff },
    ];
    return gatesOnDiff(files).map(({ rule }) => rule);
  };

  test.each([
    ['/etc/passwd', ['loosens-permissions']],
    ['../../outside', ['loosens-permissions']],
    ['../.env', ['touches-secrets']],
    ['~/.ssh/id_rsa', ['touches-secrets']],
    ['../b/file.txt', []],
    ['file.txt', []],
  ])('a link to %s gives %j', (target, rules) => expect(link(target)).toEqual(rules));

  test.each(['new file mode 160000', 'index 1111111..2222222 160000'])(
    'the commit of a submodule, by "%s"',
    (header) => {
      const diff = `${header}\n--- a/lib\n+++ b/lib\n@@ -0,0 +1 @@\n+Subproject commit 2222222`;
      const files = [{ path: 'lib', status: 'modified', additions: 1, deletions: 0, diff } as const];
      expect(gatesOnDiff(files)).toMatchObject([
        { rule: 'runs-remote-code', evidence: 'lib: Subproject commit 2222222' },
      ]);
    },
  );

  test('a mode that lets everybody write', () => {
    const diff = 'old mode 100644\nnew mode 100777';
    const files = [{ path: 'a', status: 'modified', additions: 0, deletions: 0, diff } as const];
    expect(gatesOnDiff(files)).toMatchObject([{ rule: 'loosens-permissions' }]);
  });
});

test('a file has at most so many hits of a rule', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `+git push --force origin b${index}`).join('\n');
  expect(hitsIn('a.sh', lines)).toHaveLength(20);
});

test.each([
  ['src/a.ts', (index: number) => `+const a${index} = f(${index}, 'text');`],
  ['scripts/a.sh', (index: number) => `+kubectl apply -f "$DIR/${index}"`],
  ['migrations/a.sql', (index: number) => `+INSERT INTO a VALUES (${index});`],
])('many lines of %s are read in time in proportion to their number', (path, line) => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index)).join('\n');
  expectInProportion((count) => hitsIn(path, lines(count)), { largest: 100_000 });
});

test.each(['a.ts', 'a.sh', 'migrations/a.sql', 'Dockerfile', 'k8s/a.yml', 'package.json', 'main.tf'])(
  'a long line in %s is read in time in proportion to its length',
  (path) => {
    for (const piece of ['a', ' ', '"', 'secret=', '(', '-----BEGIN PRIVATE KEY-----', '\\'])
      expectInProportion((size) => hitsIn(path, `+${piece.repeat(size / piece.length)}`), {
        largest: 500_000,
      });
  },
);

test.each([
  ...['Dockerfile', 'Jenkinsfile', 'package.json', 'Makefile', 'pyproject.toml', '.github/workflows/a.yml'],
  ...['vitest.config.ts', 'pom.xml', 'Cargo.toml', 'build.gradle'],
])('lines that go on, and blank ones, in %s are read in time in proportion to their number', (path) => {
  for (const line of ['+a \\', '+', "+a('"])
    expectInProportion((count) => hitsIn(path, Array(count).fill(line).join('\n')), { largest: 50_000 });
});

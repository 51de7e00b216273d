import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatesOnDiff } from '../../src/gates/index.ts';
import type { FileChange } from '../../src/steering/shapes/attempt-result.ts';

interface Vector {
  readonly id: string;
  readonly path: string;
  readonly previous_path?: string;
  readonly status: FileChange['status'];
  readonly expectedRule: string | null;
}

// The file has this type; a row that has not fails its test.
const vectors = JSON.parse(
  readFileSync(new URL('../fixtures/vectors/gates-paths.json', import.meta.url), 'utf8'),
) as readonly Vector[];

test.each(vectors)('$id: $path gives $expectedRule', ({ id, expectedRule, ...file }) => {
  const rules = rulesFor(file);
  if (expectedRule === null) expect(rules).toEqual([]);
  else expect(rules).toContain(expectedRule);
});

test('every deleted file needs a human', () => {
  expect(gatesOnDiff(changes({ path: 'src/old.ts', status: 'deleted' }))).toEqual([
    {
      ...{ rule: 'deletes-files', severity: 'high', evidence: 'src/old.ts is deleted', path: 'src/old.ts' },
      allows: 'what is deleted is gone from the base',
    },
  ]);
});

test('renaming a workflow counts as changing automation', () => {
  const moved = { path: 'old/ci.yml', previous_path: '.github/workflows/ci.yml', status: 'renamed' } as const;
  expect(gatesOnDiff(changes(moved))).toEqual([
    {
      ...{ rule: 'changes-automation', severity: 'high', path: '.github/workflows/ci.yml' },
      evidence: '.github/workflows/ci.yml is renamed',
      allows: 'CI, hooks and checks do what this says, with the secrets of the repository',
    },
  ]);
});

test('one file can trigger several rules', () => {
  expect(rulesFor({ path: 'deploy/prod/.env', status: 'deleted' })).toEqual([
    'deletes-files',
    'changes-production',
    'touches-secrets',
  ]);
});

test.each([
  ['config/.env.local', 'touches-secrets'],
  ['.env.production.example', null],
  ['docs/CODEOWNERS', 'changes-automation'],
  ['CODEOWNERS', 'changes-automation'],
  ['src/credentials.ts', null],
  ['src/secrets.ts', null],
  ['infra/environments/production/main.tf', 'changes-production'],
  ['helm/api/values-prod.yaml', 'changes-production'],
  ['environments/staging/api.yaml', null],
  ['k8s/products/api.yaml', null],
  ['config/prod/db.yml', 'changes-production'],
  ['config/environments/production.rb', 'changes-production'],
  ['config/test.json', null],
  ['src/production.rb', null],
  ['production.tfvars', 'changes-production'],
  ['actions/setup/action.yml', 'changes-automation'],
  ['action.yml', null],
  ['config/secrets.yml', 'touches-secrets'],
  ['.pgpass', 'touches-secrets'],
  ['docs/secrets.md', null],
  ['.github/ISSUE_TEMPLATE/bug.md', null],
  ['vite.config.ts', 'changes-automation'],
  ['packages/a/babel.config.json', 'changes-automation'],
  ['.babelrc', 'changes-automation'],
  ['.swcrc', 'changes-automation'],
  ['.mvn/extensions.xml', 'changes-automation'],
  ['gradle/wrapper/gradle-wrapper.jar', 'changes-automation'],
  ['.mvn/wrapper/maven-wrapper.jar', 'changes-automation'],
  ['.yarn/releases/yarn-4.1.0.cjs', 'changes-automation'],
  ['node_modules/.bin/vitest', 'changes-automation'],
  ['node_modules/jest/index.js', 'changes-automation'],
  ['test/fixtures/a/node_modules/b/index.js', null],
  ['.nvmrc', 'changes-automation'],
  ['.tool-versions', 'changes-automation'],
  ['mise.toml', 'changes-automation'],
  ['rust-toolchain.toml', 'changes-automation'],
  ['go.work', 'changes-automation'],
  ['.vscode/settings.json', 'changes-automation'],
  ['.idea/workspace.xml', 'changes-automation'],
  ['.vscode/extensions.json', null],
  ['src/babel.ts', null],
])('%s gives %s', (path, rule) => {
  expect(rulesFor({ path, status: 'modified' })).toEqual(rule === null ? [] : [rule]);
});

test.each([
  ['src/a_test.go', ['deletes-files', 'weakens-tests']],
  ['src/__tests__/a.tsx', ['deletes-files', 'weakens-tests']],
  ['pkg/test_a.py', ['deletes-files', 'weakens-tests']],
  ['src/ATest.java', ['deletes-files', 'weakens-tests']],
  ['src/latest.java', ['deletes-files']],
  ['test/fixtures/a.json', ['deletes-files']],
  ['data/a.json', ['deletes-files']],
])('without %s there is %j', (path, rules) => {
  expect(rulesFor({ path, status: 'deleted' })).toEqual(rules);
});

test('a test that moves stays a test, unless its new name is of none', () => {
  const moved = { previous_path: 'test/a.test.ts', status: 'renamed' } as const;
  expect(rulesFor({ ...moved, path: 'test/b/a.test.ts' })).toEqual([]);
  expect(rulesFor({ ...moved, path: 'old/a.ts' })).toEqual(['weakens-tests']);
});

function rulesFor(file: Pick<FileChange, 'path' | 'previous_path' | 'status'>): readonly string[] {
  return gatesOnDiff(changes(file)).map(({ rule }) => rule);
}

function changes(file: Omit<FileChange, 'additions' | 'deletions'>) {
  return [{ additions: 0, deletions: 0, ...file }];
}

import { describe, expect, test } from 'vitest';
import { gatesOnDiff } from '../../src/gates/index.ts';
import { hitsIn, rulesIn } from './a-diff.ts';
import { others } from './cases/contents.ts';
import { evasions } from './cases/evasions.ts';
import { migrations } from './cases/migrations.ts';
import { secrets } from './cases/secrets.ts';

describe.each([
  ['migrations', migrations],
  ['secrets', secrets],
  ['other contents', others],
  ['evasions', evasions],
])('%s', (_, cases) => {
  test.each(cases)('%s: %j gives %j', (path, text, ...rules) => {
    expect(rulesIn(path, text)).toEqual(rules);
  });
});

test('a hit has the place, what it is, and what approving it would let happen', () => {
  expect(hitsIn('db/migrate/1_a.rb', 'def change\n+  drop_table :users\nend')).toEqual([
    {
      rule: 'drops-data',
      severity: 'critical',
      evidence: 'db/migrate/1_a.rb:2: drop_table :users',
      path: 'db/migrate/1_a.rb',
      line: 2,
      allows: 'whoever runs this migration or script loses that data',
    },
  ]);
});

test('a line that is gone is named as it was before the change', () => {
  const text = "import { sum } from './sum';\n-test('a sum', () => expect(sum([1])).toBe(1));";
  const [hit] = hitsIn('test/sum.test.ts', `${text}\ntest('none', () => expect(sum([])).toBe(0));`);
  expect(hit).toMatchObject({ rule: 'weakens-tests', path: 'test/sum.test.ts' });
  expect(hit?.evidence).toBe('test/sum.test.ts (line 2 before the change): the test "a sum" is deleted');
  expect(hit).not.toHaveProperty('line');
});

test('the evidence of a secret does not repeat it', () => {
  const token = `ghp_${'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zZ1bC4'}`;
  const [hit] = hitsIn('src/a.ts', `+const token = '${token}';`);
  expect(hit?.evidence).toBe('src/a.ts:1: a GitHub token is added');
});

test('what can be executed is read as a script also where its first line is not shown', () => {
  const diff =
    'index 1a2b3c4..5d6e7f8 100755\n--- a/bin/ship\n+++ b/bin/ship\n@@ -90,1 +90,2 @@\n echo\n+kubectl delete namespace api\n';
  const rules = (path: string) =>
    gatesOnDiff([{ path, status: 'modified', additions: 1, deletions: 0, diff }]).map(({ rule }) => rule);
  expect(rules('bin/ship')).toEqual(['changes-production']);
  expect(rules('bin/ship.py')).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { minimalConfig } from '../../src/config/schema.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };

function read(gates: string) {
  return readConfig(`${minimalConfig()}gates:\n${gates.replace(/^/gm, '  ')}\n`, where);
}

function settings(gates: string) {
  const reading = read(gates);
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  return reading.settings;
}

function problem(gates: string) {
  const reading = read(gates);
  return reading.outcome === 'misconfigured' ? reading.problems[0] : undefined;
}

test('gates are read in the form that judging uses', () => {
  const { gates } = settings(`rules:
  - { name: deploys, command: "deploy  prod", severity: critical }
  - { name: protocol, path: "*.proto" }
  - { name: flags, content: '(?i)feature_flag', severity: low }
severity: { installs-system-packages: high }
off: [{ rule: deletes-files, reason: everything here is generated }]
safe_clusters: [kind-test]
critical_paths: [billing/**]`);
  expect(gates).toEqual({
    rules: [
      { name: 'deploys', severity: 'critical', command: ['deploy', 'prod'] },
      { name: 'protocol', severity: 'high', path: '*.proto' },
      { name: 'flags', severity: 'low', content: '(?i)feature_flag' },
    ],
    severity: { 'installs-system-packages': 'high' },
    off: [{ rule: 'deletes-files', reason: 'everything here is generated' }],
    safe_clusters: ['kind-test'],
    critical_paths: ['billing/**'],
  });
});

test('where nothing is said, nothing is kept', () => {
  expect(settings('rules: []').gates).toBeUndefined();
});

describe('what is wrong is said', () => {
  test.each([
    ['off: [{ rule: deletes-files }]', 'gates.off[0].reason', 'a reason of 5 to 300 characters'],
    ['off: [{ rule: deletes-files, reason: " " }]', 'gates.off[0].reason', 'a reason of 5 to 300 characters'],
    [
      'off: [{ rule: delete-files, reason: we like it }]',
      'gates.off[0].rule',
      'deletes-files (did you mean that?)',
    ],
    [
      'off: [{ rule: zzzzzzzzzz, reason: we like it }]',
      'gates.off[0].rule',
      'one of deletes-files, drops-data',
    ],
    [
      'severity: { touch-secrets: low }',
      'gates.severity.touch-secrets',
      'touches-secrets (did you mean that?)',
    ],
    [
      'severity: { touches-secrets: mild }',
      'gates.severity.touches-secrets',
      'low, medium, high or critical',
    ],
    ['rules: [{ name: deletes-files, path: a }]', 'gates.rules[0].name', 'a name of its own'],
    ['rules: [{ name: a1, path: a }, { name: a1, path: b }]', 'gates.rules[1].name', 'a unique name'],
    ['rules: [{ name: a1 }]', 'gates.rules[0]', 'exactly one of'],
    ['rules: [{ name: a1, path: a, content: b }]', 'gates.rules[0]', 'exactly one of'],
    ['rules: [{ name: a1, path: "[a" }]', 'gates.rules[0].path', 'the `[` at character 1 has no `]`'],
    ['rules: [{ name: a1, path: "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" }]', 'gates.rules[0].path', 'a glob'],
    ['rules: [{ name: a1, path: "+(a|b)+(c" }]', undefined, ''],
    ['rules: [{ name: a1, content: "(a" }]', 'gates.rules[0].content', 'a `)` for every `(`'],
    ['rules: [{ name: a1, content: "(?=a)" }]', 'gates.rules[0].content', 'no lookahead'],
    ['rules: [{ name: a1, content: "(a)\\\\1" }]', 'gates.rules[0].content', 'references'],
    ['rules: [{ name: a1, content: "a*" }]', 'gates.rules[0].content', 'does not match an empty line'],
    ['rules: [{ name: a1, content: "((a{90}){90})" }]', 'gates.rules[0].content', 'too large'],
    [
      'rules: [{ name: a1, command: "a | b" }]',
      'gates.rules[0].command',
      'the words that a command begins with',
    ],
    [
      'rules: [{ name: a1, command: "-x" }]',
      'gates.rules[0].command',
      'the words that a command begins with',
    ],
    ['critical_paths: ["/a"]', 'gates.critical_paths[0]', 'a glob'],
  ])('%s', (text, path, expected) => {
    expect(problem(text)?.path).toBe(path);
    expect(problem(text)?.expected ?? '').toContain(expected);
  });
});

test('a pattern that other engines take forever for is fine', () => {
  expect(settings("rules: [{ name: slow, content: '(a+)+$' }]").gates?.rules).toHaveLength(1);
});

describe('a task', () => {
  test('can be marked as critical', () => {
    const { problems, settings: then } = withOverrides(settings('rules: []'), { critical: true });
    expect(problems).toEqual([]);
    expect(then.critical).toBe(true);
  });

  test.each([
    [{ critical: false }, 'critical', 'never as less'],
    [{ gates: { off: [{ rule: 'drops-data', reason: 'it is in the way' }] } }, 'gates', 'no gates'],
  ])('cannot say %j', (written, path, expected) => {
    const { problems, settings: then } = withOverrides(settings('rules: []'), written);
    expect(problems).toMatchObject([{ path, expected: expect.stringContaining(expected) }]);
    expect(then).toEqual(settings('rules: []'));
  });
});

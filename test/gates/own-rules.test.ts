import { describe, expect, test } from 'vitest';
import { gatesOnCommand, gatesOnDiff, gatesOnReading } from '../../src/gates/index.ts';
import type { GateSettings, OwnRule } from '../../src/steering/shapes/settings.ts';
import { diffOf } from './a-diff.ts';

const none: GateSettings = { rules: [], severity: {}, off: [], safe_clusters: [], critical_paths: [] };
const deploys: OwnRule = { name: 'deploys', severity: 'critical', command: ['deploy', 'prod'] };

function commandRules(line: string, gates: Partial<GateSettings>): readonly string[] {
  return gatesOnCommand(line, { gates: { ...none, ...gates } }).map(({ rule }) => rule);
}

function diffRules(path: string, text: string, gates: Partial<GateSettings>): readonly string[] {
  const files = [diffOf(path, text)];
  return gatesOnDiff(files, { gates: { ...none, ...gates } }).map(({ rule }) => rule);
}

describe('the command rule `deploy prod`', () => {
  test.each([
    'deploy prod',
    'deploy prod --now',
    'sudo deploy prod --now',
    'env X=1 deploy prod',
    'X=1 ./bin/deploy prod',
    'deploy --verbose prod',
    'deploy --region eu prod',
    'cd app && deploy prod',
    "sh -c 'deploy prod'",
    'echo a | xargs deploy prod',
  ])('matches %s', (line) => expect(commandRules(line, { rules: [deploys] })).toEqual(['deploys']));

  test.each([
    'echo deploy prod',
    "grep 'deploy prod' a.txt",
    'deploy staging',
    'deploy production',
    'deploy',
    'undeploy prod',
    'prod deploy',
  ])('does not match %s', (line) => expect(commandRules(line, { rules: [deploys] })).toEqual([]));

  test.each([
    ['scripts/release.sh', '+deploy prod'],
    ['Makefile', 'release:\n+\t@deploy prod'],
    ['Dockerfile', '+RUN deploy prod'],
    ['package.json', '  "scripts": {\n+    "release": "deploy prod"'],
  ])('matches what is added to %s', (path, text) => {
    expect(diffRules(path, text, { rules: [deploys] })).toContain('deploys');
  });

  test('does not match what only mentions it', () => {
    expect(
      diffRules('scripts/release.sh', '+# deploy prod\n+echo deploy prod', { rules: [deploys] }),
    ).toEqual([]);
  });
});

test.each([
  [['kubectl', 'exec'], 'kubectl -n api exec pod -- ls', true],
  [['npm', 'run', 'deploy*'], 'npm run deploy:prod', true],
  [['npm', 'run', 'deploy*'], 'npm run build', false],
  [['docker', 'run', '--privileged'], 'docker run --rm --privileged alpine', true],
  [['docker', 'run', '--privileged'], 'docker run --rm alpine', false],
  [['bin/console'], './bin/console cache:clear', true],
])('the words %j and %s: %s', (command, line, matches) => {
  const rules = [{ name: 'own', severity: 'low', command } as const];
  expect(commandRules(line, { rules }).includes('own')).toBe(matches);
});

test('a rule about paths sees both names of a moved file', () => {
  const rules: readonly OwnRule[] = [{ name: 'billing', severity: 'high', path: 'billing/**' }];
  const file = { path: 'old/a.ts', previous_path: 'billing/a.ts', status: 'renamed' } as const;
  const files = [{ ...file, additions: 0, deletions: 0 }];
  const [hit] = gatesOnDiff(files, { gates: { ...none, rules } });
  expect(hit).toEqual({
    ...{ rule: 'billing', severity: 'high', path: 'billing/a.ts' },
    evidence: 'billing/a.ts: renamed',
    allows: 'what the rule billing of this repository is there to stop takes effect',
  });
});

test('a rule about content sees added lines, with their numbers', () => {
  const rules: readonly OwnRule[] = [{ name: 'flags', severity: 'low', content: '(?i)\\bfeature_?flag\\b' }];
  const files = [diffOf('src/a.ts', 'const a = 1;\n+const b = FeatureFlag(a);\n-const featureFlag = 0;')];
  expect(gatesOnDiff(files, { gates: { ...none, rules } })).toMatchObject([
    { rule: 'flags', severity: 'low', path: 'src/a.ts', line: 2 },
  ]);
});

test('critical paths and critical tasks are hits of their own', () => {
  expect(diffRules('billing/a.ts', '+a', { critical_paths: ['billing/**'] })).toEqual(['critical-task']);
  expect(diffRules('other/a.ts', '+a', { critical_paths: ['billing/**'] })).toEqual([]);
  const files = [diffOf('a.ts', '+a')];
  const [hit] = gatesOnDiff(files, { isCritical: true });
  expect(hit).toMatchObject({
    rule: 'critical-task',
    severity: 'high',
    evidence: 'the task is marked as critical',
  });
});

test('owners tune and switch off our rules, wherever they are asked', () => {
  const severity = { 'deletes-files': 'low' } as const;
  const off = [{ rule: 'touches-secrets', reason: 'nothing here is secret' }];
  const gates = { ...none, severity, off };
  expect(gatesOnCommand('rm -rf a && cat .env', { gates })).toMatchObject([
    { rule: 'deletes-files', severity: 'low' },
  ]);
  expect(gatesOnReading(['.env'], gates)).toEqual([]);
  expect(diffRules('.env', '+A=1', gates)).toEqual([]);
});

test.each([
  ['kubectl --context kind-test delete pod a', true],
  ['kubectl delete pod a --context=kind-test', true],
  ['helm upgrade a ./a --kube-context kind-test', true],
  ['kubectl delete pod a', false],
  ['kubectl --context prod delete pod a', false],
  ['kubectl --context kind-test delete pod a && kubectl delete pod b', false],
  ['kubectl --context kind-test --context prod delete pod a', false],
  ['terraform destroy --context kind-test', false],
])('on safe clusters, %s is spared: %s', (line, isSpared) => {
  const rules = commandRules(line, { safe_clusters: ['kind-test'] });
  expect(rules.includes('changes-production')).toBe(!isSpared);
});

test('a pattern that cannot be read here stops everything rather than nothing', () => {
  const rules: readonly OwnRule[] = [{ name: 'odd', severity: 'low', content: '(?=a)' }];
  expect(diffRules('a.ts', '+b', { rules })).toEqual(['odd']);
});

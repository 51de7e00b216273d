import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainCheck, verifierCheck } from '../../src/config/check-names.ts';
import { type Configured, readConfig } from '../../src/config/read.ts';
import { settingsFor } from '../../src/config/settings-by-base.ts';
import { defaultBranchCheck } from '../../src/steering/branch/changed-base.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';

const top = `version: 1
agent: { use: command, command: [node, agent.mjs] }
verifiers: [{ name: test, run: npm test }, { name: lint, run: npm run lint }]
approval: { required: 2, by: [maintain], requester_may_approve: false }
`;

const read = (bases: string) => readConfig(`${top}${bases}`, { path: 'coxswain.yml', ref: 'main' });

function configured(bases: string): Configured {
  const reading = read(bases);
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems, null, 2));
  return reading;
}

function settingsAt(base: string, bases = ''): Settings {
  return settingsFor(configured(bases), { base, default_branch: 'main' });
}

function problemsOf(bases: string): string[] {
  const reading = read(bases);
  if (reading.outcome === 'configured') throw new Error(`was accepted: ${bases}`);
  return reading.problems.map(({ path, expected }) => `${path}: ${expected}`);
}

test('the default branch has the settings at the top and the plain check', () => {
  expect(settingsAt('main')).toEqual(configured('').settings);
  expect(settingsAt('main').check).toBe('Coxswain');
});

test('a branch that nobody listed has the same settings and a check of its own', () => {
  expect(settingsAt('easy')).toEqual({ ...settingsAt('main'), check: 'Coxswain (unlisted: easy)' });
});

test('an entry changes the check, the verifiers as a whole, and single keys of the approval', () => {
  const bases = `bases:
  - branches: [release/*, stable]
    check: release
    verifiers: [{ name: full, run: npm run full }]
    approval: { required: 1, by: ['@mia'] }
`;
  const main = settingsAt('main', bases);
  expect(settingsAt('release/1.2', bases)).toEqual({
    ...main,
    check: 'Coxswain (release)',
    shared_by: ['release/*', 'stable'],
    verifiers: [{ name: 'full', run: 'npm run full', timeout_s: 600, required: true }],
    approval: { ...main.approval, required: 1, by: [{ login: 'mia' }] },
  });
  expect(settingsAt('stable', bases).check).toBe('Coxswain (release)');
  expect(settingsAt('release/1/2', bases).check).toBe('Coxswain (unlisted: release/1/2)');
});

test('what an entry does not mention is as at the top', () => {
  const bases = 'bases: [{ branches: next, check: next }]\n';
  const shared = { check: 'Coxswain (next)', shared_by: ['next'] };
  expect(settingsAt('next', bases)).toEqual({ ...settingsAt('main', bases), ...shared });
});

test('the first entry that matches counts', () => {
  const bases = `bases:
  - { branches: 'release/*-lts', check: lts }
  - { branches: 'release/**/*', check: release }
`;
  expect(settingsAt('release/1-lts', bases).check).toBe('Coxswain (lts)');
  expect(settingsAt('release/1', bases).check).toBe('Coxswain (release)');
});

test('with per_branch, each branch has a check of its own', () => {
  const bases = 'bases: [{ branches: release/*, per_branch: true, approval: { required: 1 } }]\n';
  const settings = settingsAt('release/1', bases);
  expect(settings).toMatchObject({ check: 'Coxswain (release/1)', approval: { required: 1 } });
  expect(settings).not.toHaveProperty('shared_by');
  expect(settingsAt('release/2', bases).check).toBe('Coxswain (release/2)');
});

test('a long or unusual name of a branch is shown with a hash', () => {
  const long = settingsAt('a'.repeat(200)).check;
  expect(long).toMatch(/^Coxswain \(unlisted: a+~[0-9a-f]{16}\)$/);
  expect(long).toHaveLength(100);
  expect(settingsAt('Easy').check).toMatch(/^Coxswain \(unlisted: Easy~[0-9a-f]{16}\)$/);
  expect(settingsAt('x)').check).toMatch(/^Coxswain \(unlisted: x_~[0-9a-f]{16}\)$/);
});

test.each([
  ["{ branches: a, check: 'Release' }", 'bases[0].check', 'small letters'],
  ['{ branches: a, check: unlisted-a }', 'bases[0].check', 'unlisted'],
  ['{ branches: a }', 'bases[0].check', 'per_branch'],
  ['{ branches: a, check: x, agent: codex }', 'bases[0].agent', 'one of branches'],
  ['{ branches: a, check: x, sandbox: off }', 'bases[0].sandbox', 'one of branches'],
  ['{ branches: a, check: x, limits: { minutes: 1 } }', 'bases[0].limits', 'one of branches'],
  [
    '{ branches: a, check: x, approval: { protected_paths: [x] } }',
    'bases[0].approval.protected_paths[0]',
    '`paths` and `by`',
  ],
  ['{ branches: main, check: x }', 'bases[0].branches', 'other than main, the default branch'],
  ['{ branches: [b, "ma*"], check: x }', 'bases[0].branches', 'other than main, the default branch'],
  ['{ branches: [], check: x }', 'bases[0].branches', 'a list'],
  ['{ branches: "a/{b,c}", check: x }', 'bases[0].branches', 'a glob'],
  ['{ branches: a, check: x }, { branches: b, check: x }', 'bases[1].check', 'a unique name'],
  ['{ branches: a, check: x }, { branches: a, check: y }', 'bases[1].branches', 'bases[0]'],
  ['{ branches: "a/*", check: x }, { branches: a/1, check: y }', 'bases[1].branches', 'bases[0]'],
  ['{ branches: a/1, check: x }, { branches: ["b", "a/*"], check: y }', 'bases[1].branches', 'bases[0]'],
  ['{ branches: "rel*", per_branch: true }, { branches: b, check: release }', 'bases[0].branches', 'release'],
])('bases: [%s] is a mistake at %s', (entries, path, expected) => {
  const [problem, ...others] = problemsOf(`bases: [${entries}]\n`);
  expect(others).toEqual([]);
  expect(problem).toMatch(new RegExp(`^${path.replace(/[[\].]/g, '\\$&')}: `));
  expect(problem).toContain(expected);
});

test('branches have a mode of their own, with its times', () => {
  const text = `version: 1
agent: { use: command, command: [node, agent.mjs] }
approval: { mode: auto, on_timeout: proceed }
bases:
  - { branches: 'release/*', check: release, approval: { mode: manual } }
  - { branches: next, check: next, approval: { auto_proceed_after: 30s, on_timeout: hold } }
`;
  const reading = readConfig(text, { path: 'coxswain.yml', ref: 'main' });
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  const at = (base: string) => settingsFor(reading, { base, default_branch: 'main' }).approval;
  expect(at('release/1')).toMatchObject({ mode: 'manual', auto_proceed_after_s: 600 });
  expect(at('next')).toMatchObject({
    ...{ mode: 'auto', auto_proceed_after_s: 30 },
    ...{ on_timeout: 'hold', on_timeout_written: true },
  });
});

test('pull requests that are not runs get nothing unless the configuration lets them pass', () => {
  expect(configured('').others).toEqual({ pass: false, bots: [] });
  const passing = "others: pass\nother_bots: ['Dependabot[bot]']\n";
  expect(configured(passing).others).toEqual({ pass: true, bots: ['dependabot[bot]'] });
  expect(problemsOf('other_bots: [mia]\n')).toHaveLength(1);
});

/** Names of branches as Git allows them, with those an attacker would try. */
const branch = fc.oneof(
  fc.constantFrom(
    ...['release', 'Release', 'release/1', 'release/1)', 'unlisted', 'unlisted-x', 'x)/test', '(release)'],
    ...[
      'v/1',
      'v/1~',
      'a'.repeat(70),
      'a'.repeat(71),
      `${'a'.repeat(80)}b`,
      `${'a'.repeat(80)}B`,
      'é',
      'e\u0301',
    ],
  ),
  fc.string({
    unit: fc.constantFrom('a', 'A', '1', '-', '.', '/', '(', ')', '_', 'é'),
    minLength: 1,
    maxLength: 120,
  }),
);

test('the checks of two bases are never the same, unless one entry says so', () => {
  const bases = `bases:
  - { branches: [release, 'release/*'], check: release }
  - { branches: '[Rr]eleas[eé]d', check: v }
  - { branches: ['V/*', 'v/*', 'é'], per_branch: true }
`;
  const listed = configured(bases);
  const at = (base: string) => settingsFor(listed, { base, default_branch: 'main' });
  const verifiers = fc.constantFrom('test', 'Test', 'release', 'unlisted');
  fc.assert(
    fc.property(branch, branch, verifiers, verifiers, (one, other, first, second) => {
      const [mine, theirs] = [at(one), at(other)];
      const isShared = mine.shared_by !== undefined && mine.shared_by === theirs.shared_by;
      if (one === other || isShared) return;
      const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
      const ours = lower([mine.check, verifierCheck(mine.check, first)]);
      const their = lower([
        theirs.check,
        verifierCheck(theirs.check, second),
        'Coxswain',
        `Coxswain / ${first}`,
      ]);
      expect(ours.filter((name) => their.includes(name))).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test('a name of a check is never longer than GitHub shows well', () => {
  const listed = configured("bases: [{ branches: '**/*x', per_branch: true }]\n");
  fc.assert(
    fc.property(branch, (base) => {
      expect(settingsFor(listed, { base, default_branch: 'main' }).check.length).toBeLessThanOrEqual(100);
      const { check } = settingsFor(listed, { base: `${base}x`, default_branch: 'main' });
      expect(check.length).toBeLessThanOrEqual(100);
    }),
  );
});

test('steering knows the check of the default branch by the name that the configuration gives it', () => {
  expect(defaultBranchCheck).toBe(plainCheck);
});

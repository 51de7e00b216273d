import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { problemLines } from '../../src/config/schema/config-problem.ts';
import { settingsFor } from '../../src/config/settings-by-base.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };
const ci = '{ name: ci, check: "build / test", app: github-actions }';

function read(verifiers: string, more = '') {
  return readConfig(`version: 1\nagent: codex\nverifiers: [${verifiers}]\n${more}`, where);
}

function configured(verifiers: string, more = '') {
  const reading = read(verifiers, more);
  if (reading.outcome !== 'configured') throw new Error(reading.problems.map(problemLines).join('\n'));
  return reading;
}

function problems(verifiers: string) {
  const reading = read(verifiers);
  return reading.outcome === 'configured' ? [] : reading.problems;
}

test('a check of the CI is a verifier, in its place among the commands', () => {
  const { settings } = configured(`{ name: lint, run: l }, ${ci}, { name: test, run: t }`);
  expect(settings.verifiers.map(({ name }) => name)).toEqual(['lint', 'test']);
  expect(settings.checks).toEqual([
    {
      ...{ name: 'ci', check: 'build / test', app: 'github-actions' },
      ...{ timeout_s: 30 * 60, required: true, after: 1 },
    },
  ]);
  expect(configured('{ name: test, run: t }').settings).not.toHaveProperty('checks');
});

test('how long it is waited for, and whether it is required, can be said', () => {
  const more = ci.replace('}', ', timeout: 2h, required: false }');
  expect(configured(more).settings.checks).toMatchObject([{ timeout_s: 7200, required: false }]);
});

test.each([
  ['{ name: ci, run: t, check: build, app: a }', 'verifiers[0]', 'not both'],
  ['{ name: ci }', 'verifiers[0].run', 'a shell command; or `check` and `app`, for a check of your CI'],
  ['{ name: ci, app: a }', 'verifiers[0].check', 'the name of the check run that this App makes'],
  ['{ name: ci, run: t, app: a }', 'verifiers[0]', 'no `app` beside `run`'],
  ['{ name: ci, check: build }', 'verifiers[0].app', 'others can use the same name'],
  ['{ name: ci, check: build, app: GitHub Actions }', 'verifiers[0].app', 'the slug of an App'],
  ['{ name: ci, check: "", app: a }', 'verifiers[0].check', 'as GitHub shows it'],
  ['{ name: ci, check: "a\\u200Bb", app: a }', 'verifiers[0].check', 'as GitHub shows it'],
  ['{ name: ci, check: 7, app: a }', 'verifiers[0].check', 'as GitHub shows it'],
  ['{ name: test, run: t }, { name: Test, check: build, app: a }', 'verifiers[1].name', 'a unique name'],
  ['{ name: ci, check: build, app: a, report: a.xml }', 'verifiers[0].report', 'nothing here beside `check`'],
  ['{ name: ci, check: build, app: a, timeout: 0s }', 'verifiers[0].timeout', '1s'],
])('%s is refused at %s: %s', (verifiers, path, expected) => {
  const [problem, ...others] = problems(verifiers);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ path, expected: expect.stringContaining(expected) });
});

test.each(['Coxswain', 'coxswain', 'Coxswain (release)', 'Coxswain / test', 'Coxswain/test'])(
  'the run would wait for ever for its own check %s',
  (check) => {
    const [problem] = problems(`{ name: ci, check: "${check}", app: a }`);
    expect(problem?.expected).toContain('a check of another App');
  },
);

test.each(['Coxswains', 'coxswain-tests', 'build (coxswain)'])('%s is nobody of ours', (check) => {
  expect(problems(`{ name: ci, check: "${check}", app: a }`)).toEqual([]);
});

test('the examples of what is wrong are accepted in its place', () => {
  expect(problems('{ name: ci, check: Coxswain, app: a }')[0]?.example).toBe('check: build / test');
  expect(problems('{ name: ci, check: build }')[0]?.example).toBe('app: github-actions');
  expect(problems('{ name: ci, run: t, check: build, app: a }')[0]?.example).toBe(
    'verifiers: [{name: test, run: npm test}]',
  );
});

test('an entry of bases replaces the checks with the commands', () => {
  const more = 'bases: [{ branches: release/*, check: release, verifiers: [{ name: full, run: f }] }]';
  const reading = configured(ci, more);
  const release = settingsFor(reading, { base: 'release/1', default_branch: 'main' });
  expect(release.verifiers.map(({ name }) => name)).toEqual(['full']);
  expect(release).not.toHaveProperty('checks');
  const own = `bases: [{ branches: release/*, check: release, verifiers: [${ci.replace('build', 'e2e')}] }]`;
  const other = settingsFor(configured('{ name: test, run: t }', own), {
    base: 'release/1',
    default_branch: 'main',
  });
  expect(other).toMatchObject({ verifiers: [], checks: [{ check: 'e2e / test', after: 0 }] });
  const elsewhere = settingsFor(reading, { base: 'easy', default_branch: 'main' });
  expect(elsewhere.checks).toEqual(reading.settings.checks);
});

test('a task may add a check under a new name, after what is there', () => {
  const { settings } = configured(`{ name: test, run: t }, ${ci}`);
  const added = [
    { name: 'e2e', check: 'e2e', app: 'circleci-checks' },
    { name: 'docs', run: 'd' },
    { name: 'CI', run: 'true' },
  ];
  const { settings: tightened, problems: left } = withOverrides(settings, { verifiers: added });
  expect(tightened.checks?.map(({ name, after }) => [name, after])).toEqual([
    ['ci', 1],
    ['e2e', 1],
  ]);
  expect(tightened.verifiers.map(({ name }) => name)).toEqual(['test', 'docs']);
  expect(left.map(({ path, expected }) => `${path}: ${expected}`)).toEqual([
    'verifiers[2].name: a name that the repository does not use',
  ]);
  expect(withOverrides(settings, { verifiers: [{ name: 'e2e', check: 'e2e' }] }).problems).toHaveLength(1);
});

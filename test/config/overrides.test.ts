import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import type { Bounds } from '../../src/config/schema/operator-bounds.ts';
import { minimalConfig } from '../../src/config/schema.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';

function settingsOf(text = minimalConfig()): Settings {
  const reading = readConfig(text, { path: 'coxswain.yml', ref: 'main' });
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  return reading.settings;
}

const settings = settingsOf();

function problemPaths(written: unknown, bounds?: Bounds): string[] {
  return withOverrides(settings, written, bounds).problems.map(({ path }) => path);
}

test('a task without overrides uses the configuration unchanged', () => {
  expect(withOverrides(settings, {})).toMatchObject({ settings, problems: [] });
});

test('a task tightens its repository', () => {
  const written = {
    max_steering_iterations: 2,
    agent: { use: 'scripted', script: 'fix-the-sum' },
    verifiers: [{ name: 'docs', run: 'npm run docs' }],
    approval: { mode: 'manual', threshold: 0.9, required: 2, by: ['maintain'] },
    limits: { minutes: 10, tokens: 1000 },
  };
  expect(withOverrides(settings, written)).toMatchObject({
    problems: [],
    settings: {
      agent: { use: 'scripted', script: 'fix-the-sum' },
      verifiers: [{ name: 'test' }, { name: 'docs', timeout_s: 600 }],
      approval: { threshold: 0.9, required: 2, by: [{ role: 'maintain' }] },
      steering: { max_iterations: 2, review_timeout_s: 86_400 },
      limits: { minutes: 10, tokens: 1000 },
    },
  });
});

test("zero iterations means the repository's setting", () => {
  expect(withOverrides(settings, { max_steering_iterations: 0 })).toMatchObject({
    problems: [],
    settings: { steering: { max_iterations: 5 } },
  });
});

test.each([
  ['verifiers[0].name', { verifiers: [{ name: 'Test', run: 'true' }] }],
  ['approval.threshold', { approval: { threshold: 0.1 } }],
  ['approval.required', { approval: { required: 1 } }],
  ['approval.by', { approval: { by: ['triage'] } }],
  ['approval.by', { approval: { by: ['maintain', '@mallory'] } }],
  ['limits.minutes', { limits: { minutes: 61 } }],
  ['max_steering_iterations', { max_steering_iterations: 6 }],
])('nobody loosens %s for a task', (path, looser) => {
  const strict = settingsOf(`${minimalConfig()}approval: { required: 2 }\n`);
  const overridden = withOverrides(strict, looser);
  expect(overridden.problems).toMatchObject([{ path }]);
  expect(overridden.settings).toEqual(strict);
});

test.each(['finish', 'steerer_may_approve', 'requester_may_approve', 'merge_method', 'apps'])(
  'a task has no say in approval.%s',
  (key) => expect(problemPaths({ approval: { [key]: 'merge' } })).toEqual([`approval.${key}`]),
);

test.each(['bases', 'others', 'sandbox', 'gates', 'setup', 'labels', 'ci'])(
  'a task has no say in %s',
  (key) => expect(problemPaths({ [key]: 'off' })).toEqual([key]),
);

test.each([
  ['manual', 'manual', true],
  ['manual', 'auto', false],
  ['manual', 'confidence_threshold', false],
  ['auto', 'manual', true],
  ['auto', 'auto', true],
  ['auto', 'confidence_threshold', false],
  ['confidence_threshold', 'manual', true],
  ['confidence_threshold', 'auto', false],
] as const)('where the repository says %s, a task may say %s: %s', (now, mode, may) => {
  const own = { ...settings, approval: { ...settings.approval, mode: now } };
  const { settings: then, problems } = withOverrides(own, { approval: { mode } });
  expect(problems.map(({ path }) => path)).toEqual(may ? [] : ['approval.mode']);
  expect(then.approval.mode).toBe(may ? mode : now);
});

test('people are narrowed by login only where the repository names them', () => {
  const named = settingsOf(`${minimalConfig()}approval: { by: [maintain, '@Ada'] }\n`);
  expect(withOverrides(named, { approval: { by: ['@ada'] } })).toMatchObject({
    problems: [],
    settings: { approval: { by: [{ login: 'ada' }] } },
  });
});

test('what does not fit is left out, and the rest still holds', () => {
  const written = {
    verifiers: [
      { name: 'test', run: 'true' },
      { name: 'docs', run: 'npm run docs' },
    ],
    approval: { threshold: 0.1, required: 3 },
  };
  const overridden = withOverrides(settings, written);
  expect(overridden.problems.map(({ path }) => path)).toEqual(['verifiers[0].name', 'approval.threshold']);
  expect(overridden.settings).toMatchObject({
    verifiers: [{ name: 'test', run: 'npm test' }, { name: 'docs' }],
    approval: { threshold: 0.8, required: 3 },
  });
});

test('checked overrides give the same settings when they are applied again', () => {
  const written = { agent: { use: 'scripted', script: 'a' }, verifiers: [{ name: 'docs', run: 'true' }] };
  const once = withOverrides(settings, written);
  expect(withOverrides(settings, JSON.parse(JSON.stringify(once.overrides)))).toEqual(once);
});

test('overrides are checked like the configuration itself', () => {
  const problems = problemPaths({ agent: 'codecs', limits: { minutes: 0 }, max_iterations: 3 });
  expect(problems.sort()).toEqual(['agent.use', 'limits.minutes', 'max_iterations']);
});

test("no one can exceed the operator's bounds", () => {
  const written = { limits: { minutes: 31 }, agent: { use: 'scripted', script: 'a' } };
  expect(
    withOverrides(settings, written, { limits: { minutes: 30 }, agents: ['command'] }).problems,
  ).toMatchObject([
    { path: 'agent.use', expected: "command (the operator's bound agents)" },
    { path: 'limits.minutes', expected: "at most 30 (the operator's bound limits.minutes)" },
  ]);
});

test('whatever a task asks for, nothing gets looser', () => {
  const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
  const names = fc.constantFrom('test', 'TEST', 'lint', 'docs');
  const written = fc.record(
    {
      max_steering_iterations: fc.nat(60),
      verifiers: fc.uniqueArray(fc.record({ name: names, run: fc.constant('true') }), {
        selector: ({ name }) => name.toLowerCase(),
      }),
      approval: fc.record(
        {
          threshold: fc.double({ min: 0, max: 1, noNaN: true }),
          required: fc.integer({ min: 1, max: 10 }),
          by: fc.array(fc.constantFrom('triage', 'write', 'admin', '@ada'), { minLength: 1 }),
        },
        { requiredKeys: [] },
      ),
      limits: fc.record({ minutes: fc.integer({ min: 1, max: 1440 }) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const own = settingsOf(`${minimalConfig()}approval: { required: 2, threshold: 0.5 }\n`);
  fc.assert(
    fc.property(maybe(written), (asked) => {
      const { settings: now } = withOverrides(own, asked ?? {});
      expect(now.verifiers.slice(0, own.verifiers.length)).toEqual(own.verifiers);
      expect(now.approval.required).toBeGreaterThanOrEqual(own.approval.required);
      expect(now.approval.threshold).toBeGreaterThanOrEqual(own.approval.threshold);
      expect(now.approval.by).not.toContainEqual({ role: 'triage' });
      expect(now.approval.by).not.toContainEqual({ login: 'ada' });
      expect(now.limits.minutes).toBeLessThanOrEqual(own.limits.minutes);
      expect(now.steering.max_iterations).toBeLessThanOrEqual(own.steering.max_iterations);
    }),
  );
});

test('a task lowers a limit on tokens and money, and never raises or sets a network', () => {
  const limited = settingsOf(`${minimalConfig()}limits: { tokens: 500, cost_usd: 2 }\n`);
  expect(withOverrides(limited, { limits: { tokens: 400, cost_usd: 1.5 } })).toMatchObject({
    problems: [],
    settings: { limits: { minutes: 60, tokens: 400, cost_usd: 1.5 } },
  });
  const { problems } = withOverrides(limited, { limits: { tokens: 501, cost_usd: 3 } });
  expect(problems.map(({ path }) => path)).toEqual(['limits.cost_usd', 'limits.tokens']);
  expect(problemPaths({ network: { verifiers: 'open' } })).toEqual(['network']);
});

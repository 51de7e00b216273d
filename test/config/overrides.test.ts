import { expect, test } from 'vitest';
import { minimalConfig } from '../../src/config/minimal.ts';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';

const stranger = { may_loosen: false };
const maintainer = { may_loosen: true };

function settings() {
  const reading = readConfig(minimalConfig(), { path: 'coxswain.yml', ref: 'main' });
  if (reading.outcome === 'misconfigured') throw new Error('the minimal configuration does not read');
  return reading.settings;
}

function problemPaths(written: unknown, author = stranger): string[] {
  const overridden = withOverrides(settings(), written, author);
  return overridden.outcome === 'refused' ? overridden.problems.map(({ path }) => path) : [];
}

test('a task without overrides uses the configuration unchanged', () => {
  expect(withOverrides(settings(), {}, stranger)).toEqual({ outcome: 'overridden', settings: settings() });
});

test('a task overrides its repository', () => {
  const written = {
    max_steering_iterations: 2,
    agent: { use: 'scripted', script: 'fix-the-sum' },
    verifiers: [{ name: 'docs', run: 'npm run docs' }],
    approval: { threshold: 0.9, required: 2 },
    limits: { minutes: 10 },
  };
  const overridden = withOverrides(settings(), written, stranger);
  expect(overridden).toMatchObject({
    outcome: 'overridden',
    settings: {
      agent: { use: 'scripted', script: 'fix-the-sum' },
      verifiers: [{ name: 'test' }, { name: 'docs', timeout_s: 600 }],
      approval: { threshold: 0.9, required: 2, by: [{ role: 'write' }] },
      steering: { max_iterations: 2, review_timeout_s: 86_400 },
      limits: { minutes: 10 },
    },
  });
});

test("zero iterations means the repository's setting", () => {
  expect(withOverrides(settings(), { max_steering_iterations: 0 }, stranger)).toMatchObject({
    settings: { steering: { max_iterations: 5 } },
  });
});

test('only someone who may approve can loosen the configuration', () => {
  const looser = { approval: { threshold: 0.1 }, verifiers: [{ name: 'Test', run: 'true' }] };
  expect(problemPaths(looser)).toEqual(['approval.threshold', 'verifiers[0].name']);
  expect(withOverrides(settings(), looser, maintainer)).toMatchObject({
    settings: { approval: { threshold: 0.1 }, verifiers: [{ name: 'Test', run: 'true' }] },
  });
});

test('fewer approvals than the repository requires are refused', () => {
  const strict = { ...settings(), approval: { ...settings().approval, required: 2 } };
  const overridden = withOverrides(strict, { approval: { required: 1 } }, stranger);
  expect(overridden).toMatchObject({ problems: [{ path: 'approval.required', received: '1' }] });
});

test('overrides are checked like the configuration itself', () => {
  const problems = problemPaths({ agent: 'codex', limits: { minutes: 0 }, max_iterations: 3 }, maintainer);
  expect(problems.sort()).toEqual(['agent.use', 'limits.minutes', 'max_iterations']);
});

test("no one can exceed the operator's bounds", () => {
  const author = { may_loosen: true, bounds: { max_minutes: 30, agents: ['command'] } } as const;
  const written = { limits: { minutes: 31 }, agent: { use: 'scripted', script: 'a' } };
  expect(withOverrides(settings(), written, author)).toMatchObject({
    problems: [
      { path: 'agent.use', expected: "command (the operator's bound agents)" },
      { path: 'limits.minutes', expected: "at most 30 (the operator's bound max_minutes)" },
    ],
  });
});

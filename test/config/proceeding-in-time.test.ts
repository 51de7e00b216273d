import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };

function problemsOf(rest: string): readonly string[] {
  const reading = readConfig(`version: 1\nagent: claude\n${rest}`, where);
  return reading.outcome === 'configured' ? [] : reading.problems.map(problemText);
}

test('a run that would time out before it goes on by itself is a mistake, with the bound', () => {
  const [problem, ...others] = problemsOf('approval: { mode: auto, auto_proceed_after: 2d }');
  expect(problem).toContain('less than steering.review_timeout (1d), when the run times out');
  expect(others).toEqual([]);
  const ofBase = '{ branches: a, check: a, approval: { mode: auto, auto_proceed_after: 30m } }';
  expect(problemsOf(`steering: { review_timeout: 20m }\nbases: [${ofBase}]`)).toHaveLength(1);
});

test.each([
  'approval: { mode: manual, auto_proceed_after: 2d }',
  'approval: { mode: auto, auto_proceed_after: 2h }',
  'approval: { mode: auto, auto_proceed_after: 2d }\nsteering: { review_timeout: 3d }',
])('%s is none', (rest) => {
  expect(problemsOf(rest)).toEqual([]);
});

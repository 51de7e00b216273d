import { expect, test } from 'vitest';
import { riskyWorkflows } from '../../../src/cli/doctor/workflow-files.ts';

const uses = (secret: string) => `jobs: { a: { steps: [{ run: "echo \${{ secrets.${secret} }}" }] } }`;
const deploy = uses('DEPLOY_KEY');

/** The reading of one workflow file. */
function reading(text: string) {
  const [found] = riskyWorkflows([{ path: 'ci.yml', text }]);
  return found === undefined ? 'no risk' : `${found.triggers.join('+')}: ${found.holds.join(', ')}`;
}

test.each([
  ['on: push', 'push: the secret DEPLOY_KEY'],
  ['on: [push, pull_request]', 'push+pull_request: the secret DEPLOY_KEY'],
  ['"on": { push: { branches: [main] } }', 'no risk'],
  ["on: { push: { branches: ['**'] } }", 'push: the secret DEPLOY_KEY'],
  ["on: { push: { branches: ['*'] } }", 'no risk'],
  ["on: { push: { branches: ['**', '!coxswain/**'] } }", 'no risk'],
  ["on: { push: { branches-ignore: ['coxswain/**'] } }", 'no risk'],
  ['on: { push: { branches-ignore: [main] } }', 'push: the secret DEPLOY_KEY'],
  ["on: { push: { tags: ['v*'] } }", 'no risk'],
  ['on: { pull_request: { branches: [main] } }', 'pull_request: the secret DEPLOY_KEY'],
  ['on: workflow_dispatch', 'no risk'],
])('%s starts on a branch of a run or not', (on, expected) => {
  expect(reading(`${on}\n${deploy}\n`)).toBe(expected);
});

test.each([
  [uses('GITHUB_TOKEN'), 'no risk'],
  ['jobs: { a: { uses: ./x.yml, secrets: inherit } }', 'push: all secrets'],
  ['permissions: write-all\njobs: {}', 'push: a token that may write'],
  [
    'permissions: { contents: read }\njobs: { a: { permissions: { packages: write } } }',
    'push: a token that may write',
  ],
  ['permissions: { contents: read }\njobs: { a: {} }', 'no risk'],
  ['jobs: 7', 'no risk'],
])('%s holds something or not', (rest, expected) => {
  expect(reading(`on: push\n${rest}\n`)).toBe(expected);
});

test('a workflow on pull_request_target has a writing token unless it says otherwise', () => {
  expect(reading('on: pull_request_target\njobs: {}\n')).toBe('pull_request_target: a token that may write');
  expect(reading('on: pull_request_target\npermissions: {}\njobs: {}\n')).toBe('no risk');
});

test('a file that is not YAML is no workflow', () => {
  expect(reading('on: [push\n  secrets.X')).toBe('no risk');
});

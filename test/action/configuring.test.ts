import { expect, test } from 'vitest';
import { configuringInputs } from '../../src/action/choices.ts';

const path = 'acme/widgets/.github/workflows/coxswain.yml';

function isFromMain(job: { readonly eventName?: string; readonly workflow?: string }): boolean {
  return configuringInputs({}, { eventName: '', workflow: '', ...job }).isFrom('main');
}

test.each([
  ['refs/heads/main', true],
  ['refs/heads/other', false],
  ['refs/heads/main/x', false],
  ['refs/tags/main', false],
  ['refs/pull/2/merge', false],
  ['refs/heads/x@refs/heads/main', false],
])('a workflow of %s is that of main: %s', (ref, is) => {
  for (const eventName of ['issues', 'pull_request'])
    expect(isFromMain({ eventName, workflow: `${path}@${ref}` })).toBe(is);
});

test('where the runner names no workflow, the event says whether it is that of the default branch', () => {
  for (const eventName of ['issues', 'issue_comment', 'schedule', 'check_run', 'repository_dispatch'])
    expect(isFromMain({ eventName }), eventName).toBe(true);
  for (const eventName of ['pull_request', 'pull_request_review', 'workflow_dispatch', 'push', ''])
    expect(isFromMain({ eventName }), eventName).toBe(false);
});

test('inputs that say nothing are no configuration, and the same ones are always the same text', () => {
  const job = { eventName: 'issues', workflow: '' };
  expect(configuringInputs({}, job).text).toBeNull();
  expect(configuringInputs({ agent: 'claude', setup: ['npm ci'] }, job).text).toBe(
    'version: 1\nagent: claude\nsetup:\n  - npm ci\n',
  );
});

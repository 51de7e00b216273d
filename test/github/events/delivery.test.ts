import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRelevant, type KnownRuns, readDelivery } from '../../../src/github/events/delivery.ts';
import type { GitHubEvent } from '../../../src/github/events/github-event.ts';
import { readPayload } from '../../../src/github/events/payloads.ts';
import * as deliveries from '../listen/deliveries.ts';

const runs: KnownRuns = {
  login: 'coxswain-app[bot]',
  isOpen: (number, repository = 4711) => number === 12 && repository === 4711,
  mayWait: () => false,
};

const isRelevantHere = (event: GitHubEvent) => isRelevant(event, runs);

function concernsOf(name: string, payload: unknown): boolean {
  return passes(name, JSON.stringify(payload));
}

function passes(name: string, body: string): boolean {
  return readDelivery({ id: 'a-delivery', name }, Buffer.from(body), runs) !== undefined;
}

const a = 'a'.repeat(40);
const b = 'b'.repeat(40);
const other = { labels: ['bug'], head_ref: 'fix' };

describe('a delivery is relevant when', () => {
  test.each<[string, string, unknown]>([
    [
      'a comment holds a word of ours',
      'issue_comment',
      deliveries.comment({ says: 'Thanks\n\n/steer faster' }),
    ],
    [
      'an edit takes a word away',
      'issue_comment',
      deliveries.comment({ action: 'edited', says: 'never mind', former: '/steer x' }),
    ],
    [
      'a comment with a word is deleted',
      'issue_comment',
      deliveries.comment({ action: 'deleted', says: '/steer x' }),
    ],
    ['people talk on a run', 'issue_comment', deliveries.comment({ says: 'Hm.' })],
    [
      'people talk on a run without its label',
      'issue_comment',
      deliveries.comment({ says: 'Hm.', number: 12, labels: [] }),
    ],
    [
      'somebody deletes words of ours',
      'issue_comment',
      deliveries.comment({ action: 'deleted', says: 'Ready.', author: 'coxswain-app[bot]', sender: 'ada' }),
    ],
    [
      'people talk on what we have opened',
      'issue_comment',
      deliveries.comment({ says: 'Hm.', labels: [], opener: 'coxswain-app[bot]' }),
    ],
    [
      'a run without its label is reviewed',
      'pull_request_review',
      deliveries.review({ state: 'commented', ...other, number: 12 }),
    ],
    ['a word has invisible letters', 'issue_comment', deliveries.comment({ says: '/ste\u200Ber x' })],
    ['an issue is labelled', 'issues', deliveries.labeled('whatever')],
    ['a run is reviewed', 'pull_request_review', deliveries.review({ state: 'approved' })],
    ['a run is pushed to', 'pull_request', deliveries.synchronize(a, b)],
    ['a run has lost its label', 'pull_request', deliveries.closed(true, { labels: [] })],
    ['an adopted run is closed', 'pull_request', deliveries.closed(false, { head_ref: 'fix' })],
    [
      'the label of a run has a capital',
      'pull_request',
      deliveries.closed(false, { ...other, labels: ['Coxswain'] }),
    ],
    [
      'a label of a state has a capital',
      'pull_request',
      {
        ...deliveries.closed(false, other),
        action: 'unlabeled',
        label: deliveries.labeled('Coxswain:paused')['label'],
      },
    ],
    ['another pull request is pushed to', 'pull_request', deliveries.synchronize(a, b, other)],
    ['another pull request has a new base', 'pull_request', deliveries.retargeted('next', {}, other)],
    ['a button is pressed', 'check_run', deliveries.click('approve')],
    ['a check is asked for again', 'check_run', deliveries.rerequestedRun({ name: 'Coxswain / test' })],
    ['all checks are asked for again', 'check_suite', deliveries.rerequestedSuite()],
    ['a check of CI on our branch ends', 'check_run', deliveries.completedRun()],
    ['checks on our branch pass', 'check_suite', deliveries.completedSuite()],
    ['our branch is deleted', 'push', deliveries.push()],
    ['the App is installed', 'installation', deliveries.installation('created')],
    ['the App is given a repository', 'installation_repositories', deliveries.installation('added')],
    ['the App is uninstalled', 'installation', deliveries.installation('deleted')],
    ['a repository is taken from the App', 'installation_repositories', deliveries.installation('removed')],
    ['a person has revoked their authorization', 'github_app_authorization', deliveries.revocation('ada')],
    ['a payload we listen to cannot be read', 'issues', { action: 'labeled' }],
  ])('%s', (_, name, payload) => {
    expect(concernsOf(name, payload)).toBe(true);
  });
});

test('what runs may depend on is relevant where a run may wait', () => {
  const issue = { number: 3, title: 'T', state: 'closed', updated_at: '2026-11-21T12:05:00Z', user: null };
  const closedIssue = deliveries.delivery('ada', { action: 'closed', issue });
  const closedPull = deliveries.closed(true, { labels: [], head_ref: 'fix' });
  const push = deliveries.push({ ref: 'refs/heads/main', deleted: false });
  for (const mayWait of [true, false]) {
    const waited: readonly unknown[] = [3, 7, 'main'];
    const here: KnownRuns = {
      ...runs,
      mayWait: (repository, what) => mayWait && repository === 4711 && waited.includes(what),
    };
    const isRead = (name: string, payload: unknown) =>
      readDelivery({ id: 'a', name }, Buffer.from(JSON.stringify(payload)), here) !== undefined;
    expect(isRead('issues', closedIssue)).toBe(mayWait);
    expect(isRead('pull_request', closedPull)).toBe(mayWait);
    expect(isRead('push', push)).toBe(mayWait);
    expect(isRead('push', { ...push, ref: 'refs/heads/other' })).toBe(false);
    expect(isRead('push', { ...push, ref: 'refs/tags/main' })).toBe(false);
  }
});

describe('a delivery is irrelevant when', () => {
  test.each<[string, string, unknown]>([
    ['people talk elsewhere', 'issue_comment', deliveries.comment({ says: 'I /approve of it', labels: [] })],
    [
      'people talk on an issue',
      'issue_comment',
      deliveries.comment({ says: 'Hm.', number: 12, pull: false }),
    ],
    ['a bot talks', 'issue_comment', deliveries.comment({ says: 'Hm.', author: 'renovate[bot]' })],
    ['a bot commands', 'issue_comment', deliveries.comment({ says: '/approve', author: 'renovate[bot]' })],
    ['a title is edited', 'issue_comment', { ...deliveries.comment({ says: '/approve' }), action: 'pinned' }],
    [
      'a foreign pull request is reviewed',
      'pull_request_review',
      deliveries.review({ state: 'approved', ...other }),
    ],
    [
      'a bot reviews',
      'pull_request_review',
      deliveries.review({ state: 'approved', author: 'copilot[bot]' }),
    ],
    ['a foreign pull request is closed', 'pull_request', deliveries.closed(true, other)],
    ['a foreign pull request has another body', 'pull_request', deliveries.bodyEdited('a', 'b', other)],
    ['a check of another name is clicked', 'check_run', deliveries.click('approve', { name: 'lint' })],
    ['a check is created', 'check_run', { ...deliveries.rerequestedRun(), action: 'created' }],
    ['a check of CI elsewhere ends', 'check_run', deliveries.completedRun({ branch: 'fix' })],
    ['a check of ours ends', 'check_run', deliveries.completedRun({ name: 'Coxswain / test' })],
    ['checks on our branch fail', 'check_suite', deliveries.completedSuite({ conclusion: 'failure' })],
    ['checks elsewhere pass', 'check_suite', deliveries.completedSuite({ branch: 'fix' })],
    ['a foreign branch is deleted', 'push', deliveries.push({ ref: 'refs/heads/fix' })],
    ['our branch is pushed to', 'push', deliveries.push({ deleted: false })],
    ['an issue is opened', 'issues', { ...deliveries.labeled('coxswain'), action: 'opened' }],
    ['a user stars', 'star', { action: 'created' }],
    ['a workflow ran', 'workflow_run', { action: 'completed' }],
  ])('%s', (_, name, payload) => {
    expect(concernsOf(name, payload)).toBe(false);
  });
});

test('escaped letters are recognized', () => {
  const escaped = JSON.stringify(deliveries.comment({ says: '/steer x' })).replace(
    '/steer',
    '\\u002f\\u0073teer',
  );
  expect(passes('issue_comment', escaped)).toBe(true);
  const label = JSON.stringify(deliveries.closed(true, { head_ref: 'x' })).replaceAll(
    'coxswain',
    '\\u0063oxswain',
  );
  expect(passes('pull_request', label)).toBe(true);
});

test('an invalid payload is relevant only if it contains one of our keywords', () => {
  expect(() => passes('issue_comment', '{"/approve')).toThrow(SyntaxError);
  expect(passes('issue_comment', '{"hello')).toBe(false);
});

test('the quick check never discards a comment that contains a command', () => {
  const pieces = fc.constantFrom(
    '/steer',
    '/',
    'approve',
    '\n',
    ' ',
    '\u200B',
    '/COXSWAIN',
    'é',
    '\\',
    '"',
    '> ',
    'run',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), fc.boolean(), (parts, escaped) => {
      const payload = deliveries.comment({ says: parts.join('') });
      const plain = JSON.stringify(payload);
      const text = escaped
        ? plain.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : plain;
      expect(passes('issue_comment', text)).toBe(readPayload('issue_comment', payload).some(isRelevantHere));
    }),
  );
});

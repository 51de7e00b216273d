import { expect, test } from 'vitest';
import { mailsOf } from './mails-of.ts';

test('people are mailed when a run begins, asks or ends, and when what they said waits', async () => {
  const names = ['undisturbed', 'steered_at_work', 'failed_attempt', 'question', 'rejected', 'two_approvals'];
  expect(await mailsOf(...names)).toEqual([
    'undisturbed: opened, names ada',
    'undisturbed: commented, names ada',
    'steered_at_work: opened, names ada',
    'steered_at_work: commented, names ada',
    'steered_at_work: commented, names ada',
    'steered_at_work: merged',
    'failed_attempt: opened, names ada',
    'failed_attempt: commented, names ada',
    'question: opened, names ada',
    'question: commented, names ada',
    'question: commented, names ada',
    'rejected: opened, names ada',
    'rejected: commented, names ada',
    'rejected: closed',
    'two_approvals: opened, names ada',
    'two_approvals: review_requested, names ada',
    'two_approvals: review_requested, names bob',
    'two_approvals: commented, names ada',
    'two_approvals: commented, names ada',
  ]);
});

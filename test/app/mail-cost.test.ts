import { expect, test } from 'vitest';
import { benchMail } from '../../bench/mail/mail.ts';

test('a run makes GitHub mail no more than this, and names nobody else', async () => {
  const mails: string[] = [];
  const figures = await benchMail((line) => mails.push(line));
  expect(mails).toEqual([
    'undisturbed: opened, names ada',
    'undisturbed: commented, names ada',
    'merged: opened, names ada',
    'merged: commented, names ada',
    'merged: merged',
    'steered: opened, names ada',
    'steered: commented, names ada',
    'steered: commented, names ada',
    'steered: merged',
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
  for (const { what, ours, aim } of figures)
    expect(ours, what).toBeLessThanOrEqual(aim === undefined ? ours : Number(aim.replace('<= ', '')));
});

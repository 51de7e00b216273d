import { expect, test } from 'vitest';
import { Unsayable } from '../../src/doors/speech/compose-comment.ts';
import { commentIn } from '../../src/page/forms/form-input.ts';
import { resembledCommand } from '../../src/page/forms/resembled-command.ts';

test.each([
  ['', 'Thank you.', 'Thank you.'],
  ['', '/verify', '/verify'],
  ['steer', 'Use the clock', '/steer Use the clock'],
  ['steer', ' /approve abc1234\n', '/steer /approve abc1234'],
  ['steer', '/steer --now Use the clock', '/steer /steer --now Use the clock'],
  ['steer', '/aprove', '/steer /aprove'],
  ['steer', 'Use x\n/approve', '/steer Use x\n/approve'],
  ['steer', '/coxswain verify', '/steer /coxswain verify'],
  ['steer', 'Use /status as the path', '/steer Use /status as the path'],
  ['steer', '> /approve', '/steer > /approve'],
  ['steer', 'Use\u200b it\u0000', '/steer Use it'],
  ['reject', 'No', '/reject No'],
  ['deny', '', '/deny'],
  ['dismiss', 'c2', '/dismiss c2'],
  ['allow', '', '/allow once'],
  ['verify', '', '/verify'],
  ['run', 'Fix it', '/run Fix it'],
  ['run', '', '/run'],
])('the button %j with %j posts %j', (command, text, body) => {
  expect(commentIn({ command, text })).toBe(body);
});

const head = 'abc0001'.padEnd(40, '0');

test('an approval names the whole commit that was shown, and what it overrides', () => {
  const approve = { command: 'approve', text: '' };
  expect(commentIn(approve)).toBe('/approve');
  expect(commentIn({ ...approve, sha: head, despite: ['unit', 'lint'] })).toBe(
    `/approve ${head} --despite unit --despite lint`,
  );
});

test.each([
  [{ command: 'approve', text: '', sha: 'abc1234 --despite test' }],
  [{ command: 'approve', text: '', sha: head, despite: ['a --despite b'] }],
  [{ command: 'approve', text: '', sha: `${head}\n/cancel` }],
  [{ command: 'reject', text: 'No\n/approve' }],
  [{ command: 'steer', text: '--now Go' }],
  [{ command: 'steer', text: '--with codex Go' }],
  [{ command: 'answer', text: 'Yes', about: 'question:7:12 /approve' }],
  [{ command: 'dismiss', text: 'c2 because' }],
])('%o would be another command, so that nothing is posted', (input) => {
  expect(() => commentIn(input)).toThrow(Unsayable);
});

test.each([
  ['approve', 'approve'],
  ['Approve.', 'approve'],
  ['**approve**', 'approve'],
  ['approve abc1234', 'approve abc1234'],
  ['approve --despite test', 'approve --despite test'],
  ['approve it, it is fine', 'approve'],
  ['aprove', 'approve'],
  ['Approved', 'approve'],
  ['LGTM', 'approve'],
  ['/lgtm is no command', 'approve'],
  ['/approve!', 'approve'],
  ['/approve, thanks', 'approve'],
  ['/aprove', 'approve'],
  ['\uff0fapprove', 'approve'],
  ['\\approve', 'approve'],
  ['\u200b/approve', 'approve'],
  ['> /approve', 'approve'],
  ['lgtm /approve', 'approve'],
  ['please approve', 'approve'],
  ['I approve', 'approve'],
  ['ok, cancel!', 'cancel'],
  ['It all looks fine to me now, so /approve', 'approve'],
  ['It all looks fine to me now, so /approve abc1234', 'approve abc1234'],
  ['Use the clock\n/approve', 'approve'],
  ['/foo\n/approve', 'approve'],
  ['coxswain approve', 'approve'],
  ['@coxswain, cancel', 'cancel'],
  ['cancel', 'cancel'],
  ['approve abc1234, thanks', 'approve'],
  ['cancel this', 'cancel'],
  ['Approve. It works now', 'approve'],
  ['extend 2', 'extend 2'],
  ['undo\nbecause it is slow', 'undo\nbecause it is slow'],
  ['reject: too slow, sorry', 'reject too slow, sorry'],
  ['reject', 'reject'],
  ['/status', 'status'],
  ['/approve abc1234', 'approve abc1234'],
  ['/steer approve', 'steer approve'],
  ['/steer --now Go', 'steer --now Go'],
  ['/coxswain aprove', 'approve'],
])('a steer with %j is asked whether it is %j', (text, command) => {
  expect(resembledCommand(text)?.text).toBe(command);
});

test.each([
  'Use the clock',
  'Use /status as the path',
  'Please approve of nothing that was not tested',
  'Let /api/approve answer with 204',
  '/api/approve has to answer with 204',
  'First approve the user\nthen cancel the order',
  'The user can cancel, retry or approve the order',
  'Disapprove',
  'Run the tests in two time zones as well',
  'Run the tests',
  'run the tests',
  'Extend the parser',
  'Fix the status',
  'Retry the request with backoff',
  'Cancel the order in the handler',
  'Reject empty names',
  'Approved users have to be listed first',
  'Status should be green',
  'Undo the change of the clock',
  'Allow two of them',
  'steer more, and\nbetter',
  '',
])('a steer with %j is not asked about', (text) => {
  expect(resembledCommand(text)).toBeUndefined();
});

test.each([
  ['Go, please', '/answer question:7:12 Go, please'],
  ['2', '/answer question:7:12 2'],
  ['/approve', '/answer question:7:12 /approve'],
])('the answer %j names its question', (text, body) => {
  expect(commentIn({ command: 'answer', text, about: 'question:7:12' })).toBe(body);
});

test.each([
  ['', '  \n'],
  ['reject', ''],
  ['steer', ' '],
  ['launch', 'now'],
])('the button %j with %j posts nothing', (command, text) => {
  expect(() => commentIn({ command, text })).toThrow(expect.objectContaining({ status: 400 }));
});

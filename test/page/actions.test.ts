import { expect, test } from 'vitest';
import { commentBody } from '../../src/page/page.ts';

test.each([
  ['', 'Thank you.', 'Thank you.'],
  ['', '/verify', '/verify'],
  ['steer', 'Use the clock', '/steer Use the clock'],
  ['steer', '/steer --now Use the clock', '/steer --now Use the clock'],
  ['steer', '/status', '/status'],
  ['steer', '  /approve abc1234\n', '/approve abc1234'],
  ['steer', '/aprove', '/aprove'],
  ['steer', '/coxswain verify', '/coxswain verify'],
  ['steer', '/lgtm is no command', '/steer /lgtm is no command'],
  ['steer', 'Use /status as the path', '/steer Use /status as the path'],
  ['steer', '> /approve', '/steer > /approve'],
  ['approve', 'abc0001abc00', '/approve abc0001abc00'],
  ['verify', '', '/verify'],
  ['run', 'Fix it', '/run Fix it'],
  ['run', '', '/run'],
])('the button %j with %j posts %j', (command, text, body) => {
  expect(commentBody({ command, text })).toBe(body);
});

test.each([
  ['Go, please', '/answer question:7:12 Go, please'],
  ['2', '/answer question:7:12 2'],
  ['/answer 2', '/answer question:7:12 2'],
  ['/approve', '/answer question:7:12 /approve'],
])('the answer %j names its question', (text, body) => {
  expect(commentBody({ command: 'answer', text, about: 'question:7:12' })).toBe(body);
});

test.each([
  ['', '  \n'],
  ['reject', ''],
  ['steer', ' '],
  ['launch', 'now'],
])('the button %j with %j posts nothing', (command, text) => {
  expect(() => commentBody({ command, text })).toThrow(expect.objectContaining({ status: 400 }));
});

import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { usualQuestions } from '../../src/steering/shapes/question.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };

function read(more: string) {
  return readConfig(`version: 1\nagent: codex\n${more}`, where);
}

function settingsOf(more: string) {
  const reading = read(more);
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  return reading.settings;
}

function problemsOf(more: string) {
  const reading = read(more);
  return reading.outcome === 'misconfigured' ? reading.problems : [];
}

test('what is as usual is not part of the settings', () => {
  const settings = settingsOf(
    'questions: {ask_level: 2, timeout: 7d}\nanswers: {by: [write]}\nwait_for_rate_limit: true',
  );
  expect(settings).not.toHaveProperty('questions');
  expect(settings).not.toHaveProperty('answers');
  expect(settings).not.toHaveProperty('wait_for_rate_limit');
  expect(settings.steering).not.toHaveProperty('while_working');
});

test('what differs is', () => {
  const settings = settingsOf(
    'questions: {enabled: false, timeout: 3d, on_timeout: fail}\nanswers: {by: [read, "@ada", "@acme/core"]}\n' +
      'steering: {ask_level: 4, while_working: tell}\nwait_for_rate_limit: false',
  );
  expect(settings).toMatchObject({
    questions: { enabled: false, ask_level: 4, timeout_s: 259_200, on_timeout: 'fail' },
    answers: { by: [{ role: 'read' }, { login: 'ada' }, { team: 'acme/core' }] },
    steering: { while_working: 'tell' },
    wait_for_rate_limit: false,
  });
});

test('two different levels are refused, and the same one twice is not', () => {
  expect(problemsOf('steering: {ask_level: 1}\nquestions: {ask_level: 3}')).toMatchObject([
    { path: 'steering.ask_level', expected: expect.stringContaining('3 as in questions.ask_level') },
  ]);
  expect(settingsOf('steering: {ask_level: 3}\nquestions: {ask_level: 3}').questions?.ask_level).toBe(3);
});

test('values out of range are refused with an example', () => {
  expect(problemsOf('questions: {ask_level: 6}')).toMatchObject([
    {
      path: 'questions.ask_level',
      expected: 'a whole number from 0 to 5',
      example: expect.stringContaining('2'),
    },
  ]);
  expect(problemsOf('questions: {timeout: 91d}')).toHaveLength(1);
  expect(problemsOf('answers: {by: [codeowners]}')).toMatchObject([
    { expected: expect.stringContaining('codeowners own files') },
  ]);
});

test('a task says how much is asked, and only makes the end of a question stricter', () => {
  const settings = settingsOf('');
  expect(withOverrides(settings, { ask_level: 5, questions: { on_timeout: 'fail' } })).toMatchObject({
    settings: { questions: { ...usualQuestions, ask_level: 5, on_timeout: 'fail' } },
    problems: [],
  });
  const loosened = withOverrides(settings, { questions: { on_timeout: 'default' } });
  expect(loosened.settings).toEqual(settings);
  expect(loosened.problems).toMatchObject([{ path: 'questions.on_timeout' }]);
  expect(withOverrides(settings, { questions: { enabled: false } }).problems).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { objectionToVariable } from '../../src/config/schema/registry-keys.ts';

test.each(['PATH', 'GITHUB_SHA', 'COXSWAIN_DATA'])('%s is no variable for agents alone', (name) => {
  const objection = objectionToVariable(name, 'a');
  expect(objection).toBe('a variable for agents alone: Coxswain and its host use this one themselves');
});

test.each(['ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY', 'GEMINI_API_KEY'])(
  'the key of a model in %s is not for agents, whatever it looks like',
  (name) => expect(objectionToVariable(name, 'letmein')).toMatch(/^no key of a model: /),
);

test('a value in the format of a secret is not for agents, whatever its name', () => {
  expect(objectionToVariable('ANY', `ghp_${'a1'.repeat(18)}`)).toMatch(/^no value in the format of a secret/);
  expect(objectionToVariable('LANGUAGE', 'en')).toBeUndefined();
});

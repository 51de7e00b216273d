import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';

const own =
  'gates: { rules: [{ name: deploys, command: deploy prod }, { name: billing, path: "billing/**" }] }';

function read(rules: string) {
  const text = `version: 1\nagent: claude\n${own}\npermissions: { rules: ${rules} }\n`;
  return readConfig(text, { path: '.github/coxswain.yml', ref: 'main' });
}

test('a rule of their own on commands can be permitted like ours', () => {
  const reading = read('{ deploys: deny, drops-data: ask }');
  expect(reading).toMatchObject({
    outcome: 'configured',
    settings: { permissions: { rules: { deploys: 'deny', 'drops-data': 'ask' } } },
  });
});

test.each([
  ['{ billing: deny }', 'billing', /^a rule with a `command`: billing reads changed files/],
  ['{ weakens-tests: deny }', 'weakens-tests', /^a rule on tool calls: weakens-tests judges the whole/],
  [
    '{ deploy: deny }',
    'deploy',
    /^deploys \(did you mean that\?\), or one of deletes-files, .* under gates.rules$/,
  ],
  ['{ deploys: never }', 'deploys', /^allow, ask or deny$/],
])('in %s it is said what is wrong', (rules, name, expected) => {
  const path = `permissions.rules.${name}`;
  expect(read(rules)).toMatchObject({
    problems: [{ path, line: 4, expected: expect.stringMatching(expected) }],
  });
});

import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';

test.each([
  ['gates: { critical_paths: ["src/{a,b"] }', 'the `{` at character 5 has no `}`'],
  ['gates: { rules: [{ name: a1, path: "a}" }] }', 'the `}` at character 2 closes nothing'],
  [
    'approval: { protected_paths: [{ paths: ["ok", "a[b"], by: [maintain] }] }',
    'the `[` at character 2 has no `]`',
  ],
  ['approval: { protected_paths: [{ paths: "[{]}", by: [maintain] }] }', 'the `{` at character 2 has no `}`'],
  ['bases: [{ branches: "release/[0-9", check: release }]', 'the `[` at character 9 has no `]`'],
  ['tests: ["spec/{a,b"]', 'the `{` at character 6 has no `}`'],
])('in %s the sign that is not closed is named, with its place', (text, expected) => {
  const reading = readConfig(`version: 1\nagent: claude\n${text}\n`, { path: 'a.yml', ref: 'main' });
  expect(reading).toMatchObject({
    problems: [{ expected: `a glob whose braces and brackets are closed: ${expected}`, line: 3 }],
  });
});

test('a glob that is closed, but none here, is answered with what a glob is', () => {
  const text = 'version: 1\nagent: claude\ngates: { critical_paths: ["[a]"] }\n';
  expect(readConfig(text, { path: 'a.yml', ref: 'main' })).toMatchObject({
    problems: [{ expected: expect.stringMatching(/^a glob of at most 200 characters/) }],
  });
});

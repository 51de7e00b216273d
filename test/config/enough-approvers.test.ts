import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';

function read(lines: string) {
  return readConfig(`version: 1\nagent: claude\n${lines}`, { path: 'coxswain.yml', ref: 'main' });
}

function problemsOf(lines: string) {
  const reading = read(lines);
  return reading.outcome === 'configured'
    ? []
    : reading.problems.map(({ path, expected }) => `${path}: ${expected}`);
}

const atMost = (people: number) => `at most ${people}, because \`by\` names no more people`;
const atLeast = (users: number) => `at least ${users} users, because so many must approve, or a permission`;

test.each([
  ["approval: { required: 2, by: ['@ada'] }", `approval.required: ${atMost(1)}`],
  ["approval: { required: 3, by: ['@ada', '@mia', '@Ada'] }", `approval.required: ${atMost(2)}`],
  [
    "approval: { by: ['@ada'] }\nbases: [{ branches: a, check: a, approval: { required: 2 } }]",
    `bases[0].approval.required: ${atMost(1)}`,
  ],
  [
    "approval: { required: 2 }\nbases: [{ branches: a, check: a, approval: { by: ['@ada'] } }]",
    `bases[0].approval.by: ${atLeast(2)}`,
  ],
])('what nobody could ever approve is a problem: %s', (lines, problem) => {
  expect(problemsOf(lines)).toEqual([problem]);
});

test.each([
  "approval: { required: 2, by: ['@ada', '@mia'] }",
  "approval: { required: 2, by: ['@ada', maintain] }",
  "approval: { by: ['@ada'] }\nbases: [{ branches: a, check: a, approval: { finish: merge } }]",
])('what enough people can approve is none: %s', (lines) => {
  expect(problemsOf(lines)).toEqual([]);
});

test('what is wrong for the default branch is said once, and nothing is said of what could not be read', () => {
  const base = 'bases: [{ branches: a, check: a, approval: { finish: merge } }]';
  expect(problemsOf(`approval: { required: 2, by: ['@ada'] }\n${base}`)).toHaveLength(1);
  const named = "bases: [{ branches: a, check: a, approval: { by: ['@ada'] } }]";
  expect(problemsOf(`approval: { required: 0 }\n${named}`)).toEqual([
    'approval.required: a whole number from 1 to 10',
  ]);
});

test('a task cannot ask for more approvals than there can be', () => {
  const settingsOf = (lines: string) => {
    const reading = read(lines);
    if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
    return reading.settings;
  };
  const named = settingsOf("approval: { by: ['@ada', '@mia'] }");
  expect(withOverrides(named, { approval: { required: 3 } }).problems).toMatchObject([
    { path: 'approval.required', expected: atMost(2) },
  ]);
  const asked = { approval: { required: 2, by: ['@ada'] } };
  expect(withOverrides(named, asked)).toMatchObject({
    problems: [{ path: 'approval.by', expected: atLeast(2) }],
    settings: { approval: { required: 2, by: [{ login: 'ada' }, { login: 'mia' }] } },
  });
});

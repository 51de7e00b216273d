import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { minimalConfig } from '../../src/config/schema.ts';
import { taskBlock } from '../../src/config/tasks/task-documents.ts';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { united } from '../../src/repository/configuration.ts';
import { taskFacts } from '../../src/runs/facts/facts.ts';
import type { TaskOverrides } from '../../src/steering/shapes/settings.ts';

const reading = readConfig(minimalConfig(), { path: 'coxswain.yml', ref: 'main' });
if (reading.outcome === 'misconfigured') throw new Error('the minimal configuration is valid');

const known: TaskOverrides = {
  critical: true,
  max_steering_iterations: 2,
  agent: { use: 'claude', timeout: '10m' },
  verifiers: [{ name: 'docs', run: 'npm run docs', required: true }],
  approval: { required: 2, by: ['maintain'], protected_paths: [{ paths: ['a/**'], by: ['@ada'] }] },
  limits: { minutes: 10 },
};
const { settings, problems } = withOverrides(reading.settings, known);
const task = {
  ...{ id: 'issue-1', title: 'Fix it', description: 'Soon.', acceptance_criteria: [], component: '' },
  ...{ repository: 'acme/api', base: 'main', worker_profile: '', depends_on: [] },
  kind: 'build',
} as const;
const state = { settings, overrides: known, task };

function said(text: string, names?: readonly string[]) {
  const modelKeys = names && { names, hasOthers: false };
  const command = parseCommand(text);
  if (command?.type !== 'retry' && command?.type !== 'spawn') throw new Error(JSON.stringify(command));
  return taskFacts(command, state, { operator: {}, ...(modelKeys && { modelKeys }) });
}

const block = (text: string) => `\`\`\`yaml coxswain\n${text}\n\`\`\``;

test('the prefilled block asks for nothing that was not asked for before', () => {
  expect(problems).toEqual([]);
  expect(said(`/retry\n${taskBlock(task, known)}`)).toEqual({ problems: [], overrides: known });
  expect(said(`/spawn\n${taskBlock(task, known)}`)).toEqual({ problems: [] });
});

test('what is tightened anew is added, and nothing that was tightened before is shed', () => {
  const text = `max_steering_iterations: 0
agent: codex
verifiers: [{ name: docs, run: npm run docs }, { name: e2e, run: npm run e2e }]
approval: { threshold: 0.9, protected_paths: [{ paths: [b/**], by: ['@bob'] }] }
limits: { tokens: 9 }`;
  const facts = said(`/retry\n${block(text)}`);
  expect(facts).toEqual({
    problems: [],
    overrides: {
      ...{ critical: true, max_steering_iterations: 2, agent: { use: 'codex', timeout: '10m' } },
      verifiers: [...[known['verifiers']].flat(), { name: 'e2e', run: 'npm run e2e', required: true }],
      approval: {
        ...{ required: 2, by: ['maintain'], threshold: 0.9 },
        protected_paths: [
          { paths: ['a/**'], by: ['@ada'] },
          { paths: ['b/**'], by: ['@bob'] },
        ],
      },
      limits: { minutes: 10, tokens: 9 },
    },
  });
  expect(withOverrides(reading.settings, facts.overrides).problems).toEqual([]);
});

test('what loosens is refused, every task by its number', () => {
  const loose = 'description: a\nlimits: { minutes: 20 }';
  expect(said(`/retry\n${block('worker_profile: careful')}`).problems).toEqual([
    'worker_profile: expected no profile, because the configuration has none under `agents`; received "careful"',
  ]);
  expect(said(`/retry\n${block(loose)}`).problems).toEqual([
    "limits.minutes: expected at most 10, the repository's own; received 20",
  ]);
  const double = 'description: b\nverifiers: [{ name: docs, run: "true" }]\napproval: { required: 1 }';
  expect(said(`/spawn\n${block(`description: c\n---\n${double}\n---\n${loose}`)}`).problems).toEqual([
    'task 2, verifiers[0].name: expected a name that the repository does not use; received "docs"',
    "task 2, approval.required: expected at least 2, the repository's own; received 1",
    "task 3, limits.minutes: expected at most 10, the repository's own; received 20",
  ]);
});

test('a profile that would have no say is refused, because the task has an agent of its own', () => {
  const profiles = { ...state, settings: { ...settings, profiles: ['careful'] } };
  const facts = (text: string, of = profiles) => {
    const command = parseCommand(`/retry\n${block(text)}`);
    return command?.type === 'retry' ? taskFacts(command, of, { operator: {} }).problems : ['misspoken'];
  };
  expect(facts('worker_profile: careful')).toEqual([
    'worker_profile: the task has the agent claude, which goes before that of a profile; write `agent` instead',
  ]);
  expect(facts('worker_profile: careful\nagent: codex')).toEqual([]);
  const careful = { ...profiles, task: { ...task, worker_profile: 'careful' } };
  expect(facts('worker_profile: careful', careful)).toEqual([]);
  expect(facts('worker_profile: careful', { ...profiles, overrides: { critical: true } as never })).toEqual(
    [],
  );
});

test('an agent whose model has no key here is refused', () => {
  const other = `/retry\n${block('agent: codex')}`;
  expect(said(other, ['OPENAI_API_KEY']).problems).toEqual([]);
  expect(said(other, []).problems).toEqual([expect.stringContaining('OPENAI_API_KEY')]);
});

test('so is a worker profile whose agent has none, by what the configuration says of it now', () => {
  const own = { ...settings, agent: { use: 'codex', timeout_s: 60 }, profiles: ['careful'] };
  const reading = { outcome: 'configured', settings: own, default_branch: 'main' } as const;
  const profiles = new Map([['careful', reading]]);
  const facts = (names: readonly string[]) =>
    taskFacts(
      { type: 'retry', changes: { worker_profile: 'careful' } },
      { ...state, overrides: {}, profiles },
      { operator: {}, modelKeys: { names, hasOthers: false } },
    ).problems;
  expect(facts([])).toEqual([expect.stringContaining('OPENAI_API_KEY')]);
  expect(facts(['OPENAI_API_KEY'])).toEqual([]);
});

test('a task that says nothing inherits what the other one tightens', () => {
  expect(united(known, {})).toEqual(known);
  expect(united({}, {})).toEqual({});
});

import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { problemLines } from '../../src/config/schema/config-problem.ts';
import type { Bounds } from '../../src/config/schema/operator-bounds.ts';
import { startRefusalText } from '../../src/words/start-texts.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };
const command = 'version: 1\nagent: { use: command, command: [node, agent.mjs] }\n';

function refused(text: string, bounds: Bounds = {}) {
  const reading = readConfig(text, where, { bounds });
  if (reading.outcome === 'configured') throw new Error('was accepted');
  return reading;
}

/** Each example is accepted in the place of what is wrong. */
test.each<[string, Bounds, string]>([
  ['version: 1\nagent: codex\npermissions: { edit: ask }', {}, 'edit: allow'],
  ['version: 1\nagent: codex\npermissions: { rules: { drops-data: ask } }', {}, 'drops-data: allow'],
  [`${command}limits: { tokens: 9 }`, { limits: { tokens: 5 } }, 'tokens: 5'],
  [`${command}limits: { minutes: 60 }`, { limits: { minutes: 30 } }, 'minutes: 30'],
  [`${command}sandbox: 'off'`, { sandbox: 'preferred' }, 'sandbox: preferred'],
  ['version: 1', {}, 'agent: claude'],
  ['version: 1', { agents: ['command', 'codex'] }, 'agent: codex'],
  [`${command}limits: { minutes: 0 }`, {}, 'minutes: 60'],
  ['version: 1\nagent: { use: command, command: [1] }', {}, 'command: [node, tools/agent.mjs]'],
])('the example for %j is accepted with the bounds %j: %s', (text, bounds, example) => {
  const [problem] = refused(text, bounds).problems;
  expect(problem?.example).toBe(example);
});

test.each<[string, Bounds]>([
  ['version: 1', { agents: ['command'] }],
  [command, { agents: ['scripted'] }],
  [command, { commands: [['node']] }],
  [`${command}registries: [{ host: npm.example.com, kind: npm, token_env: TOKEN }]`, { registries: [] }],
  [`${command}bases: [{ branches: main, check: release }]`, {}],
  // Keys that this agent has no use for, or that are unknown.
  ['version: 1\nagent: { use: claude, effort: high }', {}],
  ['version: 1\nagent: { use: claude, colour: red }', {}],
])('without an example that is sure to be accepted there is none: %j, with the bounds %j', (text, bounds) => {
  const reading = refused(text, bounds);
  const [problem, ...others] = reading.problems;
  if (problem === undefined) throw new Error('has no problem');
  expect(others).toEqual([]);
  expect(problem.example).toBe('');
  expect(problemLines(problem)).not.toContain('as in');
  expect(startRefusalText({ why: 'misconfigured', reading }, 'https://github.com/acme/api')).not.toContain(
    '```',
  );
});

import { expect, test } from 'vitest';
import type { Bounds } from '../../src/config/bounds.ts';
import { readConfig } from '../../src/config/read.ts';

const command = 'version: 1\nagent: { use: command, command: [node, agent.mjs] }\n';

function read(text: string, bounds: Bounds) {
  return readConfig(text, { path: '.github/coxswain.yml', ref: 'main' }, { bounds });
}

test.each<[string, string, Bounds, object]>([
  ['agents', command, { agents: ['scripted'] }, { path: 'agent.use', expected: /^scripted /, line: 2 }],
  ['agents', command, { agents: [] }, { path: 'agent.use', expected: /^no agent at all/ }],
  ['commands', command, { commands: [['node']] }, { path: 'agent.command', expected: /^\["node"\]/ }],
  ['sandbox', `${command}sandbox: off`, { sandbox: 'required' }, { path: 'sandbox', received: '"off"' }],
  ['max_minutes', `${command}limits: { minutes: 31 }`, { max_minutes: 30 }, { path: 'limits.minutes' }],
])('the bound %s is named when a repository exceeds it', (bound, text, bounds, facts) => {
  const reading = read(text, bounds);
  if (reading.outcome === 'configured') throw new Error('was accepted');
  const [problem] = reading.problems;
  expect(reading.problems).toHaveLength(1);
  expect(problem?.expected).toContain(`(the operator's bound ${bound})`);
  for (const [key, value] of Object.entries(facts)) {
    const found = problem?.[key as keyof typeof problem];
    if (value instanceof RegExp) expect(found).toMatch(value);
    else expect(found).toBe(value);
  }
});

test('where the repository sets nothing, the bound replaces the default', () => {
  expect(read(command, { sandbox: 'required', max_minutes: 5 })).toMatchObject({
    settings: { sandbox: 'required', limits: { minutes: 5 } },
  });
});

test('a repository may be stricter than its operator', () => {
  const text = `${command}sandbox: required\nlimits: { minutes: 1 }`;
  const bounds: Bounds = {
    agents: ['command'],
    commands: [['node', 'agent.mjs']],
    sandbox: 'preferred',
    max_minutes: 60,
  };
  expect(read(text, bounds)).toMatchObject({ settings: { sandbox: 'required', limits: { minutes: 1 } } });
});

test("the operator's default agent need not be within the operator's bounds", () => {
  const agent = { use: 'scripted', script: 'a', timeout_s: 60 } as const;
  const operator = { defaults: { agent }, bounds: { agents: ['command'] } } as const;
  expect(readConfig('version: 1', { path: 'p', ref: 'main' }, operator)).toMatchObject({
    settings: { agent },
  });
});

test.each([
  ['', 'required'],
  ['sandbox: preferred\n', 'preferred'],
  ["sandbox: 'off'\n", 'off'],
])('an operator chooses the sandbox only of a repository that does not: %j', (written, sandbox) => {
  const where = { path: '.github/coxswain.yml', ref: 'main' };
  const operator = { defaults: { sandbox: 'required' } } as const;
  expect(readConfig(command + written, where, operator)).toMatchObject({ settings: { sandbox } });
});

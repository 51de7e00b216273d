import { expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { type Operator, readConfig } from '../../src/config/read.ts';
import { agentUses, profileNames, profiles } from '../../src/profiles/index.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };

function settingsOf(lines: string, operator?: Operator): Settings {
  const reading = readConfig(`version: 1\n${lines}`, where, operator);
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  return reading.settings;
}

function problemsOf(lines: string, operator?: Operator) {
  const reading = readConfig(`version: 1\n${lines}`, where, operator);
  return reading.outcome === 'misconfigured' ? reading.problems : [];
}

test.each(profileNames)('%s is an agent by its name alone', (name) => {
  expect(settingsOf(`agent: ${name}`).agent).toEqual({ use: name, timeout_s: 1800 });
});

test('an agent is equipped with a model, skills and servers', () => {
  const lines = `agent:
  use: codex
  model: gpt-5.5
  effort: high
  skills: [.agents/skills/release, docs/style.md]
  mcp: [{ name: docs, command: [node, tools/docs.mjs] }]
`;
  expect(settingsOf(lines).agent).toEqual({
    use: 'codex',
    model: 'gpt-5.5',
    effort: 'high',
    skills: ['.agents/skills/release', 'docs/style.md'],
    mcp: [{ name: 'docs', command: ['node', 'tools/docs.mjs'] }],
    timeout_s: 1800,
  });
});

test('any program that speaks the protocol is an agent by its command', () => {
  expect(settingsOf('agent: { use: acp, command: [goose, acp] }').agent).toEqual({
    use: 'acp',
    command: ['goose', 'acp'],
    timeout_s: 1800,
  });
});

test.each([
  ['agent: acp', 'agent.command', 'a list: the program'],
  ['agent: clod', 'agent.use', agentUses.join(', ')],
  ['agent: { use: claude, model: "a b" }', 'agent.model', 'the name of a model'],
  ['agent: { use: codex, effort: extreme }', 'agent.effort', 'low, medium or high'],
  ['agent: { use: claude, skills: [../secret] }', 'agent.skills[0]', 'a path inside this repository'],
  ['agent: { use: claude, skills: [/etc] }', 'agent.skills[0]', 'a path inside this repository'],
  ['agent: { use: claude, mcp: [{ name: docs }] }', 'agent.mcp[0].command', 'a list: the program'],
  [
    'agent: { use: claude, mcp: [{ name: a, command: [b] }, { name: a, command: [c] }] }',
    'agent.mcp',
    'names that are unique',
  ],
  ['agent: claude\npermissions: { execute: maybe }', 'permissions.execute', 'allow, ask or deny'],
  ['agent: claude\npermissions: { rules: { deletes-all: ask } }', 'permissions.rules.deletes-all', ''],
  ['agent: claude\npermissions: { hold: 2h }', 'permissions.hold', 'a duration from 1s to 1h'],
])('%s is refused', (lines, path, expected) => {
  const [problem] = problemsOf(lines);
  expect(problem?.path).toBe(path);
  expect(problem?.expected).toContain(expected);
});

test.each([
  ['codex', 'permissions: { execute: ask }', 'Codex runs the commands that its own sandbox allows without'],
  // It does ask before it edits with its own tool, but its commands edit, too.
  ['codex', 'permissions: { edit: ask }', 'without asking, whatever they do'],
  ['codex', 'permissions: { rules: { deletes-files: deny } }', 'Codex runs the commands'],
  ['{ use: command, command: [a] }', 'permissions: { edit: ask }', 'asks for nothing but its own start'],
])('what %s would never be asked for is refused: %s', (agent, permissions, why) => {
  const [problem, ...others] = problemsOf(`agent: ${agent}\n${permissions}`);
  expect(others).toEqual([]);
  expect(problem?.path).toMatch(/^permissions/);
  expect(problem?.expected).toContain(why);
});

test.each([
  ['claude', 'permissions: { execute: ask, edit: deny }'],
  ['codex', 'permissions: { execute: allow }'],
  ['{ use: acp, command: [a] }', 'permissions: { edit: ask }'],
  ['{ use: command, command: [a] }', 'permissions: { execute: ask, rules: { touches-secrets: deny } }'],
])('what %s can be asked for is accepted: %s', (agent, permissions) => {
  expect(problemsOf(`agent: ${agent}\n${permissions}`)).toEqual([]);
});

test('a task cannot choose an agent that would never ask for what the repository wants to be asked', () => {
  const settings = settingsOf('agent: claude\npermissions: { execute: ask }');
  const { problems, settings: kept } = withOverrides(settings, { agent: 'codex' });
  expect(problems[0]?.expected).toContain('an agent that asks first, for `permissions.execute: ask`');
  expect(kept.agent.use).toBe('claude');
});

test('a limit on tool calls that nobody would count is refused, also by the choice of a task', () => {
  const limit = 'limits: { tool_calls: 5 }';
  expect(problemsOf(`agent: { use: command, command: [a] }\n${limit}`)).toMatchObject([
    {
      path: 'limits.tool_calls',
      expected: expect.stringContaining('agent command does not report its tool calls'),
    },
  ]);
  for (const agent of ['claude', '{ use: scripted, script: a }', '{ use: acp, command: [a] }'])
    expect(problemsOf(`agent: ${agent}\n${limit}`)).toEqual([]);
  const command = { agent: { use: 'command', command: ['b'] } };
  const chosen = withOverrides(settingsOf(`agent: claude\n${limit}`), command);
  expect(chosen.problems[0]?.expected).toContain('an agent that reports its tool calls');
  const bounded = { bounds: { limits: { tool_calls: 5 } } };
  const own = settingsOf('agent: { use: command, command: [a] }', bounded);
  expect(withOverrides(own, command).problems).toEqual([]);
});

test('another agent is equipped as the configuration says, and a task adds nothing', () => {
  const settings = settingsOf('agent: { use: claude, model: sonnet, mcp: [{ name: docs, command: [d] }] }');
  const chosen = withOverrides(settings, { agent: 'codex' });
  expect(chosen.problems).toEqual([]);
  expect(chosen.settings.agent).toEqual({
    use: 'codex',
    mcp: [{ name: 'docs', command: ['d'] }],
    timeout_s: 1800,
  });
  const adding = { agent: { use: 'codex', mcp: [{ name: 'mine', command: ['x'] }] } };
  expect(withOverrides(settings, adding).problems[0]?.expected).toContain('without skills and mcp');
});

test('the same agent keeps what a task does not write of it', () => {
  const settings = settingsOf('agent: { use: codex, model: gpt-5.5, effort: low, timeout: 10m }');
  const own = { use: 'codex', model: 'gpt-5.5', effort: 'low', timeout_s: 600 };
  expect(withOverrides(settings, { agent: 'codex' })).toMatchObject({
    problems: [],
    settings: { agent: own },
  });
  const other = withOverrides(settings, { agent: { use: 'codex', effort: 'high' } });
  expect(other).toMatchObject({ problems: [], settings: { agent: { ...own, effort: 'high' } } });
});

test.each([
  ['{ use: claude, timeout: 10m }', { use: 'claude', timeout: '24h' }, 'at most 10m'],
  ['{ use: claude, timeout: 90s }', { use: 'codex', timeout: '2m' }, 'at most 90s'],
  ['claude', { use: 'codex', timeout: '31m' }, 'at most 30m'],
])('a task gets no more time than %s', (own, asked, expected) => {
  const settings = settingsOf(`agent: ${own}`);
  const { problems, settings: now } = withOverrides(settings, { agent: asked });
  expect(problems).toMatchObject([{ path: 'agent.timeout', expected: `${expected}, the repository's own` }]);
  expect(now.agent.timeout_s).toBe(settings.agent.timeout_s);
});

test('an agent that a task chooses has the time of the repository, or less', () => {
  const settings = settingsOf('agent: { use: claude, timeout: 1h }');
  const command = { use: 'command', command: ['a'] };
  for (const agent of ['claude', 'codex', command, { use: 'scripted', script: 'a' }]) {
    const chosen = withOverrides(settings, { agent });
    expect(chosen).toMatchObject({ problems: [], settings: { agent: { timeout_s: 3600 } } });
    const again = withOverrides(settings, JSON.parse(JSON.stringify(chosen.overrides)));
    expect(again).toEqual(chosen);
  }
  const shorter = withOverrides(settings, { agent: { ...command, timeout: '45m' } });
  expect(shorter).toMatchObject({ problems: [], settings: { agent: { use: 'command', timeout_s: 2700 } } });
});

test('the operator bounds every command of an agent, its servers included', () => {
  const operator = { bounds: { commands: [['goose', 'acp']] } };
  expect(problemsOf('agent: { use: acp, command: [goose, acp] }', operator)).toEqual([]);
  const servers = 'agent: { use: claude, mcp: [{ name: a, command: [b] }] }';
  expect(problemsOf(servers, operator)[0]).toMatchObject({ path: 'agent.mcp[0].command' });
  expect(problemsOf('agent: { use: acp, command: [other] }', operator)[0]?.path).toBe('agent.command');
});

test('every profile says what it asks for, and which keys its model may have', () => {
  for (const { title, keys } of Object.values(profiles)) {
    expect(title).toMatch(/^[A-Z]/);
    expect(keys.length).toBeGreaterThan(0);
  }
});

test('what the operator bounds is known where people raise it', () => {
  const operator = { bounds: { limits: { cost_usd: 10 } } };
  expect(settingsOf('agent: claude\nlimits: { cost_usd: 5 }', operator)).toMatchObject({
    limits: { cost_usd: 5 },
    most: { cost_usd: 10 },
  });
  expect(settingsOf('agent: claude')).not.toHaveProperty('most');
});

test.each(['claud', 'Claude', 'open-code'])('%s is probably a misspelt agent', (use) => {
  const reading = readConfig(`version: 1\nagent: ${use}\n`, { path: 'coxswain.yml', ref: 'main' });
  expect(reading).toMatchObject({
    outcome: 'misconfigured',
    problems: [
      { path: 'agent.use', line: 2, expected: expect.stringMatching(/^\w+ \(did you mean that\?\), or/) },
    ],
  });
});

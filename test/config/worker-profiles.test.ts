import { expect, test } from 'vitest';
import { profileProblem } from '../../src/config/agent-choices.ts';
import { withOverrides } from '../../src/config/overrides.ts';
import { type Operator, readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';
import { foreignTeams, settingsFor } from '../../src/config/settings-by-base.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };

const text = `version: 1
agent: { use: claude, timeout: 20m }
limits: { minutes: 45, tokens: 1000 }
agents:
  careful:
    use: codex
    model: gpt-5.5
    instructions: Write the test first.
    limits: { minutes: 30, tokens: 5000, cost_usd: 2 }
  quick: { use: claude, timeout: 1h }
  plain: gemini
interrupts: { ask: ['@ada', '@acme/core'] }
`;

function configured(yaml = text, operator?: Operator) {
  const reading = readConfig(yaml, where, operator);
  if (reading.outcome === 'misconfigured') throw new Error(reading.problems.map(problemText).join('\n'));
  return reading;
}

function problemsOf(lines: string, operator?: Operator): readonly string[] {
  const reading = readConfig(`version: 1\nagent: claude\n${lines}`, where, operator);
  return reading.outcome === 'misconfigured' ? reading.problems.map(problemText) : [];
}

function settingsWith(worker_profile?: string) {
  return settingsFor(configured(), { base: 'main', default_branch: 'main', worker_profile });
}

test('a profile is the agent of a task that chooses it, and its limits only tighten', () => {
  const { agent, instructions, limits } = settingsWith('careful');
  expect(agent).toEqual({ use: 'codex', model: 'gpt-5.5', timeout_s: 1200 });
  expect(instructions).toBe('Write the test first.');
  expect(limits).toEqual({ minutes: 30, tokens: 1000, cost_usd: 2 });
});

test('a profile has a time limit of its own, or that of the agent', () => {
  expect(settingsWith('quick').agent).toEqual({ use: 'claude', timeout_s: 3600 });
  expect(settingsWith('plain').agent).toEqual({ use: 'gemini', timeout_s: 1200 });
});

test('without a profile everything is as before, and the names are known', () => {
  const { agent, instructions, profiles } = settingsWith();
  expect(agent.use).toBe('claude');
  expect(instructions).toBeUndefined();
  expect(profiles).toEqual(['careful', 'quick', 'plain']);
  expect(profileProblem(settingsWith(), '')).toBeUndefined();
  expect(profileProblem(settingsWith(), 'quick')).toBeUndefined();
});

test.each(['carefull', 'constructor', '__proto__', '`x`'])('the profile %j is not there', (name) => {
  expect(settingsWith(name)).toEqual(settingsWith());
  expect(profileProblem(settingsWith(), name)).toContain(
    'one of careful, quick, plain, the names under `agents` of the configuration',
  );
});

test('whoever misspells a profile is told which was meant, and where there is none that', () => {
  expect(profileProblem(settingsWith(), 'carefull')).toBe(
    'worker_profile: expected careful (did you mean that?), or one of careful, quick, plain, ' +
      'the names under `agents` of the configuration; received "carefull"',
  );
  expect(profileProblem({}, 'careful')).toBe(
    'worker_profile: expected no profile, because the configuration has none under `agents`; received "careful"',
  );
});

test('a task that names an agent gets that one, with the time of its profile', () => {
  const { settings, problems } = withOverrides(settingsWith('quick'), { agent: 'gemini' });
  expect(problems).toEqual([]);
  expect(settings.agent).toEqual({ use: 'gemini', timeout_s: 3600 });
});

test.each([
  ['agents: [careful]', 'agents (line 3): expected a mapping of names, each with an agent'],
  ['agents: { careful: claud }', 'agents.careful.use (line 3): expected claude (did you mean that?)'],
  ['agents: { careful: { use: codex, instructions: "" } }', 'expected text of 1 to 4000 characters'],
  ['agents: { careful: { use: codex, limits: { minuts: 3 } } }', 'expected minutes (did you mean that?)'],
  ['agents: { careful: { use: codex, verifiers: [] } }', 'received the unknown key "verifiers"'],
  ['agents: { "a b": codex }', 'expected a name of small letters, digits, - and _'],
  ['agents: { claude: codex }', 'that begins with a letter and is no agent of ours'],
  ['agents: { Careful: codex }', 'expected a name of small letters'],
  [
    'permissions: { execute: ask }\nagents: { careful: codex }',
    'agents.careful (line 4): expected an agent that asks first',
  ],
  [
    'agents: { careful: { use: command, command: [node, a.mjs], limits: { tool_calls: 9 } } }',
    'expected no limit on tool calls, because agent command does not report any',
  ],
  [
    'limits: { tool_calls: 9 }\nagents: { careful: { use: command, command: [a] } }',
    'reports its tool calls',
  ],
  ["interrupts: { ask: ['ada'] }", 'interrupts.ask[0] (line 3): expected a user such as "@ada"'],
  ['interrupts: { ask: [write] }', 'expected a user such as "@ada", or a team such as "@acme/core"'],
])('%s is not accepted', (lines, expected) => {
  expect(problemsOf(lines).join('\n')).toContain(expected);
});

test('every profile is within the bounds of the operator, as the agent is', () => {
  const bounds = { agents: ['claude', 'command'], commands: [['node', 'a.mjs']] };
  const found = problemsOf(
    `agents:
  a: codex
  b: { use: command, command: [node, b.mjs] }
  c: { use: command, command: [node, a.mjs] }
  d: { use: claude, mcp: [{ name: docs, command: [node, docs.mjs] }] }
`,
    { bounds },
  );
  expect(found).toEqual([
    expect.stringContaining(
      "agents.a.use (line 4): expected claude or command (the operator's bound agents)",
    ),
    expect.stringContaining('agents.b.command (line 5): expected ["node","a.mjs"]'),
    expect.stringContaining('agents.d.mcp[0].command (line 7): expected ["node","a.mjs"]'),
  ]);
});

test('people and teams to ask are kept by name, and a team of another organization is found', () => {
  const reading = configured();
  expect(reading.settings.interrupts).toEqual({ ask: ['ada', 'acme/core'] });
  expect(configured('version: 1\nagent: claude').settings.interrupts).toBeUndefined();
  expect(foreignTeams(reading, 'acme')).toEqual([]);
  expect(foreignTeams(reading, 'other').map(({ path }) => path)).toEqual(['interrupts.ask[1]']);
});

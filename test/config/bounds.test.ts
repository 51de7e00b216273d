import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { coversHost } from '../../src/config/schema/hosts.ts';
import { usualNetwork } from '../../src/config/schema/network-keys.ts';
import { type Bounds, networkWithin } from '../../src/config/schema/operator-bounds.ts';

const command = 'version: 1\nagent: { use: command, command: [node, agent.mjs] }\n';

const registry = 'registries: [{ host: npm.example.com, kind: npm, token_env: NPM_TOKEN }]';

const closed = { setup: ['registries'], agent: ['model', '*.example.org'], verifiers: [] };

function read(text: string, bounds: Bounds) {
  return readConfig(text, { path: '.github/coxswain.yml', ref: 'main' }, { bounds });
}

test.each<[string, string, Bounds, object]>([
  ['agents', command, { agents: ['scripted'] }, { path: 'agent.use', expected: /^scripted /, line: 2 }],
  ['agents', command, { agents: [] }, { path: 'agent.use', expected: /^no agent at all/ }],
  ['commands', command, { commands: [['node']] }, { path: 'agent.command', expected: /^\["node"\]/ }],
  [
    'sandbox, or COXSWAIN_SANDBOX of the App',
    `${command}sandbox: off`,
    { sandbox: 'required' },
    { path: 'sandbox', received: '"off"' },
  ],
  [
    'limits.minutes',
    `${command}limits: { minutes: 31 }`,
    { limits: { minutes: 30 } },
    { path: 'limits.minutes' },
  ],
  [
    'limits.tokens',
    `${command}limits: { tokens: 31 }`,
    { limits: { tokens: 30 } },
    { path: 'limits.tokens' },
  ],
  ['limits.cost_usd', `${command}limits: { cost_usd: 3 }`, { limits: { cost_usd: 2.5 } }, { received: '3' }],
  ['network.setup', `${command}network: { setup: open }`, { network: closed }, { path: 'network.setup' }],
  [
    'network.agent',
    `${command}network: { agent: [model, a.example.com] }`,
    { network: closed },
    { path: 'network.agent[1]', expected: /^model, \*\.example\.org, none / },
  ],
  [
    'network.verifiers',
    `${command}network: { verifiers: host }`,
    { network: usualNetwork },
    { path: 'network.verifiers', received: '"host"' },
  ],
  [
    'gates',
    `${command}gates: { off: [{ rule: drops-data, reason: we have no data }] }`,
    { gates: ['drops-data'] },
    { path: 'gates.off[0].rule', received: '"drops-data"', expected: /^no rule that the operator demands/ },
  ],
  [
    'network.setup',
    `${command}registries: [{ host: a.example.com }]`,
    { network: closed },
    { path: 'registries[0].host' },
  ],
  ['registries', `${command}${registry}`, { registries: [] }, { path: 'registries[0].token_env', line: 3 }],
  [
    'registries',
    `${command}${registry}`,
    { registries: [{ host: 'npm.example.com', token_env: 'OTHER' }] },
    { expected: /^OTHER for npm/ },
  ],
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
  expect(read(command, { sandbox: 'required', limits: { minutes: 5, tokens: 9 } })).toMatchObject({
    settings: { sandbox: 'required', limits: { minutes: 5, tokens: 9 } },
  });
});

test('the bound on the network is kept for advice, unless each host may be listed', () => {
  expect(read(command, { network: closed, limits: { tokens: 9 } })).toMatchObject({
    settings: { most: { tokens: 9, network: closed } },
  });
  const usual = read(command, { network: usualNetwork });
  expect(usual.outcome === 'configured' && usual.settings.most).toBeUndefined();
});

test('a path that is not the usual one is kept', () => {
  const reading = readConfig(command, { path: 'ci/coxswain.yml', ref: 'main' });
  expect(reading).toMatchObject({ settings: { file: 'ci/coxswain.yml' } });
  expect(read(command, {})).not.toHaveProperty('settings.file');
});

test('a repository may be stricter than its operator', () => {
  const text = `${command}sandbox: required\nlimits: { minutes: 1, cost_usd: 1 }\n${registry}
${'network: { agent: [b.example.org, "*.a.example.org"], setup: none }'}`;
  const bounds: Bounds = {
    agents: ['command'],
    commands: [['node', 'agent.mjs']],
    sandbox: 'preferred',
    limits: { minutes: 60, cost_usd: 5 },
    network: closed,
    registries: [{ host: 'npm.example.com', token_env: 'NPM_TOKEN' }],
  };
  expect(read(text, bounds)).toMatchObject({
    settings: { sandbox: 'required', limits: { minutes: 1, cost_usd: 1 } },
  });
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

test('the default network gives way to the bound, and to the default of the operator', () => {
  const none = { setup: [], agent: [], verifiers: [] };
  expect(read(command, { network: none })).toMatchObject({ settings: { network: none } });
  const operator = { defaults: { network: { verifiers: ['registries'] } } };
  const where = { path: '.github/coxswain.yml', ref: 'main' };
  expect(readConfig(`${command}network: { setup: none }`, where, operator)).toMatchObject({
    settings: { network: { setup: [], agent: ['model'], verifiers: ['registries'] } },
  });
});

test('what an operator has opened covers hosts, registries and models, but not the machine', () => {
  const open = { setup: ['open'], agent: ['open'], verifiers: ['open'] };
  const written =
    'network: { setup: [registries, a.example.com:8443], agent: "*.example.com", verifiers: open }';
  expect(read(`${command}${written}`, { network: open }).outcome).toBe('configured');
  expect(read(`${command}network: { agent: model }`, { network: open }).outcome).toBe('configured');
  expect(read(command, { network: open })).toMatchObject({ settings: { network: { agent: ['model'] } } });
  expect(read(`${command}network: { verifiers: host }`, { network: open }).outcome).toBe('misconfigured');
});

test.each([
  ['*.example.org', 'a.example.org:443', true],
  ['a.example.org', 'a.example.org:80', true],
  ['a.example.org', 'a.example.org:8443', false],
  ['*.example.org', 'a.example.org:8443', false],
  ['*.example.org:8443', 'a.example.org:8443', true],
  ['a.example.org:8443', 'a.example.org', false],
  ['a.example.org:8443', 'a.example.org:443', false],
  ['a.example.org:443', 'a.example.org', false],
  ['a.example.org:443', 'a.example.org:443', true],
  ['a.example.org:443', 'a.example.org:80', false],
])('a bound of %s covers %s: %s, since 443 and 80 are meant without a port', (wide, host, is) => {
  expect(coversHost(wide, host)).toBe(is);
  const bound = { setup: [], agent: [], verifiers: [wide] };
  const outcome = read(`${command}network: { verifiers: ['${host}'] }`, { network: bound }).outcome;
  expect(outcome).toBe(is ? 'configured' : 'misconfigured');
});

test('a registry is the same one with and without the port 443', () => {
  const bounds = { registries: [{ host: 'npm.example.com', token_env: 'NPM_TOKEN' }] };
  const named = registry.replace('npm.example.com', 'NPM.example.com:443');
  expect(read(`${command}${named}`, bounds)).toMatchObject({
    settings: { registries: [{ host: 'npm.example.com' }] },
  });
  const both = 'registries: [{ host: npm.example.com }, { host: npm.example.com:443 }]';
  expect(read(`${command}${both}`, {})).toMatchObject({ problems: [{ path: 'registries[1].host' }] });
  expect(read(`${command}${registry.replace('.com', '.com:8443')}`, bounds).outcome).toBe('misconfigured');
});

test('what repositories do not write is narrowed to the bound in each place', () => {
  const wide = ['registries', 'open'];
  const asked = { setup: wide, agent: ['model', ...wide], verifiers: wide };
  const bound = { setup: ['registries'], agent: ['model'], verifiers: ['registries'] };
  expect(networkWithin(bound, asked)).toEqual(bound);
  expect(networkWithin(undefined, asked)).toEqual(asked);
});

test('what exceeds a bound is told together with the other mistakes of a profile', () => {
  const text = "version: 1\nagent: claude\nagents:\n  careful:\n    use: codex\n    instructions: ''\n";
  const where = { path: '.github/coxswain.yml', ref: 'main' };
  const reading = readConfig(text, where, { bounds: { agents: ['claude'] } });
  expect(reading).toMatchObject({
    problems: [{ path: 'agents.careful.instructions' }, { path: 'agents.careful.use' }],
  });
});

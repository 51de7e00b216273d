import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';
import { parseState } from '../../src/ledger/format.ts';
import { keyNamesOf, providersIn } from '../../src/network/model/providers.ts';
import { modelKeys } from '../../src/profiles/profile.ts';
import { stateOf } from '../agent/states.ts';

/** What programs may reach where the configuration does not say. */
const defaultNetwork = { setup: ['registries'], agent: ['model'], verifiers: [] };

const where = { path: '.github/coxswain.yml', ref: 'main' };
const start = 'version: 1\nagent: { use: command, command: [node, agent.mjs] }\n';

function networkOf(written: string) {
  const reading = readConfig(`${start}network: ${written}`, where);
  if (reading.outcome === 'misconfigured') throw new Error(reading.problems.map(problemText).join('\n'));
  return reading.settings.network;
}

function problemsOf(text: string) {
  const reading = readConfig(`${start}${text}`, where);
  if (reading.outcome === 'configured') throw new Error(`was accepted: ${text}`);
  return reading.problems;
}

test.each([
  ['{}', defaultNetwork],
  ['none', { setup: [], agent: [], verifiers: [] }],
  ['open', { setup: ['open'], agent: ['open'], verifiers: ['open'] }],
  [
    '[registries, api.example.com]',
    {
      setup: ['registries', 'api.example.com'],
      agent: ['registries', 'api.example.com'],
      verifiers: ['registries', 'api.example.com'],
    },
  ],
  ['{ verifiers: host }', { ...defaultNetwork, verifiers: ['host'] }],
  ['{ verifiers: [host] }', { ...defaultNetwork, verifiers: ['host'] }],
  ['{ agent: none }', { ...defaultNetwork, agent: [] }],
  ['{ agent: [] }', { ...defaultNetwork, agent: [] }],
  ["{ agent: [model, '*.Example.org:8443'] }", { ...defaultNetwork, agent: ['model', '*.example.org:8443'] }],
])('network: %s', (written, network) => {
  expect(networkOf(written)).toEqual(network);
});

test.each([
  ['model', 'network.setup', 'model is for the agent only'],
  ['{ verifiers: model }', 'network.verifiers', 'model is for the agent only'],
  ['{ agent: host }', 'network.agent', "host, the machine's own network, is for verifiers only"],
  ['{ verifiers: [host, a.example.com] }', 'network.verifiers[0]', 'no other words and hosts beside host'],
  ['{ setup: [registries, none] }', 'network.setup[1]', 'no other words and hosts beside none'],
  [
    '{ agent: api.anthropic.com }',
    'network.agent',
    'the word model: api.anthropic.com can be reached only through',
  ],
  ['{ agent: [API.openai.com:443] }', 'network.agent[0]', 'the word model: api.openai.com can be'],
  ['{ setup: api.openai.com }', 'network.setup', 'no host of a model: api.openai.com can be'],
  ['{ setup: [5] }', 'network.setup[0]', 'registries, open, none, or a host'],
  ['{ setup: { a: b } }', 'network.setup', 'registries, open, none, or a host'],
  ['{ setups: none }', 'network.setups', 'setup (did you mean that?)'],
  ['7', 'network', 'a mapping of setup, agent and verifiers, or one word or list'],
])('network: %s is refused and says why', (written, path, expected) => {
  const problem = problemsOf(`network: ${written}`)[0];
  expect(problem).toMatchObject({ path, line: 3 });
  expect(problem?.expected).toContain(expected);
});

test.each([
  '127.0.0.1',
  '10.0.0.1:8080',
  '"[::1]"',
  '"::1"',
  '2130706433',
  '0x7f.0x1',
  '127.0x1',
  'localhost',
  'db.localhost',
  'intranet',
  'example.com.',
  '"*.com"',
  '"*"',
  '"a.*.example.com"',
  'https://example.com',
  'example.com/path',
  'user@example.com',
  'example.com:0',
  'example.com:65536',
  '"exa mple.com"',
  '"example.com\\n"',
  'bücher.example',
])('%s is not the name of a host', (host) => {
  expect(problemsOf(`network: { verifiers: [${host}] }`)[0]?.path).toBe('network.verifiers[0]');
});

test('a registry is named with its token, which is never one of our own settings', () => {
  const reading = readConfig(
    `${start}registries: [{ host: npm.example.com, kind: npm, token_env: NPM_TOKEN }]`,
    where,
  );
  expect(reading).toMatchObject({
    settings: { registries: [{ host: 'npm.example.com', kind: 'npm', token_env: 'NPM_TOKEN' }] },
  });
  const problems = problemsOf(`registries:
  - { host: a.example.com, kind: npm, token_env: PRIVATE_KEY }
  - { host: b.example.com, kind: npm, token_env: COXSWAIN_LEDGER_KEY }
  - { host: 10.0.0.1 }
  - { host: c.example.com, token_env: TOKEN }
  - { host: d.example.com, kind: nuget }`);
  expect(problems.map(({ path }) => path)).toEqual([
    'registries[0].token_env',
    'registries[1].token_env',
    'registries[2].host',
    'registries[3].kind',
    'registries[4].kind',
  ]);
});

test.each(modelKeys)('the token of a registry is not the key of a model: %s', (name) => {
  expect(keyNamesOf(providersIn({ [name]: 'sk-0000' }, {})).names).toEqual([name]);
  const problems = problemsOf(`registries: [{ host: npm.example.com, kind: npm, token_env: ${name} }]`);
  expect(problems).toMatchObject([
    { path: 'registries[0].token_env', expected: expect.stringContaining('the key of a model') },
  ]);
});

test('a registry says which scopes of npm, or modules of Go, it has', () => {
  const reading = readConfig(
    `${start}registries:
  - { host: npm.pkg.github.com, kind: npm, scopes: ["@acme"], token_env: NODE_AUTH_TOKEN }
  - { host: go.example.com, kind: go, scopes: ["example.com/*"] }`,
    where,
  );
  expect(reading).toMatchObject({
    settings: { registries: [{ scopes: ['@acme'] }, { scopes: ['example.com/*'] }] },
  });
  const problems = problemsOf(`registries:
  - { host: a.example.com, kind: npm, scopes: [acme] }
  - { host: b.example.com, kind: npm, scopes: ["@acme:registry=https://evil.example/\\n@b"] }
  - { host: c.example.com, kind: pypi, scopes: ["@acme"] }
  - { host: d.example.com, scopes: ["@acme"] }
  - { host: e.example.com, kind: go, scopes: ["a,b"] }
  - { host: f.example.com, kind: npm, scopes: [] }`);
  expect(problems.map(({ path }) => path)).toEqual(
    [0, 1, 2, 3, 4, 5].map((index) => `registries[${index}].scopes`),
  );
});

test('the state of an older version has the default network', () => {
  const state = stateOf();
  const { network: _, ...settings } = state.settings;
  expect(parseState(JSON.stringify({ ...state, version: 2, settings }), 'it').settings.network).toEqual(
    defaultNetwork,
  );
});

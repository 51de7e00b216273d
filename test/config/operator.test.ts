import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noOperatorFile } from '../../src/config/operator/operator-schema.ts';
import { readOperatorFile } from '../../src/config/operator/read-operator-file.ts';
import { readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';
import { matchesRepository } from '../../src/text/globs.ts';
import { operatorExample, variablesOfExample } from './operator-example.ts';

function fileOf(text: string, given: Record<string, string> = variablesOfExample) {
  const reading = readOperatorFile(text, given);
  if (reading.outcome === 'invalid') throw new Error(reading.problems.map(problemText).join('\n'));
  return reading.file;
}

function problemsOf(text: string, given: Record<string, string> = variablesOfExample) {
  const reading = readOperatorFile(text, given);
  if (reading.outcome === 'read') throw new Error(`was accepted: ${text}`);
  return reading.problems;
}

test('a file with nothing but its version bounds nothing that no file would not', () => {
  expect(fileOf('version: 1')).toEqual({
    ...noOperatorFile,
    bounds: { ...noOperatorFile.bounds, limits: {} },
  });
});

test('every key of the example is read', () => {
  const corp = { host: 'npm.corp.example', kind: 'npm', scopes: ['@corp'], token_env: 'CORP_NPM_TOKEN' };
  expect(fileOf(operatorExample)).toEqual({
    bounds: {
      repositories: ['acme/*', '!acme/secret'],
      agents: ['claude', 'codex', 'command'],
      commands: [['node', 'tools/agent.mjs']],
      sandbox: 'required',
      limits: {
        minutes: 60,
        tokens: 5_000_000,
        cost_usd: 10,
        tool_calls: 1000,
        open_runs: 10,
        diff_lines: 2000,
      },
      network: {
        setup: ['registries', '*.example.org'],
        agent: ['model', 'registries'],
        verifiers: ['registries', 'open'],
      },
      registries: [corp],
      gates: ['touches-secrets', 'weakens-tests'],
      notify: ['team', 'releases', 'office', 'builds'],
    },
    defaults: {
      agent: { use: 'command', command: ['node', 'tools/agent.mjs'], timeout_s: 1800 },
      network: { setup: ['registries'], agent: ['model'], verifiers: [] },
    },
    install: ['claude', 'codex'],
    privateHosts: ['npm.corp.example'],
    registries: [{ ...corp, secret: 'a-token' }],
    prices: [{ model: 'gpt-5*', input: 1.25, output: 10, cached_input: 0.125, cache_write: 1.25 }],
    notify: [
      { name: 'team', to: 'slack', private: false, channel: 'C0123456789', token: 'xoxb-1' },
      { name: 'releases', to: 'slack', private: false, url: 'https://hooks.slack.example/services/1' },
      { name: 'office', to: 'teams', private: false, url: 'https://office.example.com/workflows/1' },
      {
        ...{ name: 'builds', to: 'webhook', private: true, url: 'https://builds.corp.example/hooks' },
        secret: variablesOfExample.BUILDS_SECRET,
      },
    ],
    daily: { tokens: 50_000_000, cost_usd: 100 },
    resources: { memoryBytes: 4 * 1024 ** 3, processes: 1000, cpus: 2, diskBytes: 10 * 1024 ** 3 },
  });
});

test('ten mistakes are ten problems, each with its line, what was expected, and an example', () => {
  const problems = problemsOf(`version: 2
repositorys: [acme/*]
agents: [codecs]
commands: [node]
install: [goose]
sandbox: maybe
network: { agent: [127.0.0.1] }
registries: [{ host: npm.example.com, kind: npm, token_env: PRIVATE_KEY }]
prices: [{ model: gpt-5, input: cheap }]
limits: { memory: 4 GB, minutes: 0 }
`);
  expect(problems.map(({ path, line }) => `${line} ${path}`)).toEqual([
    '1 version',
    '2 repositorys',
    '3 agents[0]',
    '4 commands[0]',
    '5 install',
    '6 sandbox',
    '7 network.agent[0]',
    '8 registries[0].token_env',
    '9 prices[0].input',
    '9 prices[0].output',
    '10 limits.minutes',
    '10 limits.memory',
  ]);
  expect(problems[1]).toMatchObject({
    expected: expect.stringMatching(/^repositories \(did you mean that\?\)/),
    example: expect.stringContaining('acme/*'),
  });
  expect(problems[4]?.expected).toBe('true, false or a list of agents that we know, such as [claude, codex]');
});

test.each([
  ['install: true', true],
  ['install: false', false],
  ['install: [codex, opencode]', ['codex', 'opencode']],
  ['', false],
])('%j says which agents may be installed', (line, install) => {
  expect(fileOf(`version: 1\n${line}\n`).install).toEqual(install);
});

test.each([
  ['defaults: { network: { verifiers: host } }', 'verifiers', 'registries, open, none'],
  ['network: { agent: [model] }\ndefaults: { network: { agent: [model, open] } }', 'agent[1]', 'model, none'],
  ['network: { setup: [] }\ndefaults: { network: { setup: a.example.com } }', 'setup', 'none'],
])('a default outside of the own bound is a problem: %s', (lines, at, allowed) => {
  const bound = `network.${at.replace('[1]', '')}`;
  const expected = `${allowed} (the bound ${bound} of this file)`;
  expect(problemsOf(`version: 1\n${lines}`)).toMatchObject([{ path: `defaults.network.${at}`, expected }]);
});

test('a default within the own bound is none, nor one beside a bound that is wrong itself', () => {
  const lines =
    'network: { verifiers: [host], agent: [open] }\ndefaults: { network: { verifiers: host, agent: model } }';
  expect(fileOf(`version: 1\n${lines}`).defaults.network).toEqual({ verifiers: ['host'], agent: ['model'] });
  const wrong = 'network: { verifiers: [hosts] }\ndefaults: { network: { verifiers: host } }';
  expect(problemsOf(`version: 1\n${wrong}`).map(({ path }) => path)).toEqual(['network.verifiers[0]']);
});

test('a token has to be in the environment, under a name that is not one of our own settings', () => {
  const registry = 'version: 1\nregistries: [{ host: npm.example.com, kind: npm, token_env: TOKEN }]';
  expect(problemsOf(registry, { TOKEN: '' })).toMatchObject([
    { path: 'registries[0].token_env', received: '"TOKEN"', line: 2 },
  ]);
  expect(fileOf(registry, { TOKEN: 'it' }).registries).toMatchObject([{ secret: 'it' }]);
  for (const ours of ['WEBHOOK_SECRET', 'PRIVATE_KEY', 'COXSWAIN_LEDGER_KEY', 'COXSWAIN_PAGE_TOKEN'])
    expect(problemsOf(registry.replace('TOKEN', ours), { [ours]: 'it' })[0]?.expected).toMatch(
      /^a variable for this token alone/,
    );
});

test('the port 443 of a registry goes without saying', () => {
  const registry =
    'version: 1\nregistries: [{ host: NPM.example.com:443, kind: npm, token_env: CORP_NPM_TOKEN }]';
  const { bounds, registries } = fileOf(registry);
  expect([bounds.registries[0]?.host, registries[0]?.host]).toEqual(['npm.example.com', 'npm.example.com']);
});

test('the value of a token is in no problem and no bound', () => {
  const { registries: _, ...rest } = fileOf(operatorExample, {
    ...variablesOfExample,
    CORP_NPM_TOKEN: 'sesame-open',
  });
  expect(JSON.stringify(rest)).not.toContain('sesame');
});

test('text that is no YAML is a problem, not an exception', () => {
  expect(problemsOf('version: [1')).toMatchObject([{ expected: expect.stringMatching(/^valid YAML/) }]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      readOperatorFile(`version: 1\n${text}`, {});
    }),
    { numRuns: 300 },
  );
});

describe('the configuration of a repository under the example', () => {
  const { bounds, defaults } = fileOf(operatorExample);
  const read = (text: string) =>
    readConfig(`version: 1\n${text}`, { path: 'p', ref: 'main' }, { bounds, defaults });

  test('gets its agent and limits where it writes nothing', () => {
    expect(read('')).toMatchObject({
      settings: {
        agent: { command: ['node', 'tools/agent.mjs'] },
        sandbox: 'required',
        limits: { minutes: 60, tokens: 5_000_000, cost_usd: 10 },
      },
    });
  });

  test('may name the token of a registry for its host only', () => {
    const named = (host: string) =>
      read(`registries: [{ host: ${host}, kind: npm, token_env: CORP_NPM_TOKEN }]`);
    expect(named('npm.corp.example').outcome).toBe('configured');
    expect(named('evil.example.org')).toMatchObject({
      outcome: 'misconfigured',
      problems: [{ path: 'registries[0].token_env', expected: expect.stringContaining('bound registries') }],
    });
  });
});

test.each([
  ['acme/api', true],
  ['ACME/Api', true],
  ['acme/secret', false],
  ['Acme/Secret', false],
  ['acme2/api', false],
  ['evil/acme', false],
  ['acme/api/x', false],
])('with the example, %s may have runs: %s', (repository, may) => {
  expect(matchesRepository(['acme/*', '!acme/secret'], repository)).toBe(may);
});

test.each([
  [['!acme/secret'], 'acme/api', true],
  [['!acme/secret', '!acme/old-*'], 'other/api', true],
  [['!acme/secret'], 'Acme/Secret', false],
  [['!acme/secret', '!acme/old-*'], 'acme/old-api', false],
  [[], 'acme/api', false],
])('where all of %j exclude, others may have runs: %s, %s', (globs, repository, may) => {
  expect(matchesRepository(globs, repository)).toBe(may);
});

import { expect, test } from 'vitest';
import { readOperatorFile } from '../../src/config/operator/read-operator-file.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';

const key = Buffer.alloc(24, 7).toString('base64');
const variables = { URL: 'https://hooks.example.org/a', TOKEN: 'xoxb-1', SECRET: `whsec_${key}` };

function read(targets: string, given: Record<string, string> = variables) {
  return readOperatorFile(`version: 1\nnotify:\n  - ${targets}\n`, given);
}

function targetOf(text: string, given?: Record<string, string>) {
  const reading = read(text, given);
  if (reading.outcome === 'invalid') throw new Error(reading.problems.map(problemText).join('\n'));
  return reading.file.notify[0];
}

function problemsOf(text: string, given?: Record<string, string>) {
  const reading = read(text, given);
  if (reading.outcome === 'read') throw new Error(`was accepted: ${text}`);
  return reading.problems;
}

test.each([
  ['{ name: a, to: slack, url_env: URL }', { to: 'slack', url: variables.URL }],
  ['{ name: a, to: slack, channel: C024BE91L, token_env: TOKEN }', { channel: 'C024BE91L', token: 'xoxb-1' }],
  ['{ name: a, to: slack, channel: "#builds", token_env: TOKEN }', { channel: '#builds', token: 'xoxb-1' }],
  ['{ name: a, to: teams, url: "https://it.example.org/?sig=1" }', { url: 'https://it.example.org/?sig=1' }],
  ['{ name: a, to: webhook, url_env: URL, secret_env: SECRET }', { to: 'webhook', secret: variables.SECRET }],
])('%s has the values of its variables', (text, target) => {
  expect(targetOf(text)).toMatchObject({ name: 'a', private: false, ...target });
});

test.each([
  ['{ name: A, to: teams, url_env: URL }', 'notify[0].name', /^a name of small letters/],
  ['{ name: a, to: mail, url_env: URL }', 'notify[0].to', /^one of slack, teams, webhook$/],
  ['{ name: a, to: teams }', 'notify[0].url_env', /^the name of a variable with the address, or `url`$/],
  ['{ name: a, to: slack }', 'notify[0].url_env', /`channel` and `token_env`$/],
  ['{ name: a, to: teams, url: "https://a.example", url_env: URL }', 'notify[0].url', /^nothing beside/],
  ['{ name: a, to: slack, url_env: URL, channel: C1 }', 'notify[0].url_env', /^nothing beside `channel`$/],
  ['{ name: a, to: slack, url_env: URL, token_env: TOKEN }', 'notify[0].url_env', /beside `token_env`$/],
  ['{ name: a, to: slack, channel: C1 }', 'notify[0].token_env', /^the name of a variable that is set/],
  ['{ name: a, to: slack, token_env: TOKEN }', 'notify[0].channel', /^the id of a channel/],
  ['{ name: a, to: teams, url_env: URL, channel: C1 }', 'notify[0].channel', /^one of name/],
  ['{ name: a, to: webhook, url_env: URL }', 'notify[0].secret_env', /^the name of a variable/],
  ['{ name: a, to: teams, url_env: COXSWAIN_URL }', 'notify[0].url_env', /for this address alone/],
  ['a', 'notify[0]', /^a mapping with `name`, `to`/],
  ['{ name: a, to: teams, url_env: OPENAI_API_KEY }', 'notify[0].url_env', /the key of a model$/],
])('%s is a problem at %s', (text, path, expected) => {
  expect(problemsOf(text)).toMatchObject([{ path, expected: expect.stringMatching(expected), line: 3 }]);
});

test.each(['URL', 'TOKEN', 'SECRET'] as const)('an unset %s is a problem with the name of it', (name) => {
  const text =
    name === 'TOKEN'
      ? '{ name: a, to: slack, channel: C1, token_env: TOKEN }'
      : '{ name: a, to: webhook, url_env: URL, secret_env: SECRET }';
  expect(problemsOf(text, { ...variables, [name]: '' })).toMatchObject([
    {
      received: `"${name}", which is not set`,
      expected: expect.stringMatching(/^the name of a variable that is set, with/),
    },
  ]);
});

test.each([
  ['http://hooks.example.org/a', false, false],
  ['http://hooks.example.org/a', true, true],
  ['https://hooks.example.org:8443/a', false, true],
  ['https://ada:sesame@hooks.example.org/a', true, false],
  ['https://10.0.0.7/a', false, false],
  ['https://10.0.0.7/a', true, true],
  ['http://builds:8080/a', true, true],
  ['https://localhost/a', false, false],
  ['https://2130706433/', false, false],
  ['https://[::1]/', false, false],
  ['ftp://hooks.example.org/a', true, false],
  ['hooks.example.org/a', true, false],
])('the address %s, private: %s, can be used: %s', (url, isPrivate, isGood) => {
  const target = (place: string) => `{ name: a, to: teams, private: ${isPrivate}, ${place} }`;
  const written = target(`url: "${url}"`);
  const named = target('url_env: URL');
  if (isGood) {
    expect(targetOf(written)).toEqual({ name: 'a', to: 'teams', private: isPrivate, url });
    expect(targetOf(named, { URL: url })).toEqual(targetOf(written));
    return;
  }
  const problems = [...problemsOf(written), ...problemsOf(named, { URL: url })];
  expect(problems.map(({ path }) => path)).toEqual(['notify[0].url', 'notify[0].url_env']);
  // It may be a secret, and problems are logged.
  expect(problems.map(problemText).join()).not.toContain(url);
});

test.each([
  [`whsec_${Buffer.alloc(24).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(64).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
  [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
  [Buffer.alloc(24).toString('base64'), false],
  [`whsec_${Buffer.alloc(25).toString('base64').replace(/=+$/, '')}`, false],
  [`whsec_${key.slice(1)}`, false],
  [`whsec_${key}\n`, false],
  ['whsec_', false],
])('the secret %j is one of Standard Webhooks: %s', (SECRET, isGood) => {
  const text = '{ name: a, to: webhook, url_env: URL, secret_env: SECRET }';
  if (isGood) {
    expect(targetOf(text, { ...variables, SECRET })).toMatchObject({ secret: SECRET });
    return;
  }
  const [problem] = problemsOf(text, { ...variables, SECRET });
  expect(problem).toMatchObject({
    path: 'notify[0].secret_env',
    received: '"SECRET", which is set to something else',
  });
  expect(problem?.expected).toContain('echo "whsec_$(openssl rand -base64 32)"');
});

test.each([
  '{ name: a, to: teams, url_env: "https://hooks.example.org/sesame" }',
  '{ name: a, to: slack, channel: C1, token_env: xoxb-1234567890-sesame }',
  '{ name: a, to: webhook, url_env: URL, secret_env: whsec_sesamesesamesesamesesamesesame }',
])('what is written instead of the name of a variable is not told: %s', (text) => {
  const [problem] = problemsOf(text);
  expect(problem).toMatchObject({ received: 'another text, which may be a secret', line: 3 });
});

test('two targets of one name are a problem, and the first one is named', () => {
  const one = '{ name: a, to: teams, url_env: URL }';
  expect(problemsOf(`${one}\n  - ${one}`)).toMatchObject([
    { path: 'notify[1].name', expected: 'a name of its own: notify[0] has the same one', line: 4 },
  ]);
});

import { describe, expect, test } from 'vitest';
import { allows, type Known, targetOf } from '../../src/network/reach/reach.ts';

const known: Known = {
  registries: ['npm.corp.example:8443'],
  privateHosts: ['npm.corp.example:8443', 'inside.corp.example'],
  modelHosts: ['models.corp.example', 'ported.corp.example:8443'],
};

/** What becomes of a CONNECT to that authority. */
function judged(authority: string, ...reach: readonly string[]): string {
  const target = targetOf(authority);
  if (target === undefined) return 'no target';
  const verdict = allows(reach, target, known);
  if (!verdict.allowed) return verdict.why;
  return verdict.private ? 'private' : 'allowed';
}

describe('a name', () => {
  test.each([
    ['example.org:443', ['example.org']],
    ['example.org:80', ['example.org']],
    ['EXAMPLE.Org.:443', ['example.org']],
    ['example.org:443', ['Example.ORG.']],
    ['example.org:8443', ['example.org:8443']],
    ['a.example.org:443', ['*.example.org']],
    ['a.b.example.org:8443', ['*.example.org:8443']],
    ['registry.npmjs.org:443', ['registries']],
    ['example.org:443', ['open']],
    ['xn--bcher-kva.example:443', ['xn--bcher-kva.example']],
  ])('that is listed is allowed: %s by %s', (authority, reach) => {
    expect(judged(authority, ...reach)).toBe('allowed');
  });

  test.each([
    ['example.org:443', []],
    ['example.org:8443', ['example.org']],
    ['example.org:443', ['example.org:8443']],
    ['example.org:443', ['*.example.org']],
    ['evilexample.org:443', ['*.example.org', 'example.org']],
    ['example.org.evil.net:443', ['example.org', '*.example.org']],
    ['a.example.org:443', ['example.org']],
    ['example.org:22', ['open']],
    ['example.org:443', ['registries', 'model', 'host']],
    ['registry.npmjs.org:443', ['model']],
    ['inside.corp.example:443', ['registries']],
  ])('that is not listed is refused: %s by %s', (authority, reach) => {
    expect(judged(authority, ...reach)).toBe('unlisted');
  });

  test.each([
    'api.anthropic.com:443',
    'API.OpenAI.com.:443',
    'eu.api.openai.com:443',
    'mine.openai.azure.com:443',
    'generativelanguage.googleapis.com:443',
    'europe-west1-aiplatform.googleapis.com:443',
    'bedrock-runtime.us-east-1.amazonaws.com:443',
    'models.corp.example:443',
    'ported.corp.example:8443',
  ])('of a model is refused, however it is listed: %s', (authority) => {
    const name = authority.split(':')[0]?.toLowerCase() ?? '';
    expect(
      judged(
        authority,
        'open',
        'model',
        name,
        authority,
        '*.azure.com',
        '*.googleapis.com',
        '*.amazonaws.com',
      ),
    ).toBe('model');
  });

  test('may lead to a private address only if the operator says so and the configuration names it', () => {
    expect(judged('npm.corp.example:8443', 'registries')).toBe('private');
    expect(judged('inside.corp.example:443', 'inside.corp.example')).toBe('private');
    expect(judged('inside.corp.example:443', 'open')).toBe('allowed');
    expect(judged('inside.corp.example:8443', 'inside.corp.example:8443')).toBe('allowed');
  });
});

test.each([
  '127.0.0.1:443',
  '127.0.0.1.:443',
  '127.1:443',
  '0:443',
  '2130706433:443',
  '0x7f000001:443',
  '0x7f.1:443',
  '0x7f.0x0.0x0.0x1:443',
  '0177.0.0.01:443',
  '8.8.8.8:443',
  '1.2.3.0x4:443',
  '[::1]:443',
  '[::ffff:127.0.0.1]:443',
  'localhost:443',
  'LOCALHOST.:443',
  'a.localhost:443',
  'metadata:443',
  'a..b:443',
  '.example.org:443',
  'example.org..:443',
  '-a.example.org:443',
  'exa%6dple.org:443',
  'ｅxample.org:443',
  `${'a.'.repeat(125)}long:443`,
])('what is no public name is refused, however it is listed: %s', (authority) => {
  const host = authority.replace(/:443$/, '');
  expect(judged(authority, 'open', host, host.toLowerCase(), '*.org', '*.0.0.1')).toBe('address');
});

test.each([
  'example.org',
  'example.org:',
  'example.org:0',
  'example.org:65536',
  'example.org:443:443',
  'example.org:http',
  'example.org:+443',
  'user@example.org:443',
  'user:pw@example.org:443',
  'http://example.org:443',
  'example.org/x:443',
  'example.org:443/x',
  'exa mple.org:443',
  '[::1:443',
  '[fe80::1%25eth0]:443',
  `${'a.'.repeat(130)}org:443`,
  '::1:443',
  '',
])('what is no host and port is no target: %j', (authority) => {
  expect(judged(authority, 'open', authority)).toBe('no target');
});

import { describe, expect, test } from 'vitest';
import type { Registry } from '../../src/network/registries/registry.ts';
import { egress, exchange, httpServer } from './egress-fixture.ts';

const secret = 'npm_0123456789abcdef';

type Listener = Parameters<typeof httpServer>[0];

/** What an egress answers to a request for a registry that answers like this. */
async function registryWith(listener: Listener, given: Partial<Registry> = {}) {
  const port = await httpServer(listener);
  const registry = {
    host: 'npm.corp.example',
    kind: 'npm',
    secret,
    upstream: `http://127.0.0.1:${port}/npm/`,
    ...given,
  } as const;
  const opened = await egress({ reach: ['registries'], registries: [registry] });
  const door = { ...opened, doors: opened.doors.slice(1) };
  return {
    port,
    egress: opened,
    get: (path: string, more = '') => exchange(door, `GET ${path} HTTP/1.0\r\n${more}\r\n`),
    send: (bytes: string) => exchange(door, bytes),
  };
}

describe('a registry with a token', () => {
  test('gets our token, and nothing of what the program says it is', async () => {
    const seen: unknown[] = [];
    const { get } = await registryWith(({ headers, url }, response) => {
      seen.push([url, headers.authorization, headers.cookie, headers['x-forwarded-host'], headers.range]);
      response.end('ok');
    });
    const more =
      'Authorization: Bearer mine\r\nCookie: a=b\r\nX-Forwarded-Host: evil\r\nRange: bytes=0-3\r\n';
    expect(await get('/npm/@corp%2fone', more)).toContain('\r\n\r\nok');
    expect(seen).toEqual([['/npm/@corp%2fone', `Bearer ${secret}`, undefined, undefined, undefined]]);
  });

  test.each([
    ['pypi', 'pypi-abcdef', `Basic ${btoa('__token__:pypi-abcdef')}`],
    ['maven', 'ada:secret', `Basic ${btoa('ada:secret')}`],
    ['cargo', 'cio-token', 'cio-token'],
    ['go', 'go-token', 'Bearer go-token'],
  ] as const)('of kind %s gets it as usual there', async (kind, token, expected) => {
    const seen: unknown[] = [];
    const listener: Listener = ({ headers }, response) => {
      seen.push(headers.authorization);
      response.end();
    };
    const { get } = await registryWith(listener, { kind, secret: token });
    await get('/npm/a');
    expect(seen).toEqual([expected]);
  });

  test.each(['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])('is not changed: %s', async (method) => {
    const { send } = await registryWith(() => expect.fail('the registry was asked'));
    expect(await send(`${method} /npm/one HTTP/1.1\r\nContent-Length: 0\r\n\r\n`)).toContain(
      '405 Method Not Allowed',
    );
  });

  test.each([
    '/',
    '/admin',
    '/npm',
    '//evil.example/npm/',
    '/npm/../admin',
    '/npm/%2e%2e/admin',
    '/npm/..%2fadmin',
    '/npm/..%2Fadmin',
    '/npm/..;/admin',
    '/npm/a%2f..%2f..%2fadmin',
    '/npm/..\\admin',
    'http://evil.example/npm/',
    'http://npm.corp.example/npm/',
    '@evil.example/npm/',
  ])('does not answer for what is not below its address: %s', async (path) => {
    const { get } = await registryWith(() => expect.fail('the registry was asked'));
    expect(await get(path)).toMatch(/^HTTP\/1.1 40[03] /);
  });

  test('is asked at its own host only, also when its path is empty', async () => {
    const port = await httpServer((_, response) => response.end('ok'));
    const hosts: unknown[] = [];
    const other = await httpServer(({ headers }, response) => {
      hosts.push(headers.authorization);
      response.end();
    });
    const registry = { host: 'npm.corp.example', secret, upstream: `http://127.0.0.1:${port}` };
    const opened = await egress({ reach: ['registries'], registries: [registry] });
    const door = { ...opened, doors: opened.doors.slice(1) };
    await exchange(door, `GET //127.0.0.1:${other}/x HTTP/1.1\r\nConnection: close\r\n\r\n`);
    expect(hosts).toEqual([]);
  });

  test('answers as it does, in whatever way it is compressed, but starts no session', async () => {
    const { get } = await registryWith((_, response) => {
      const headers = { 'content-encoding': 'gzip', 'x-more': 'yes', 'set-cookie': 'session=1' };
      response.writeHead(200, headers).end('bytes \u00ff');
    });
    const answer = await get('/npm/one.tgz');
    expect(answer).toMatch(/content-encoding: gzip\r\n/);
    expect(answer).toMatch(/x-more: yes\r\n/);
    expect(answer).toContain(Buffer.from('bytes \u00ff').toString('latin1'));
    expect(answer).not.toMatch(/set-cookie/i);
  });

  test('leads back to us where it leads to itself, and elsewhere without the token', async () => {
    const { get } = await registryWith(({ url, headers }, response) => {
      const location =
        url === '/npm/here' ? `http://${headers.host}/npm/there?x=1` : 'https://cdn.example/file.tgz';
      response.writeHead(302, { location }).end();
    });
    expect(await get('/npm/here')).toContain('location: http://127.0.0.1:3129/npm/there?x=1\r\n');
    expect(await get('/npm/away')).toContain('location: https://cdn.example/file.tgz\r\n');
  });

  test('names downloads that lead through us', async () => {
    const { get, port } = await registryWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '60' });
      response.end(`{"tarball":"http://127.0.0.1:${port}/npm/one.tgz"}`.padEnd(60));
    });
    expect(await get('/npm/one')).toContain('"tarball":"http://127.0.0.1:3129/npm/one.tgz"');
  });

  test('names them also where an address arrives in pieces', async () => {
    const { get, port } = await registryWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const index = `{"é":"https:\\/\\/127.0.0.1:${port}\\/npm","x":"http://127.0.0.1:${port}/é"}`;
      const bytes = [...Buffer.from(index)];
      const next = (): void => {
        const byte = bytes.shift();
        if (byte === undefined) response.end();
        else response.write(Buffer.from([byte]), () => setImmediate(next));
      };
      next();
    });
    const answer = Buffer.from(await get('/npm/one'), 'latin1').toString();
    expect(answer.replaceAll(/\r\n\w+\r\n/g, '')).toContain(
      '{"é":"http://127.0.0.1:3129/npm","x":"http://127.0.0.1:3129/é"}',
    );
  });

  test('that does not answer is a 502', async () => {
    const { get } = await registryWith(({ socket }) => void socket.destroy());
    expect(await get('/npm/one')).toContain('502 Bad Gateway');
    const other = await registryWith(({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    });
    expect(await other.get('/npm/one')).toContain('502 Bad Gateway');
  });

  test('is closed where programs may not reach registries, and named', async () => {
    const registry = { host: 'maven.corp.example', kind: 'maven', secret } as const;
    const closed = await egress({ reach: ['model'], registries: [registry] });
    const door = { ...closed, doors: closed.doors.slice(1) };
    const answer = await exchange(door, 'GET /one.pom HTTP/1.1\r\n\r\n');
    expect(answer).toContain('403 Blocked by Coxswain (network.verifiers)');
    expect(answer).toContain('network: { verifiers: [model, maven.corp.example] }');
    expect(closed.takeBlocked()).toEqual([{ host: 'maven.corp.example', why: 'unlisted', command: '' }]);
    const open = await egress({ reach: ['registries'], registries: [registry] });
    expect(closed.homeFiles).toEqual(open.homeFiles);
  });

  test('is not what tools ask where it is closed', async () => {
    const registry = { host: 'npm.corp.example', kind: 'npm', secret } as const;
    const closed = await egress({ reach: ['model'], registries: [registry] });
    expect(closed.environment).not.toHaveProperty('npm_config_globalconfig');
    expect(closed.environment).not.toHaveProperty('COXSWAIN_REGISTRIES');
  });

  test('for some scopes or modules is not asked for others', async () => {
    const npm = { host: 'npm.corp.example', kind: 'npm', secret } as const;
    const go = {
      host: 'go.corp.example',
      kind: 'go',
      secret,
      scopes: ['corp.example/*', 'a.example'],
    } as const;
    const registries = [{ ...npm, host: 'npm.pkg.github.com', scopes: ['@a', '@b'] }, npm, go];
    const { environment, homeFiles } = await egress({ reach: ['registries'], registries });
    expect(homeFiles['.config/coxswain/npmrc']).toBe(
      'registry=https://npm.corp.example/\n' +
        '@a:registry=https://npm.pkg.github.com/\n@b:registry=https://npm.pkg.github.com/\n',
    );
    expect(environment).toMatchObject({
      npm_config_globalconfig: '/home/coxswain/.config/coxswain/npmrc',
      BUN_CONFIG_REGISTRY: 'http://127.0.0.1:3130/',
      YARN_NPM_REGISTRY_SERVER: 'https://npm.corp.example',
      GONOSUMDB: 'corp.example/*,a.example',
    });
  });

  test('has a token that can be sent', async () => {
    const registry = { host: 'npm.corp.example', secret: 'a\nb' };
    const opening = egress({ reach: ['registries'], registries: [registry] });
    await expect(opening).rejects.toThrow(
      'the token for npm.corp.example has a character that no request may have',
    );
  });
});

describe('without a sandbox', () => {
  test('there is no proxy, and a registry answers only who knows the attempt', async () => {
    const port = await httpServer((_, response) => response.end('ok'));
    const upstream = `http://127.0.0.1:${port}/`;
    const registries = [
      { host: 'npm.corp.example', kind: 'npm', secret, upstream },
      { host: 'go.corp.example', kind: 'go', secret, upstream },
    ] as const;
    const opened = await egress({ reach: ['registries'], registries, loopback: true });
    expect(opened.doors).toEqual([]);
    const { BUN_CONFIG_REGISTRY: npm = '', GOPROXY: go = '', ...rest } = opened.environment;
    expect(Object.keys(rest).filter((name) => /proxy/i.test(name))).toEqual([]);
    const [, token = ''] = /_authToken=(\w{32})\n/.exec(opened.homeFiles['.npmrc'] ?? '') ?? [];
    expect((await fetch(npm)).status).toBe(401);
    expect((await fetch(npm, { headers: { authorization: `Bearer ${token}x` } })).status).toBe(401);
    expect((await fetch(npm, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    const [address = ''] = go.split(',');
    expect((await fetch(`${address}/x`)).status).toBe(200);
    expect((await fetch(new URL('/x', address))).status).toBe(401);
    expect((await fetch(opened.origin, { method: 'POST' })).status).toBe(404);
  });
});

import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { HookResult } from '@coxswain/forge';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { Identity } from '../../src/doors/callers/identity.ts';
import { type AppFixture, startAppFixture } from '../app/app-fixture.ts';
import { eventually } from '../app/eventually.ts';
import type { PullClient } from '../app/pull-client.ts';
import { type Client, clientOf } from './client.ts';

let fixture: AppFixture;
let pull: PullClient;
let at: { owner: string; repo: string; number: number };
let ada: Client;
/** Whether a request is to the end of this path, or fits. */
function isAt(path: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? path.endsWith(wanted) : wanted.test(path);
}

/** What GitHub answers in place of itself to a person who asks for a repository; undefined: what it is. */
let inPlace: { path: string | RegExp; answer: HookResult | Promise<HookResult> } | undefined;
/** Whether the App is kept from finding what webhooks did not tell it. */
let deaf = false;
/** Whether nothing can be fetched. */
let withoutGit = false;
/** A person who may see nothing. */
let eve = '';

beforeAll(async () => {
  fixture = await startAppFixture({
    onRequest: async ({ kind, method, path }, next) => {
      if (withoutGit && kind === 'git') return 'drop';
      if (deaf && method === 'GET' && /\/hook\/deliveries|\/comments/.test(path)) return 'drop';
      return inPlace !== undefined && isAt(path, inPlace.path) ? inPlace.answer : next();
    },
  });
  const { seed } = fixture.forge;
  eve = seed.addUser('eve');
  await seed.addRepository({ owner: 'acme', name: 'secret', private: true, files: { 'README.md': 'x\n' } });
  await seed.addRepository({ owner: 'acme', name: 'open', files: { 'README.md': 'x\n' } });
  pull = await fixture.ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  at = { owner: 'acme', repo: 'widgets', number: pull.number };
  ada = await clientOf(fixture.app.url, fixture.ada.token);
});
beforeEach(() => {
  inPlace = undefined;
});
afterAll(async () => {
  const tokens = [...Object.values(fixture.accounts.tokens), eve];
  const told = tokens.filter((token) => fixture.app.output().includes(token));
  await fixture.end();
  expect(told).toEqual([]);
});

const run = (number: number | string = pull.number, repo = 'acme/widgets') =>
  `/api/v1/runs/${repo}/${number}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function github(status: number, body: object, headers: Record<string, string> = {}): HookResult {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Sends a request as it is, with a path that nobody tidies up. */
async function send(
  path: string,
  { method = 'GET', headers = bearer(fixture.ada.token), body = '' }: Sent = {},
) {
  const { hostname, port } = new URL(fixture.app.url);
  const sent = request({ hostname, port, path, method, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

interface Sent {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

describe('whoever', () => {
  test.each<[string, OutgoingHttpHeaders, number]>([
    ['has no token', {}, 401],
    ['has a password', { authorization: 'Basic YWRhOnNlY3JldA==' }, 401],
    ['has half a header', { authorization: 'Bearer' }, 401],
    ['has words after the token', { authorization: 'Bearer abc def' }, 401],
    ['has two tokens', { AUTHORIZATION: ['Bearer abc', 'Bearer def'] }, 401],
    ['has a token that GitHub does not know', bearer('ghp_0123456789abcdef'), 401],
    ['has a very long token', bearer('a'.repeat(1025)), 401],
    ['has the token of an installation', bearer('ghs_0123456789abcdef'), 403],
  ])('%s is refused', async (_, headers, status) => {
    const answer = await send('/api/v1/inbox', { headers });
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer realm="Coxswain"');
    expect(JSON.parse(answer.text)).toMatchObject({ type: 'about:blank', status, instance: '/api/v1/inbox' });
    expect(answer.text).not.toMatch(/0123456789abcdef|\bat \S+\.ts|node_modules/);
  });

  test('is a bot is refused', async () => {
    inPlace = { path: '/user', answer: github(200, { login: 'robot[bot]', id: 99, type: 'Bot' }) };
    expect((await send('/api/v1/inbox', { headers: bearer('ghp_of_a_bot') })).status).toBe(403);
  });

  test('may not read a repository cannot tell it from one that is not there, or has no run', async () => {
    const paths = [run(1, 'acme/secret'), run(1, 'acme/nothing'), run(1, 'acme/open'), run(999)];
    const answers = await Promise.all(paths.map((path) => send(path, { headers: bearer(eve) })));
    const told = answers.map(({ status, text }) => [status, JSON.parse(text).detail]);
    expect(new Set(told.map(String)).size).toBe(1);
    expect(told[0]?.[0]).toBe(404);
  });

  test('is blocked by a single sign-on is told where to do that', async () => {
    const url = 'https://github.example/orgs/acme/sso?authorization_request=A1';
    const body = { message: 'Resource protected by organization SAML enforcement.' };
    const headers = { 'x-github-sso': `required; url=${url}` };
    inPlace = { path: /\/user\/repos|\/repos\/acme\/widgets$/, answer: github(403, body, headers) };
    const { headers: auth } = { headers: bearer(fixture.bob.token) };
    const one = await send(run(), { headers: auth });
    expect({ status: one.status, detail: JSON.parse(one.text).detail }).toEqual({
      status: 403,
      detail: `The organization asks for its single sign-on first: open ${url}`,
    });
    const list = await send('/api/v1/inbox', { headers: auth });
    expect(JSON.parse(list.text)).toMatchObject({ runs: [], blocked_by_sso: [url] });
  });

  test('asks GitHub too often is told when to ask again', async () => {
    const headers = { 'retry-after': '30' };
    inPlace = { path: '/user', answer: github(429, { message: 'slow down' }, headers) };
    const { status, headers: given } = await send('/api/v1/inbox', { headers: bearer('ghp_too_often') });
    expect([status, given['retry-after']]).toEqual([429, '30']);
  });

  test('has one of many unknown tokens waits for the others, and those who are known do not', async () => {
    expect((await send('/api/v1/inbox')).status).toBe(200);
    let release = (_: HookResult) => {};
    const answer = new Promise<HookResult>((resolve) => {
      release = resolve;
    });
    inPlace = { path: '/user', answer };
    const unknown = (nth: number) => send('/api/v1/inbox', { headers: bearer(`ghp_unknown_${nth}`) });
    const first = Array.from({ length: 20 }, (_, nth) => unknown(nth));
    const { status, headers } = await eventually('one too many', async () => {
      const more = await Promise.race([unknown(20 + Math.random()), setTimeout(200)]);
      return more?.status === 503 ? more : undefined;
    });
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    expect((await send('/api/v1/inbox')).status).toBe(200);
    release(github(401, { message: 'Bad credentials' }));
    expect((await Promise.all(first)).map((each) => each.status)).toContain(401);
  });

  test('asks while GitHub fails is told that it fails', async () => {
    inPlace = { path: '/user', answer: github(503, { message: 'unicorn' }) };
    const { status, headers, text } = await send('/api/v1/inbox', { headers: bearer('ghp_while_down') });
    expect([status, headers['retry-after']]).toEqual([502, '5']);
    expect(text).not.toContain('unicorn');
  });
});

describe('a request', () => {
  test.each(
    [
      ...[run('0'), run('-1'), run('007'), run('0x7'), run('7e0'), run('99999999999'), run('%37%00')],
      ...[
        run(7, '..%2Facme/widgets'),
        run(7, 'acme/..'),
        run(7, 'acme/%2e%2e'),
        run(7, 'acme/widgets%2f7'),
        run(7, 'acme/w%C3%AF'),
      ],
      ...['/api/v1', '/api/v1/', '/api/v1/nothing', '/api/v1//inbox', '/api/v1/runs/acme'],
    ].map((path) => [path]),
  )('for %s finds nothing', async (path) => {
    const { status, text, headers } = await send(path);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(text)).toMatchObject({ title: 'Not Found', status: 404 });
  });

  test('to another host name that points here is refused', async () => {
    const { status, text } = await send('/api/v1/inbox', {
      headers: { ...bearer(fixture.ada.token), host: 'evil.example' },
    });
    expect([status, JSON.parse(text).detail]).toEqual([421, `This API is served at ${fixture.app.url}.`]);
  });

  test.each([
    ['DELETE', 'GET, HEAD', ''],
    ['POST', 'GET, HEAD', '/diff'],
    ['OPTIONS', 'POST', '/steer'],
    ['GET', 'POST', '/approve'],
  ])('with %s is told to use %s', async (method, allow, path) => {
    const { status, headers } = await send(`${run()}${path}`, { method });
    expect([status, headers.allow]).toEqual([405, allow]);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('is answered with headers that keep it from being kept or framed', async () => {
    const { headers } = await send('/api/v1/inbox');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  });
});

describe('a body', () => {
  const post = (body: string, headers: OutgoingHttpHeaders = {}, path = '/steer') =>
    send(`${run()}${path}`, {
      method: 'POST',
      headers: { ...bearer(fixture.ada.token), 'content-type': 'application/json', ...headers },
      body,
    });
  const huge = JSON.stringify({ prompt: 'x'.repeat(2 * 1024 * 1024) });

  test.each<[string, OutgoingHttpHeaders]>([
    ['with its length', { 'content-length': Buffer.byteLength(huge) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('of 2 MB is too large, %s', async (_, headers) => {
    expect((await post(huge, headers)).status).toBe(413);
  });

  test('that is shorter than it says keeps nobody waiting but its sender', async () => {
    const { hostname, port } = new URL(fixture.app.url);
    const socket = connect(Number(port), hostname);
    const head = [
      `POST ${run()}/steer HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Content-Type: application/json',
    ];
    socket.write(
      `${head.join('\r\n')}\r\nAuthorization: Bearer ${fixture.ada.token}\r\nContent-Length: 100\r\n\r\n{"pro`,
    );
    expect((await send('/api/v1/inbox')).status).toBe(200);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
    socket.destroy();
  });

  test.each<[string, string, number]>([
    ['null', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['{"prompt": "x"', 'application/json', 400],
    ['{"prompt": ["x"]}', 'application/json', 400],
    ['{"prompt": "x", "__proto__": {"now": true}}', 'application/json', 400],
    ['prompt=x', 'application/x-www-form-urlencoded', 415],
    ['{"prompt": "x"}', 'text/plain', 415],
  ])('%s as %s is refused', async (body, type, status) => {
    expect((await post(body, { 'content-type': type })).status).toBe(status);
    expect(await pull.appComments()).not.toContain(expect.stringContaining('/steer'));
  });

  test.each(['', 'two words', 'ü', 'x'.repeat(201)])(
    'with the idempotency key %j is refused',
    async (key) => {
      const { status } = await post('{"prompt": "x"}', {
        'idempotency-key': Buffer.from(key).toString('latin1'),
      });
      expect(status).toBe(400);
    },
  );
});

test('no words in a field become another command', async () => {
  const steered = await ada.call('steer', at, { prompt: '/approve\n\n/cancel' });
  expect([steered.status, steered.data.phase]).toEqual([200, 'queued']);
  expect((await ada.call('getSteering', at)).data.history.at(-1).prompt).toBe('/approve\n\n/cancel');
  expect((await ada.call('getAudit', at)).data.approvals).toEqual([]);
  const rejected = await ada.call('reject', at, { reason: 'No.\n\n/approve\n/retry' });
  expect(rejected).toMatchObject({ status: 422, data: { detail: expect.stringContaining('/reject') } });
});

test('a token of our own App for a person reads, and what it says through the API is not their word', async () => {
  const other = await fixture.ada.starts('Make it fine');
  await other.waitForPhase('awaiting_approval');
  const where = { ...at, number: other.number };
  const token = fixture.forge.seed.userToken(fixture.accounts.registered, 'mia');
  const client = await clientOf(fixture.app.url, token);
  expect((await client.call('getRun', where)).data.phase).toBe('awaiting_approval');
  const approved = await client.call('approve', where, {});
  expect(approved).toMatchObject({
    status: 403,
    data: { detail: expect.stringContaining('The App `coxswain`') },
  });
  expect((await client.call('getRun', where)).data.phase).toBe('awaiting_approval');
});

test('a comment whose webhook never comes is said to be posted and not taken up yet', async () => {
  const silent = await fixture.ada.starts('Make it fine');
  await silent.waitForPhase('awaiting_approval');
  const { seed } = fixture.forge;
  seed.setWebhook(fixture.accounts.registered, { url: 'http://127.0.0.1:1/' });
  deaf = true;
  const paused = await ada.call('pause', { ...at, number: silent.number });
  deaf = false;
  seed.setWebhook(fixture.accounts.registered, { url: `${fixture.app.url}${webhookPath}` });
  expect(paused).toMatchObject({
    status: 202,
    data: { status: 'posted', posted: true, awaited: 'Coxswain has not taken it up yet.' },
  });
  expect(paused.data.comment_url).toMatch(/#issuecomment-\d+$/);
});

test('a run whose repository was moved is found by its old name, and told by its new one', async () => {
  const { data } = await fixture.ada.octokit.rest.repos.get({ owner: 'acme', repo: 'widgets' });
  const moved = { ...data, name: 'gadgets', full_name: 'acme/gadgets' };
  inPlace = { path: /\/user\/repos/, answer: github(200, [moved]) };
  const list = await send('/api/v1/runs', { headers: bearer(fixture.mia.token) });
  expect(JSON.parse(list.text).runs[0].run).toMatch(/^acme\/gadgets#\d+$/);
});

test('a run that cannot be read just now is not taken for one that is not there', async () => {
  await fixture.app.stop();
  withoutGit = true;
  await fixture.start();
  const { status, headers, text } = await send(run());
  withoutGit = false;
  expect({ status, again: headers['retry-after'], text }).toMatchObject({ status: 503, again: '5' });
  expect(text).not.toMatch(/127\.0\.0\.1|ls-remote/);
});

test('a repository that took the name of another one shows nothing of it', async () => {
  const { data } = await fixture.ada.octokit.rest.repos.get({ owner: 'acme', repo: 'open' });
  const renamed = { ...data, name: 'widgets', full_name: 'acme/widgets' };
  inPlace = { path: '/repos/acme/widgets', answer: github(200, renamed) };
  const identity = new Identity(fixture.forge.apiUrl);
  const caller = await identity.callerOf(fixture.ada.token);
  const known = await identity.readable(caller, 'acme', 'open');
  expect(await identity.mayStillRead(caller, known)).toBe(true);
  const former = { ...known, repository: { ...known.repository, id: known.repository.id + 1 } };
  expect(await identity.mayStillRead(caller, former)).toBe(false);
  const headers = bearer(eve);
  for (const path of ['/api/v1/runs', '/api/v1/inbox'])
    expect(JSON.parse((await send(path, { headers })).text)).toMatchObject({ runs: [], next: null });
  expect((await send(run(), { headers })).status).toBe(404);
});

import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ask, dummyKey, fixture, questions, realKeys } from './model-fixture.ts';

const { path, body } = questions.messages;
const text = JSON.stringify(body);

/** What a server answers to these bytes, until it closes or has answered so often. */
function raw(origin: string, bytes: string, answers = 1): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk;
      if (seen.split('HTTP/1.1 ').length > answers) socket.end();
    });
    socket.on('close', () => resolve(seen));
    socket.on('error', reject);
  });
}

const head = `Host: a\r\nx-api-key: ${dummyKey}\r\ncontent-type: application/json\r\n`;

describe('an address', () => {
  test.each([
    '/api.anthropic.com/v1/files',
    '/api.anthropic.com/v1/messages/batches',
    '/api.anthropic.com/v1/messages/',
    '/api.anthropic.com//v1/messages',
    '//api.anthropic.com/v1/messages',
    '/api.anthropic.com/v1/messages/../files',
    '/api.anthropic.com/../files',
    '/api.anthropic.com/./v1/messages',
    '/api.anthropic.com/v1/messages%2f..%2ffiles',
    '/api.anthropic.com/v1/%6dessages',
    '/api.anthropic.com/v1/messages;a=b',
    '/api.anthropic.com\\v1\\messages',
    '/api.anthropic.com@evil.example/v1/messages',
    '/API.anthropic.com/v1/messages',
    '/api.anthropic.com.evil.example/v1/messages',
    '/evil.example/v1/messages',
    '/api.openai.com/v1/files',
    '/api.openai.com/v1/batches',
    '/api.openai.com/v1/responses/resp_1/cancel',
    '/api.openai.com/v1/conversations',
    '/generativelanguage.googleapis.com/v1beta/models/a:batchGenerateContent',
    '/generativelanguage.googleapis.com/v1beta/models/a:predict',
    '/generativelanguage.googleapis.com/v1beta/cachedContents',
    '/generativelanguage.googleapis.com/upload/v1beta/files',
    '/generativelanguage.googleapis.com/v1beta/tunedModels/a:generateContent',
    '/',
    '*',
    'http://api.anthropic.com/v1/messages',
  ])('that is none for inference is not asked: %s', async (address) => {
    const { origin, model } = await fixture();
    const answer = await raw(
      origin,
      `POST ${address} HTTP/1.1\r\n${head}content-length: ${text.length}\r\n\r\n${text}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 40[04] /);
    expect(model.requests).toEqual([]);
  });

  test.each(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'GET'])('is not asked with %s', async (method) => {
    const { origin, model } = await fixture();
    const { status } = await ask(origin, path, { method });
    expect([status, model.requests]).toEqual([404, []]);
  });

  test.each([
    'fields=candidates',
    '$alt=sse',
    'alt=proto',
    'key2=a',
    'access_token=a',
    'beta=true%26x',
    'constructor=a',
  ])('has no parameters that change what is counted, or who pays: %s', async (query) => {
    const { origin, model } = await fixture();
    const { status } = await ask(origin, `${questions.gemini.path}?${query}`, {
      body: questions.gemini.body,
    });
    expect([status, model.requests]).toEqual([403, []]);
  });

  test('may carry the agent’s key as Gemini’s clients send it; it is not passed on', async () => {
    const { origin, model } = await fixture();
    const asked = { body: questions.gemini.body, headers: { 'x-api-key': '' } };
    const { status } = await ask(origin, `${questions.gemini.path}?key=${dummyKey}`, asked);
    expect(status).toBe(200);
    expect(model.requests[0]?.path).toBe('/v1beta/models/gemini-2.5-pro:generateContent');
  });
});

describe('a request that two servers could read differently', () => {
  test.each([
    ['two lengths', `content-length: ${text.length}\r\ncontent-length: 5\r\n\r\n${text}`],
    ['a length and chunks', `content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a length that is none', `content-length: +5\r\n\r\n${text}`],
    ['a header with a line break', `x-app: a\nx-goog-api-key: b\r\n\r\n`],
  ])('is not asked: %s', async (_, rest) => {
    const { origin, model } = await fixture();
    const answer = await raw(origin, `POST ${path} HTTP/1.1\r\n${head}${rest}`);
    expect(answer).toMatch(/^(?:HTTP\/1.1 4\d\d |$)/);
    expect(model.requests).toEqual([]);
  });

  test('arrives as we understood it: of two keys of the same name the last', async () => {
    const { origin, model } = await fixture();
    const twice = `${text.slice(0, -1)},"tools":[{"type":"web_search_20250305"}],"tools":[]}`;
    expect((await ask(origin, path, { raw: twice })).status).toBe(200);
    expect(model.requests[0]?.text).not.toContain('web_search');
  });

  test.each([
    ['a second body behind the first', `${text}{"tools":[]}`],
    ['a list', '[]'],
    ['no JSON', 'model=a'],
    [
      'bytes that are not UTF-8',
      Buffer.from([...Buffer.from('{"model":"'), 0xc3, 0x28, ...Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['100,000 lists in each other', `{"model":"a","messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('has a body of JSON: %s', async (_, sent) => {
    const { origin, model } = await fixture();
    const { status } = await ask(origin, path, { raw: sent });
    expect([status, model.requests]).toEqual([400, []]);
  });

  test.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/json; charset=utf-7' }],
    [{ 'content-type': 'multipart/form-data; boundary=a' }],
    [{ 'content-encoding': 'br' }],
    [{ 'content-encoding': 'gzip, gzip' }],
  ])('says what its body is: %j', async (headers) => {
    const { origin, model } = await fixture();
    const { status } = await ask(origin, path, { body, headers });
    expect([status, model.requests]).toEqual([415, []]);
  });

  test('may be compressed, but not to become larger than others', async () => {
    const { origin, model } = await fixture({ endpoint: { limits: { maxBytes: 100_000 } } });
    const headers = { 'content-encoding': 'gzip' };
    expect((await ask(origin, path, { raw: gzipSync(text), headers })).status).toBe(200);
    expect(model.requests[0]?.body).toEqual(body);
    const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));
    expect((await ask(origin, path, { raw: bomb, headers })).status).toBe(413);
  });

  test.each(['', 'a\nb', '**bold**', '<img>', 'x'.repeat(300), 5])(
    'has a model whose name can be shown to people: %j',
    async (name) => {
      const { origin, model } = await fixture();
      const { status } = await ask(origin, path, { body: { ...body, model: name } });
      expect([status, model.requests]).toEqual([400, []]);
    },
  );

  test('is not upgraded', async () => {
    const { origin, model } = await fixture();
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: a\r\n\r\n';
    const answer = await raw(origin, `GET /api.openai.com/v1/responses HTTP/1.1\r\n${head}${upgrade}`);
    expect(answer).toMatch(/^HTTP\/1.1 426 /);
    expect(model.requests).toEqual([]);
  });

  test('may wait for our consent before it sends its body', async () => {
    const { origin, model } = await fixture();
    const headers = `content-length: ${text.length}\r\nexpect: 100-continue\r\n\r\n`;
    const answer = await raw(origin, `POST ${path} HTTP/1.1\r\n${head}${headers}${text}`, 2);
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    expect(model.requests).toHaveLength(1);
  });
});

describe('headers', () => {
  test('that say who pays, or what comes back, are ours alone', async () => {
    const { origin, model } = await fixture();
    const headers = {
      authorization: 'Bearer attacker',
      'x-api-key': dummyKey,
      'x-goog-api-key': 'attacker',
      'proxy-authorization': 'Basic attacker',
      cookie: 'attacker',
      'openai-organization': 'attacker',
      'openai-project': 'attacker',
      'x-goog-fieldmask': 'attacker',
      'x-goog-user-project': 'attacker',
      'x-http-method-override': 'DELETE',
      'x-forwarded-host': 'attacker',
      'accept-encoding': 'gzip',
      host: 'attacker',
    };
    await ask(origin, path, { body, headers });
    const sent = model.requests[0]?.headers ?? {};
    expect(JSON.stringify(sent)).not.toMatch(/attacker|DELETE/);
    expect(sent).toMatchObject({ 'x-api-key': realKeys.ANTHROPIC_API_KEY, 'accept-encoding': 'identity' });
    expect(sent.authorization).toBeUndefined();
  });

  test('with a key in each of the usual places open the endpoint, and no other', async () => {
    const { origin } = await fixture();
    const statusWith = async (headers: Record<string, string>) =>
      (await ask(origin, path, { body, headers: { 'x-api-key': '', ...headers } })).status;
    expect(await statusWith({ authorization: `Bearer ${dummyKey}` })).toBe(200);
    expect(await statusWith({ 'x-goog-api-key': dummyKey })).toBe(200);
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: dummyKey })).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${dummyKey}0` })).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${realKeys.ANTHROPIC_API_KEY}` })).toBe(401);
    expect(await statusWith({ 'x-key': dummyKey })).toBe(401);
  });
});

import type { AddressInfo } from 'node:net';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../app/eventually.ts';
import {
  ask,
  dummyKey,
  fixture,
  listening,
  providersAt,
  questions,
  realKeys,
  streams,
} from './model-fixture.ts';

const { path, body } = streams.messages;

/** A client that can go away, or stop reading. */
function client(origin: string, sent: object, at = path): Promise<{ socket: Socket; text(): string }> {
  const { port } = new URL(origin);
  const text = JSON.stringify(sent);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let seen = '';
  socket.on('data', (chunk) => {
    seen += chunk;
  });
  socket.on('error', () => {});
  socket.write(
    `POST ${at} HTTP/1.1\r\nhost: a\r\nx-api-key: ${dummyKey}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  return Promise.resolve({ socket, text: () => seen });
}

describe('what a provider answers', () => {
  test.each([429, 500, 503, 529])('with %i is passed on, and costs nothing', async (status) => {
    const fault = { status, headers: { 'retry-after': '7', 'anthropic-ratelimit-tokens-remaining': '0' } };
    const { origin, budget } = await fixture({ model: { fault: () => fault } });
    const answer = await ask(origin, path, { body });
    expect([answer.status, answer.headers['retry-after']]).toEqual([status, '7']);
    expect(answer.headers['anthropic-ratelimit-tokens-remaining']).toBe('0');
    expect(answer.text).toBe(`{"error":{"message":"status ${status}"}}`);
    expect(budget.spent().tokens).toBe(0);
  });

  test('may not show a key, in no header and no text', async () => {
    const key = realKeys.ANTHROPIC_API_KEY;
    const fault = {
      status: 401,
      headers: { 'x-echo': `key ${key}`, 'set-cookie': 'a=b', 'content-type': 'application/json' },
      body: JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }),
    };
    const { origin } = await fixture({ model: { fault: () => fault } });
    const answer = await ask(origin, path, { body });
    expect(JSON.stringify(answer)).not.toContain(key);
    expect(answer.text).toBe(fault.body.replace(key, '*'.repeat(key.length)));
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('may not show a key that it writes byte by byte', async () => {
    const text = `The key is ${realKeys.OPENAI_API_KEY}, and that of another is ${realKeys.ANTHROPIC_API_KEY}.`;
    const { origin } = await fixture({ model: { script: [{ text }], chunkBytes: 1 } });
    const answer = await ask(origin, path, { body });
    expect(answer.text).toContain('The key is ****');
    expect(answer.text).not.toMatch(/sk-(?:ant|proj)/);
  });

  test.each([301, 302, 307, 308])('as a redirect is not followed, and not passed on: %i', async (status) => {
    let asked = 0;
    const elsewhere = await listening((_, response) => {
      asked++;
      response.end();
    });
    const fault = { status, headers: { location: `${elsewhere}/v1/messages` } };
    const { origin, budget } = await fixture({ model: { fault: () => fault } });
    const answer = await ask(origin, path, { body });
    expect([answer.status, answer.headers.location, asked]).toEqual([502, undefined, 0]);
    expect(budget.spent().tokens).toBe(0);
  });

  test('in an encoding that nobody asked for is refused, and counted', async () => {
    const { origin, budget } = await fixture({ model: { headers: { 'content-encoding': 'gzip' } } });
    expect((await ask(origin, path, { body })).status).toBe(502);
    expect(budget.spent()).toMatchObject({ estimated: true });
    expect(budget.spent().tokens).toBeGreaterThan(0);
  });

  test('that breaks off breaks off for the client too, and counts by what was seen', async () => {
    const { origin, budget } = await fixture({
      model: { fault: () => 'half', script: [{ text: 'x'.repeat(4000) }] },
    });
    const answer = await ask(origin, path, { body });
    expect([answer.status, answer.complete]).toEqual([200, false]);
    const { tokens, estimated } = await eventually('the request is counted', () =>
      budget.spent().tokens > 0 ? budget.spent() : undefined,
    );
    expect([tokens > 1400, estimated]).toEqual([true, true]);
  });

  test('not at all counts by what the model was given to read', async () => {
    const { origin, budget } = await fixture({ model: { fault: () => 'reset' } });
    const answer = await ask(origin, path, { body });
    expect(answer.status).toBe(502);
    expect(answer.text).toContain('Coxswain: api.anthropic.com could not be reached');
    expect(budget.spent()).toMatchObject({ estimated: true });
    expect(budget.spent().tokens).toBeGreaterThan(0);
  });

  test('arrives as soon as it is written', async () => {
    const { origin, model } = await fixture({ model: { fault: () => 'stall' } });
    const { text } = await client(origin, body);
    await eventually('the first half of the answer', () => text().includes('message_start') || undefined);
    expect(model.pending()).toBe(1);
    model.proceed();
    await eventually('the rest', () => text().includes('message_stop') || undefined);
  });
});

describe('a provider that cannot be reached', () => {
  test('is named, and costs nothing', async () => {
    const { origin, budget } = await fixture({ endpoint: { providers: providersAt('http://127.0.0.1:9') } });
    const answer = await ask(origin, path, { body });
    expect([answer.status, budget.spent().tokens]).toEqual([502, 0]);
    expect(JSON.parse(answer.text)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(answer.text).toContain('api.anthropic.com could not be reached: ECONNREFUSED');
    expect(answer.text).not.toContain('127.0.0.1');
  });

  test('because it accepts connections and says nothing, is given up', async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo; // a server on TCP
    const endpoint = { providers: providersAt(`https://127.0.0.1:${port}`), limits: { connectMs: 100 } };
    const { origin } = await fixture({ endpoint });
    const answer = await ask(origin, path, { body });
    expect(answer.text).toContain('no connection within 0.1 s');
  });

  test('because it takes a request and does not answer, is given up, and counted', async () => {
    const { origin, budget } = await fixture({
      model: { fault: () => 'slow' },
      endpoint: { limits: { idleMs: 100 } },
    });
    const answer = await ask(origin, path, { body });
    expect(answer.text).toContain('no answer within 0.1 s');
    expect(budget.spent().estimated).toBe(true);
  });
});

describe('a client that goes away', () => {
  test('in the middle of an answer still pays for all of it', async () => {
    const { origin, model, budget } = await fixture({ model: { fault: () => 'stall' } });
    const { socket, text } = await client(origin, body);
    await eventually('the beginning', () => text().includes('message_start') || undefined);
    socket.destroy();
    await eventually('the client is gone', () => socket.closed || undefined);
    model.proceed();
    const spent = await eventually('all of it is counted', () =>
      budget.spent().tokens > 0 ? budget.spent() : undefined,
    );
    expect(spent).toMatchObject({ tokens: 1050, estimated: false });
  });

  test('before the answer begins pays for it too', async () => {
    const { origin, model, budget } = await fixture({ model: { fault: () => 'slow' } });
    const { socket } = await client(origin, body);
    await eventually('the model is asked', () => model.requests[0]);
    socket.destroy();
    model.proceed();
    const spent = await eventually('it is counted', () =>
      budget.spent().tokens > 0 ? budget.spent() : undefined,
    );
    expect(spent).toMatchObject({ tokens: 1050, estimated: false });
  });

  test.each(['stall', 'slow'] as const)(
    'pays by an estimate if the rest takes too long: %s',
    async (fault) => {
      const { origin, model, budget } = await fixture({
        model: { fault: () => fault },
        endpoint: { limits: { readOnMs: 50 } },
      });
      const { socket } = await client(origin, body);
      await eventually('the model is asked', () => model.requests[0]);
      socket.destroy();
      const spent = await eventually('it is counted', () =>
        budget.spent().tokens > 0 ? budget.spent() : undefined,
      );
      expect(spent.estimated).toBe(true);
      await eventually('the model is left', () => (model.pending() === 0 ? true : undefined));
    },
  );

  test('before its whole body came costs nothing, and frees its place', async () => {
    const { origin, model, budget } = await fixture({ endpoint: { limits: { atOnce: 1 } } });
    const { port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${dummyKey}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
    );
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    expect((await ask(origin, path, { body })).status).toBe(200);
    expect([model.requests.length, budget.spent().tokens]).toEqual([1, 1050]);
  });

  test('and one that waits with half a body is refused in the end', async () => {
    const { origin, model } = await fixture({ endpoint: { limits: { atOnce: 1, bodyMs: 100 } } });
    const { port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk;
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${dummyKey}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
    );
    await eventually('a refusal', () => seen.includes('did not arrive in time') || undefined);
    expect((await ask(origin, path, { body })).status).toBe(200);
    expect(model.requests).toHaveLength(1);
  });

  test('and one whose body comes byte by byte is refused, because each byte would cost more than that', async () => {
    const { origin, model } = await fixture();
    const { port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk;
    });
    const headers = `host: a\r\nx-api-key: ${dummyKey}\r\ncontent-type: application/json\r\n`;
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}transfer-encoding: chunked\r\n\r\n`);
    socket.write('1\r\n \r\n'.repeat(5_000));
    await eventually('a refusal', () => seen.includes('too many small pieces') || undefined);
    expect(seen).toMatch(/^HTTP\/1\.1 413 /);
    expect(model.requests).toEqual([]);
  });

  test('that does not read keeps the provider waiting, not our memory', async () => {
    const text = 'x'.repeat(40 * 1024 * 1024);
    const { origin, model, budget } = await fixture({
      model: { script: [{ text }], chunkBytes: 65_536 },
      endpoint: { limits: { idleMs: 2000 } },
    });
    const { socket } = await client(origin, body);
    socket.pause();
    await eventually('the model is asked', () => model.requests[0]);
    // It gives up on a client that does not read, and reads on for itself.
    const spent = await eventually('it is counted', () =>
      budget.spent().tokens > 0 ? budget.spent() : undefined,
    );
    expect(spent).toMatchObject({ tokens: 1050, estimated: false });
  });
});

describe('a crowd', () => {
  test('of 1,000 requests is asked a few at a time, and each is counted once', async () => {
    let [atOnce, most] = [0, 0];
    const { origin, model, budget } = await fixture({
      model: {
        fault: () => {
          most = Math.max(most, ++atOnce);
          setImmediate(() => atOnce--);
          return undefined;
        },
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 1000 }, () => ask(origin, questions.chat.path, { body: questions.chat.body })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1000);
    expect(model.requests).toHaveLength(1000);
    expect(most).toBeLessThanOrEqual(16);
    expect(budget.spent().tokens).toBe(1050 * 1000);
  });

  test('of large bodies is held in bounds', async () => {
    const endpoint = { limits: { maxBytes: 1_000_000, maxBytesTogether: 2_000_000 } };
    const { origin, model } = await fixture({
      model: { fault: ({ method }) => (method === 'GET' ? undefined : 'slow') },
      endpoint,
    });
    const large = { ...body, messages: [{ role: 'user', content: 'x'.repeat(900_000) }] };
    const asked = Array.from({ length: 6 }, () => ask(origin, path, { body: large }));
    await eventually('two are sent', () => (model.requests.length === 2 ? true : undefined));
    // A small one waits too: in the order in which they came, none waits for ever.
    asked.push(ask(origin, path, { body }));
    expect((await ask(origin, '/api.anthropic.com/v1/models', { method: 'GET' })).status).toBe(200);
    expect(model.requests).toHaveLength(3);
    const proceeding = eventually('all are answered', () => {
      model.proceed();
      return model.requests.length === 8 && model.pending() === 0 ? true : undefined;
    });
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(7).fill(200));
    await proceeding;
  });
});

import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ask, fixture, listening, providersAt, streams } from './model-fixture.ts';

const { path, body } = streams.messages;
const usage = { input_tokens: 70, output_tokens: 30 };
const message = JSON.stringify({ type: 'message', model: 'claude-test', content: [], usage });

/** A provider that breaks the connection at its second request, after it has read it. */
async function breaking() {
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    requests++;
    const breaks = requests === 2;
    request.resume().on('end', () => {
      if (breaks) return request.socket.destroy();
      response.writeHead(200, { 'content-type': 'application/json' }).end(message);
    });
  };
  const url = await listening(listener);
  return { providers: providersAt(url), requests: () => requests };
}

describe('a connection that breaks when it is used again', () => {
  test('at once was closed before, and the request is sent again', async () => {
    const { providers, requests } = await breaking();
    const { origin, budget } = await fixture({ endpoint: { providers } });
    await ask(origin, path, { body });
    expect([(await ask(origin, path, { body })).status, requests()]).toEqual([200, 3]);
    expect(budget.spent()).toMatchObject({ tokens: 200, estimated: false });
  });

  test('later may have been worth money: the request counts, and is not sent again', async () => {
    const { providers, requests } = await breaking();
    const { origin, budget } = await fixture({ endpoint: { providers, limits: { staleMs: 0 } } });
    await ask(origin, path, { body });
    expect([(await ask(origin, path, { body })).status, requests()]).toEqual([502, 2]);
    expect(budget.spent()).toMatchObject({ estimated: true });
    expect(budget.spent().tokens).toBeGreaterThan(100);
  });
});

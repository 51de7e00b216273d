import { describe, expect, test } from 'vitest';
import { ask, dummyKey, fixture, questions, realKeys, streams } from './model-fixture.ts';

const all = {
  ...questions,
  ...Object.fromEntries(Object.entries(streams).map(([name, each]) => [`${name}, streamed`, each])),
};

describe('a request for inference', () => {
  test.each(Object.entries(all))('is sent with the real key, and counted: %s', async (_, { path, body }) => {
    const usage = { input: 1000, cached: 200, output: 50 };
    const { origin, model, budget } = await fixture({ model: { usage } });
    const { status, text } = await ask(origin, path, { body });
    expect(status).toBe(200);
    expect(text).toContain('Done.');
    const [received] = model.requests;
    const sent = JSON.stringify(received);
    expect(Object.values(realKeys).filter((key) => sent.includes(key))).toHaveLength(1);
    expect(sent).not.toContain(dummyKey);
    expect(budget.spent()).toMatchObject({ tokens: 1250, unpriced: [], estimated: false });
    expect(budget.spent().byModel).toMatchObject([{ input: 1000, cached_input: 200, output: 50 }]);
  });

  test('gets what the provider says, unchanged', async () => {
    const { origin, model } = await fixture();
    const direct = await ask(model.url, '/v1/messages', { body: streams.messages.body });
    const { text } = await ask(origin, streams.messages.path, { body: streams.messages.body });
    expect(text).toBe(direct.text);
  });

  test('needs the key that the agent was given', async () => {
    const { origin, model } = await fixture();
    const { status, text } = await ask(origin, questions.messages.path, {
      body: questions.messages.body,
      headers: { 'x-api-key': 'another' },
    });
    expect([status, model.requests]).toEqual([401, []]);
    expect(text).toMatchInlineSnapshot(
      `"{"type":"error","error":{"type":"authentication_error","message":"Coxswain: the request does not carry the key that the agent was given in its environment"}}"`,
    );
  });
});

describe('a budget', () => {
  test('lets the request that exceeds it end, and refuses the next', async () => {
    const { origin, model, exhausted } = await fixture({ limits: { tokens: 1500 } });
    const { path, body } = questions.messages;
    expect((await ask(origin, path, { body })).status).toBe(200);
    expect((await ask(origin, path, { body })).status).toBe(200);
    const third = await ask(origin, path, { body });
    expect([third.status, third.headers['x-should-retry'], model.requests.length]).toEqual([400, 'false', 2]);
    expect(third.text).toMatchInlineSnapshot(
      `"{"type":"error","error":{"type":"invalid_request_error","message":"Coxswain: this run has used 2,100 tokens of the budget of 1,500 tokens (limits.tokens in .github/coxswain.yml)"}}"`,
    );
    expect(exhausted).toEqual([{ of: 'run', unit: 'tokens', limit: 1500, spent: 2100 }]);
  });

  test('is exceeded by no more requests than are under way at a time', async () => {
    const { origin, model, budget } = await fixture({ limits: { tokens: 5000 } });
    const { path, body } = streams.messages;
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(origin, path, { body })));
    const passed = answers.filter(({ status }) => status === 200).length;
    // Each uses 1,050, and 16 are sent at a time.
    expect(passed).toBeLessThan(5 + 16);
    expect([model.requests.length, budget.spent().tokens]).toEqual([passed, passed * 1050]);
  });

  test('does not keep anybody from counting tokens, or from the list of models', async () => {
    const { origin, budget } = await fixture({ limits: { tokens: 0 } });
    const { path, body } = questions.messages;
    expect((await ask(origin, `${path}/count_tokens`, { body })).status).toBe(200);
    expect((await ask(origin, '/api.openai.com/v1/models', { method: 'GET' })).status).toBe(200);
    expect(budget.spent().tokens).toBe(0);
  });
});

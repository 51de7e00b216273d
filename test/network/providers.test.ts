import { describe, expect, test } from 'vitest';
import { routeOf } from '../../src/network/model/provider-routes.ts';
import {
  keysOf,
  ModelSettingsError,
  modelEnvironment,
  providersIn,
} from '../../src/network/model/providers.ts';
import { ask, dummyKey, fixture, questions } from './model-fixture.ts';

const origin = 'http://127.0.0.1:3128';

/** What is wrong, one line each. */
function problemsWith(
  variables: Record<string, string>,
  settings: { url?: string; hosts?: string } = {},
): string {
  try {
    providersIn(variables, settings);
  } catch (fault) {
    if (fault instanceof ModelSettingsError) return fault.message;
    throw fault;
  }
  return 'nothing';
}

describe('the providers', () => {
  test('are those whose keys are set, and only their variables reach an agent', () => {
    const providers = providersIn(
      {
        ANTHROPIC_API_KEY: 'sk-ant-1',
        OPENAI_API_KEY: '',
        GEMINI_API_KEY: ' AIza\n',
        PATH: '/bin',
        NPM_TOKEN: 'x',
      },
      {},
    );
    expect(modelEnvironment(providers, { origin, dummyKey })).toEqual({
      ANTHROPIC_API_KEY: dummyKey,
      ANTHROPIC_BASE_URL: `${origin}/api.anthropic.com`,
      GEMINI_API_KEY: dummyKey,
      GOOGLE_GEMINI_BASE_URL: `${origin}/generativelanguage.googleapis.com`,
    });
    expect(keysOf(providers)).toEqual(['sk-ant-1', 'AIza']);
  });

  test.each([
    [{ ANTHROPIC_API_KEY: 'k' }, { 'x-api-key': 'k' }],
    [{ ANTHROPIC_AUTH_TOKEN: 'k' }, { authorization: 'Bearer k' }],
    [
      { ANTHROPIC_AUTH_TOKEN: 'sk-ant-oat01-k' },
      { authorization: 'Bearer sk-ant-oat01-k', 'anthropic-beta': 'oauth-2025-04-20' },
    ],
    [{ CLAUDE_CODE_OAUTH_TOKEN: 'k' }, { authorization: 'Bearer k', 'anthropic-beta': 'oauth-2025-04-20' }],
    [{ OPENAI_API_KEY: 'k' }, { authorization: 'Bearer k' }],
    [{ GOOGLE_API_KEY: 'k' }, { 'x-goog-api-key': 'k' }],
  ])('get their keys as they want them: %j', (variables, credentials) => {
    expect(providersIn(variables, {})).toMatchObject([{ credentials }]);
  });

  test('get the beta of a subscription together with those that the client wants', async () => {
    const { model, origin: at } = await fixture();
    const listener = await fixture({
      endpoint: { providers: providersIn({ CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-x' }, { url: model.url }) },
    });
    const headers = { 'anthropic-beta': 'fine-grained-tool-streaming-2025-05-14, oauth-2025-04-20' };
    await ask(listener.origin, questions.messages.path, { body: questions.messages.body, headers });
    expect(model.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk-ant-oat01-x',
      'anthropic-beta': 'oauth-2025-04-20,fine-grained-tool-streaming-2025-05-14',
    });
    expect(model.requests[0]?.headers['x-api-key']).toBeUndefined();
    expect(at).toBeDefined();
  });

  test('are all behind one gateway, with its path', async () => {
    const { model } = await fixture();
    const providers = providersIn({ OPENAI_API_KEY: 'k' }, { url: `${model.url}/team/a/` });
    const { origin: at } = await fixture({ endpoint: { providers } });
    expect((await ask(at, questions.chat.path, { body: questions.chat.body })).status).toBe(200);
    expect(model.requests[0]?.path).toBe('/team/a/v1/chat/completions');
  });

  test('are more where the operator names them, under any path', async () => {
    const { model } = await fixture();
    const settings = { hosts: 'OpenRouter.ai=OPENROUTER_API_KEY, models.example.com:8443' };
    const providers = providersIn({ OPENROUTER_API_KEY: 'sk-or-1' }, settings);
    expect(providers).toMatchObject([
      { host: 'openrouter.ai', upstream: 'https://openrouter.ai', secret: 'sk-or-1' },
      { host: 'models.example.com:8443', upstream: 'https://models.example.com:8443', credentials: {} },
    ]);
    expect(modelEnvironment(providers, { origin, dummyKey })).toEqual({ OPENROUTER_API_KEY: dummyKey });
    const here = providers.map((provider) => ({ ...provider, upstream: model.url }));
    const { origin: at, budget } = await fixture({ endpoint: { providers: here } });
    const answer = await ask(at, '/openrouter.ai/api/v1/chat/completions', { body: questions.chat.body });
    expect([answer.status, budget.spent().tokens]).toEqual([200, 1050]);
    expect(model.requests[0]).toMatchObject({
      path: '/api/v1/chat/completions',
      headers: { authorization: 'Bearer sk-or-1' },
    });
    // Others than OpenAI may not know the setting.
    expect(model.requests[0]?.body).not.toHaveProperty('store');
    expect((await ask(at, '/openrouter.ai/api/v1/keys', { body: {} })).status).toBe(404);
  });
});

describe('of a host that the operator added', () => {
  const [provider] = providersIn({ OR: 'sk-or-1' }, { hosts: 'openrouter.ai=OR' });
  const routed = (path: string) => provider && routeOf(provider, { method: 'GET', path })?.kind;

  test.each([
    '/models',
    '/v1/models',
    '/v1/models/gpt-5',
    '/openai/models',
    '/openai/v1/models',
    '/v1beta/openai/models',
    '/api/paas/v4/models',
    '/compatible-mode/v1/models',
    '/api/v1/models/author/name:free',
    '/api/v1/models/author/name/endpoints',
  ])('models are listed: %s', (path) => {
    expect(routed(path)).toBe('models');
  });

  test.each([
    '/api/v1/files/models/x/content',
    '/api/v1/files/models',
    '/v1/files/models',
    '/v1/files/v1/models/content',
    '/v1/threads/models/messages',
    '/v1/models/x/y/content',
    '/files/models',
    '/files/models/content',
    '/v1/models/a/b/c/d',
  ])('what is only called models is not passed on: %s', (path) => {
    expect(routed(path)).toBeUndefined();
  });
});

describe('a mistake in the settings', () => {
  test('is told with all others, and never with a key', () => {
    const problems = problemsWith(
      { OPENAI_API_KEY: 'sk-secret\nsk-secret', OR: 'or secret' },
      {
        url: 'litellm.corp:4000',
        hosts: 'https://a.example,b.example=MISSING,c.example=sk-secret-key,d.example=OR',
      },
    );
    expect(problems).not.toMatch(/sk-?secret|or secret/);
    expect(problems).toMatchInlineSnapshot(`
      "COXSWAIN_MODEL_URL is "litellm.corp:4000": expected an address of http or https without a user, a query or a fragment, as in COXSWAIN_MODEL_URL=https://litellm.example.com
      COXSWAIN_MODEL_HOSTS names "https://a.example": expected host or host=VARIABLE, without https://, as in COXSWAIN_MODEL_HOSTS=openrouter.ai=OPENROUTER_API_KEY,models.example.com
      COXSWAIN_MODEL_HOSTS names MISSING, which is not set: expected the key for b.example in it, as in COXSWAIN_MODEL_HOSTS=openrouter.ai=OPENROUTER_API_KEY,models.example.com
      COXSWAIN_MODEL_HOSTS names no variable for c.example: expected the name of the one that holds the key, not the key, as in COXSWAIN_MODEL_HOSTS=openrouter.ai=OPENROUTER_API_KEY,models.example.com
      OR is not a key: expected one word of letters, digits and signs; received spaces, line breaks or other characters in it. Copy it again from your provider, as in OR=sk-…
      OPENAI_API_KEY is not a key: expected one word of letters, digits and signs; received spaces, line breaks or other characters in it. Copy it again from your provider, as in OPENAI_API_KEY=sk-…"
    `);
  });

  test.each([
    ['', 'ftp://a.example'],
    ['', 'https://user:secret@a.example'],
    ['', 'https://a.example?x=1'],
    ['api.openai.com=OPENAI_API_KEY', ''],
    ['a.example,A.example', ''],
    ['a.example=X=Y', ''],
    ['a.example/v1', ''],
    ['a.example:99999', ''],
    ['*.example', ''],
  ])('is one: hosts %j, address %j', (hosts, url) => {
    const problems = problemsWith({ X: 'x' }, { hosts, url });
    expect(problems).toMatch(/^COXSWAIN_MODEL_(?:HOSTS|URL) .*expected.*, as in COXSWAIN_MODEL_/);
    expect(problems).not.toContain('secret');
  });

  test('is not to set nothing', () => {
    expect(providersIn({}, { url: '', hosts: ' , ' })).toEqual([]);
  });
});

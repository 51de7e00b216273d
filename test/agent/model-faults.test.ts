import { describe, expect, onTestFinished, test } from 'vitest';
import type { NetworkKit } from '../../src/agent/attempt-network.ts';
import { openWorkspace } from '../../src/agent/workspace.ts';
import { openSpending } from '../../src/network/spending/spending.ts';
import type { AgentChoice } from '../../src/steering/settings.ts';
import { folder, providersAt } from '../network/model-fixture.ts';
import { type Fault, scriptedModel } from '../network/scripted-model.ts';
import { agentFixture, default_branch, hold, workBy } from './agent-fixture.ts';
import { settingsOf, stateOf } from './states.ts';

/** Speaks the protocol, and asks its model again and again, whatever it says. */
const stubborn = `
import { createInterface } from 'node:readline';
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env;
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const body = JSON.stringify({ model: 'claude-opus-4-6', max_tokens: 100, messages: [{ role: 'user', content: 'Go' }] });
const headers = { 'content-type': 'application/json', 'x-api-key': key };
const again = async () => {
  for (;;) await fetch(url + '/v1/messages', { method: 'POST', headers, body }).then((answer) => answer.text());
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === 'session/new') say({ id, result: { sessionId: 's' } });
  else if (method === 'session/prompt') void again();
}
`;

async function failsWith(fault: Fault | undefined, use: Partial<{ timeout_s: number }> = {}) {
  const model = await scriptedModel({ fault: () => fault });
  onTestFinished(() => model.close());
  const providers = providersAt(model.url);
  const network: NetworkKit = {
    registries: [],
    privateHosts: [],
    providers,
    spending: openSpending(folder()),
  };
  const on = await agentFixture({ 'stubborn.mjs': stubborn }, { network });
  const agent = { use: 'acp', command: ['node', 'stubborn.mjs'], timeout_s: 20, ...use } as const;
  const outcome = await workBy('', on, { settings: { agent } });
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return { failure: outcome.failure, requests: model.requests.length };
}

function errorOf(message: string): string {
  return JSON.stringify({ type: 'error', error: { type: 'authentication_error', message } });
}

describe('an agent that goes on asking its model', () => {
  test('ends at once when the key is refused: people read which, what the provider said, and where it is set', async () => {
    const { failure, requests } = await failsWith({ status: 401, body: errorOf('invalid x-api-key') });
    expect(failure).toEqual({
      kind: 'model_key',
      message:
        'api.anthropic.com refuses the key in ANTHROPIC_API_KEY (401: invalid x-api-key); ' +
        'it is set where Coxswain runs: in the environment of the App, or under `env:` of the Action',
    });
    expect(requests).toBeLessThan(20);
  });

  test('has not taken too long when its time is over: its model did not answer', async () => {
    const { failure } = await failsWith({ status: 500, body: 'out of order' }, { timeout_s: 3 });
    expect(failure).toEqual({
      kind: 'model_unavailable',
      message: 'api.anthropic.com does not answer (500: out of order)',
    });
  });

  test('has taken too long if its model answers', async () => {
    const { failure } = await failsWith(undefined, { timeout_s: 2 });
    expect(failure.kind).toBe('timeout');
  });
});

test('an agent that is known by name is given the keys of its own models only, any other program all', async () => {
  const providers = providersAt('http://127.0.0.1:9');
  const network: NetworkKit = {
    registries: [],
    privateHosts: [],
    providers,
    spending: openSpending(folder()),
  };
  const on = await agentFixture({}, { network });
  const variables = async (agent: AgentChoice) => {
    const state = stateOf({ head: on.head, settings: settingsOf({ agent }) });
    const { context, remove } = await openWorkspace(
      { state, hold, commit: on.head, default_branch },
      on.resources,
    );
    onTestFinished(remove);
    return Object.keys(context.network.modelVariables).filter((name) => name.endsWith('KEY'));
  };
  const timeout_s = 20;
  expect(await variables({ use: 'claude', timeout_s })).toEqual(['ANTHROPIC_API_KEY']);
  expect(await variables({ use: 'codex', timeout_s })).toEqual(['OPENAI_API_KEY']);
  expect(await variables({ use: 'command', command: ['true'], timeout_s })).toEqual([
    ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
  ]);
});

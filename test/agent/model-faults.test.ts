import { describe, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../src/agent/attempt/workspace.ts';
import type { WorkOutcome } from '../../src/agent/port/assignment.ts';
import type { NetworkKit } from '../../src/agent/port/attempt-network.ts';
import { openSpending } from '../../src/network/spending/open-spending.ts';
import type { AgentChoice } from '../../src/steering/shapes/settings.ts';
import { statusText } from '../../src/words/index.ts';
import { timeText } from '../../src/words/parts/sanitize.ts';
import { folder, providersAt } from '../network/model-fixture.ts';
import { type Fault, scriptedModel } from '../network/scripted-model.ts';
import { story } from '../steering/story.ts';
import { agentFixture, default_branch, hold, workBy } from './agent-fixture.ts';
import { settingsOf, stateOf } from './states.ts';

/** Speaks the protocol, and asks its model as often as it is told, whatever that says. */
const stubborn = `
import { createInterface } from 'node:readline';
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env;
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const body = JSON.stringify({ model: 'claude-opus-4-6', max_tokens: 100, messages: [{ role: 'user', content: 'Go' }] });
const headers = { 'content-type': 'application/json', 'x-api-key': key };
const again = async () => {
  for (let times = Number(process.argv[2]); times > 0; times--)
    await fetch(url + '/v1/messages', { method: 'POST', headers, body }).then((answer) => answer.text());
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === 'session/new') say({ id, result: { sessionId: 's' } });
  else if (method === 'session/prompt')
    void again().then(() => say({ id, error: { code: -32603, message: 'API Error: 503 it gives up' } }));
}
`;

async function endsWith(fault: Fault | undefined, { times = 'Infinity', timeout_s = 20 } = {}) {
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
  const agent = { use: 'acp', command: ['node', 'stubborn.mjs', times], timeout_s } as const;
  const outcome = await workBy('', on, { settings: { agent } });
  return { outcome, requests: model.requests.length };
}

async function failsWith(fault: Fault | undefined, use: { timeout_s?: number; times?: string } = {}) {
  const { outcome, requests } = await endsWith(fault, use);
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return { failure: outcome.failure, requests };
}

/** What people read on the pull request after that. */
function statusAfter(outcome: WorkOutcome): string {
  const run = story().starts().engine.takes();
  if (outcome.kind === 'failed') run.agent.fails(outcome.failure.kind, outcome.failure.message);
  if (outcome.kind === 'parked' && outcome.because === 'rate_limit')
    run.agent.parks('rate_limit', { until: outcome.until ?? '' });
  return statusText(run.state);
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

describe('people read why a run waits for a model, and until when, which names the time in', () => {
  const retryInfo = (retryDelay: string) => ({
    status: 429,
    body: JSON.stringify({ error: { message: 'Quota exceeded', details: [{ retryDelay }] } }),
  });

  test.each<[string, Fault, number]>([
    ['a header, which ends the agent', { status: 503, headers: { 'retry-after': '600' } }, 600],
    ['the details of an error of Google’s, which ends the agent', retryInfo('300s'), 300],
    ['a way that is so soon that the agent is let try until it gives up', retryInfo('17s'), 60],
  ])('%s', async (_, fault, seconds) => {
    const times = seconds === 60 ? '2' : 'Infinity';
    const began = Date.now();
    const { outcome } = await endsWith(fault, { times });
    expect(outcome).toMatchObject({ kind: 'parked', because: 'rate_limit' });
    const until = outcome.kind === 'parked' ? (outcome.until ?? '') : '';
    expect(Date.parse(until)).toBeGreaterThanOrEqual(began + seconds * 1000);
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + seconds * 1000);
    expect(statusAfter(outcome)).toContain(
      `Its model has hit its usage limit. It continues automatically at ${timeText(until)}; nobody has to do anything.`,
    );
  });

  test('no way', async () => {
    const fault = { status: 502, body: errorOf('upstream is out of order') };
    const { outcome } = await endsWith(fault, { times: '2' });
    const status = statusAfter(outcome);
    expect(status).toContain('Status: paused');
    expect(status).toContain(
      'Why: Its model failed: api.anthropic.com does not answer (502: upstream is out of order). It continues automatically at',
    );
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

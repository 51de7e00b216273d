import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { webhookPath } from '../../src/app/webhook-server.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { type AppFixture, startAppFixture } from './app-fixture.ts';
import { freePort, type Variables } from './app-process.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** An agent that has asked people is held for a while, in a process that may not be the only one, or may end. */
let fixture: AppFixture;
afterEach(() => fixture.end());

const config = `version: 1
agent: { use: scripted, script: tools/agent.yml }
verifiers:
  - { name: test, run: "true" }
`;

const agent = `turns:
  - on: { prompt: Ask nobody }
    steps:
      - { write: src/0.txt, content: "as I like\\n" }
  - on: { prompt: 'The user responded: "Per kilo"' }
    steps:
      - { write: src/0.txt, content: "per kilo\\n" }
  - steps:
      - { ask: What is the price for?, options: [Per piece, Per kilo] }
`;

async function start(variables: Variables = {}): Promise<void> {
  const files = { '.github/coxswain.yml': config, 'tools/agent.yml': agent };
  fixture = await startAppFixture({ unchecked: true, files, variables });
}

/** A run whose agent waits for an answer. */
async function asking(): Promise<PullClient> {
  const pull = await fixture.ada.starts('Show the price');
  await pull.waitForEvents('question_asked');
  await pull.waitForPhase('awaiting_answer');
  return pull;
}

async function expectAnswered(pull: PullClient): Promise<readonly Event[]> {
  await pull.waitForPhase('awaiting_approval');
  const place = { ...at, path: 'src/0.txt', ref: await pull.head() };
  const { data } = await fixture.ada.octokit.rest.repos.getContent(place);
  const text = 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
  expect(text).toBe('per kilo\n');
  const ledger = await pull.ledger();
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger.state).toMatchObject({ attempts_used: 1, interactions: [{ by: 'bob', reply: 'Per kilo' }] });
  return ledger.events;
}

test('a question stays open when the App is killed, and is answered in another process', async () => {
  await start();
  const pull = await asking();
  const before = await pull.ledger();
  fixture.app.kill();
  await fixture.app.ended;
  await fixture.start();
  await pull.waitForEvents('hold_lost');
  await pull.waitForPhase('awaiting_answer');
  const { state } = await pull.ledger();
  expect(state.standing.phase).toBe('awaiting_answer');
  expect(state.questions).toEqual(before.state.questions);
  await fixture.bob.says(pull, '/answer 2');
  await expectAnswered(pull);
});

test('an answer that reaches another App reaches the agent while it is held', async () => {
  await start();
  const [first, second] = [fixture.variables['PORT'] ?? '', String(await freePort())];
  await fixture.start({ PORT: second, COXSWAIN_DATA: join(fixture.variables['home'] ?? '', 'data-2') });
  // The first learns that it is not the only one.
  hookTo(second);
  const other = await fixture.ada.starts('Ask nobody');
  await other.waitForPhase('awaiting_approval');
  hookTo(first);
  await fixture.ada.says(other, '/status');
  await other.waitForEvents('said');

  const pull = await asking();
  hookTo(second);
  await fixture.bob.says(pull, '/answer Per kilo');
  const events = await expectAnswered(pull);
  expect(events.filter(({ type }) => ['attempt_started', 'work_parked'].includes(type))).toHaveLength(1);
});

/** Sends webhooks to that App from now on. */
function hookTo(port: string): void {
  const { forge, accounts } = fixture;
  forge.seed.setWebhook(accounts.registered, { url: `http://127.0.0.1:${port}${webhookPath}` });
}

test('a held agent takes no place', async () => {
  await start({ COXSWAIN_CONCURRENCY: '1' });
  const pull = await asking();
  const other = await fixture.ada.starts('Ask nobody');
  await other.waitForPhase('awaiting_approval');
  const started = (await other.ledger()).events.find(({ type }) => type === 'attempt_started')?.at ?? '';
  await fixture.bob.says(pull, '/answer 2');
  const events = await expectAnswered(pull);
  const stopped = events.find(({ type }) => type === 'work_parked')?.at;
  expect(stopped === undefined || started < stopped).toBe(true);
});

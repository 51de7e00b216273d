import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { receiver } from '../notify/receiver.ts';
import { eventually } from './eventually.ts';
import { owedBy, startNotifying } from './notified-team.ts';
import type { PullClient } from './pull-client.ts';

/** A session that a receiver by the Standard Webhooks library hears of, which fails in a dozen ways. */

type Failing = (response: ServerResponse, request: IncomingMessage) => void;

const saying = (text: string): Failing => {
  return (_, { socket }) => void socket.end(text);
};
const answering = (status: number, headers = {}): Failing => {
  return (response) => void response.writeHead(status, headers).end();
};

/** Ways not to take a message; nobody follows a redirect to `elsewhere`. */
function failures(elsewhere: string): Readonly<Record<string, Failing>> {
  return {
    'is broken': answering(500),
    'is overloaded': answering(503, { 'retry-after': '3600' }),
    'has had too many': answering(429),
    'does not understand': answering(400),
    'knows nobody': answering(401),
    'has moved': answering(301, { location: elsewhere }),
    'leads into the machine': answering(307, { location: 'http://169.254.169.254/latest/meta-data' }),
    'closes the connection': (_, { socket }) => void socket.end(),
    'resets it': (_, { socket }) => void socket.resetAndDestroy(),
    'talks nonsense': saying('220 mail.example.org ESMTP\r\n'),
    'sends headers without end': saying(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
    'breaks off in a header': saying('HTTP/1.1 200 OK\r\ncontent-le'),
    'changes the protocol': (_, { socket }) =>
      void socket.write('HTTP/1.1 101 Odd\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\n'),
    hangs: () => undefined,
  };
}

test('nothing is lost, and nothing comes twice but what nobody could know to have arrived', async () => {
  const elsewhere = await receiver();
  const ways = failures(elsewhere.url);
  const coming: Failing[] = [];
  /** The ids of all tries, and of those that were answered to say that they are taken. */
  const [tried, answered]: [string[], string[]] = [[], []];
  let ahead = 0;
  const answer: Failing = (response, request) => {
    const id = String(request.headers['webhook-id']);
    tried.push(id);
    const failing = coming.shift();
    if (failing !== undefined) return failing(response, request);
    answered.push(id);
    response.end();
  };
  const notify = '[{ to: team, events: [approval_requested, steer_instruction, run_finished] }]';
  const session = await startNotifying(() => new Date(Date.now() + ahead), { notify, answer });
  const { fixture } = session;
  const { ada, bob } = fixture;
  const taken = (count: number) =>
    eventually(`message ${count} to be taken`, () => answered.length >= count || undefined);

  // Every way there is, one after the other.
  coming.push(...Object.values(ways));
  const pull = await ada.starts('Make it fine');
  await taken(1);
  expect([tried.length, new Set(tried).size]).toEqual([Object.keys(ways).length + 1, 1]);

  // It takes one, and the App is killed before it hears that.
  await nothingOwed(pull);
  let isKilled = false;
  coming.push(() => {
    fixture.app.kill();
    isKilled = true;
  });
  await ada.says(pull, '/steer also mind the empty list');
  await eventually('the kill', () => isKilled || undefined);
  ahead += 2 * 60_000;
  await fixture.start();
  await taken(3);

  // It is stopped while the receiver hangs, which it does not wait for.
  await nothingOwed(pull);
  let isHanging = false;
  coming.push(() => {
    isHanging = true;
  });
  await ada.says(pull, '/steer and the full one');
  await eventually('a hanging receiver', () => isHanging || undefined);
  const tries = tried.length;
  expect([await fixture.app.stop(), tried.length]).toEqual([0, tries]);
  ahead += 2 * 60_000;
  await fixture.start();
  await taken(5);

  // A run that ends while nobody listens is told of later, after another kill.
  coming.push(...Array.from({ length: 4 }, () => answering(502)));
  const before = tried.length;
  await bob.says(pull, '/reject not now');
  await eventually('tries in vain', () => tried.length >= before + 4 || undefined);
  fixture.app.kill();
  ahead += 2 * 60_000;
  await fixture.start();
  await taken(6);
  await nothingOwed(pull);
  await fixture.app.stop();

  const messages = session.taken();
  const once = [...new Map(messages.map((each) => [each.id, each])).values()];
  expect(once.map(({ type }) => type)).toEqual([
    ...['approval_requested', 'steer_instruction', 'approval_requested'],
    ...['steer_instruction', 'approval_requested', 'run_finished'],
  ]);
  // Whoever hears that a message was taken does not send it again.
  expect([...new Set(answered)]).toEqual(answered);
  for (const { id, ...message } of messages) expect(once).toContainEqual({ id, ...message });
  expect([coming, elsewhere.received]).toEqual([[], []]);
});

/** Waits until the ledger says that nothing is to be sent any more. */
function nothingOwed(pull: PullClient): Promise<true> {
  return eventually('nothing is owed', async () => (await owedBy(pull)).length === 0 || undefined);
}

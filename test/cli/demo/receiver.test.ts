import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../../src/cli/demo/notification-receiver.ts';

async function started() {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const told: string[] = [];
  receiver.listen((text) => told.push(text));
  const send = async (id: string, body: string, secret = receiver.secret) => {
    const now = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    };
    return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
  };
  return { told, send };
}

const body = JSON.stringify({
  data: { title: 'It \u001b[2Jwaits', text: 'one\n\ntwo', url: 'http://127.0.0.1/acme' },
});

test('a notification is told once, however often it is sent', async () => {
  const { told, send } = await started();
  expect(await send('one', body)).toBe(204);
  expect(await send('one', body)).toBe(204);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(
    /^notification to the team:\n {2}> It .*waits\n {2}> one\n {2}> two\n {2}> http:\/\/127\.0\.0\.1\/acme$/,
  );
  expect(told[0]).not.toContain('\u001b');
});

test('what another key signs, or is too long, is told nobody', async () => {
  const { told, send } = await started();
  const other = `whsec_${Buffer.from('another secret of thirty-two bytes').toString('base64')}`;
  expect(await send('one', body, other)).toBe(401);
  expect(await send('two', JSON.stringify({ data: { title: 'x'.repeat(70_000) } }))).toBe(400);
  expect(told).toEqual([]);
});

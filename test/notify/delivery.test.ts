import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { NotifyTarget } from '../../src/config/operator/targets.ts';
import { notifierOf } from '../../src/notify/notifier.ts';
import { certificate } from './certificate.ts';
import { aMessage } from './messages.ts';
import { receiver, secret, tcpReceiver, verified } from './receiver.ts';

type Given = Parameters<typeof notifierOf>[1];

const never = new AbortController().signal;

function sendTo(url: string, given: Given = {}, target: Partial<NotifyTarget> = {}) {
  const hook: NotifyTarget = { name: 'hook', to: 'webhook', private: true, url, secret };
  // Of a webhook nothing else is changed here than what every target has.
  const changed = { ...hook, ...target } as NotifyTarget;
  return notifierOf([changed], given).send('hook', aMessage(), never);
}

const refused = (reason: string, forGood = false) => ({ outcome: 'refused', reason, forGood });

describe('a webhook', () => {
  test('is signed as the Standard Webhooks specification has it, for each try', async () => {
    const { url, received } = await receiver();
    expect(await sendTo(url)).toEqual({ outcome: 'accepted' });
    expect(await sendTo(url)).toEqual({ outcome: 'accepted' });
    const [first, second] = received;
    if (first === undefined || second === undefined) throw new Error('nothing was received');
    expect(first.headers['webhook-id']).toBe('msg_1');
    expect(second.headers['webhook-id']).toBe('msg_1');
    expect(first.path).toBe('/hooks/secret-path?key=secret-query');
    expect(verified(first)).toEqual(verified(second));
    const { announcement, title, lines, url: link } = aMessage();
    expect(verified(first)).toEqual({
      type: 'approval_requested',
      timestamp: '2025-03-03T12:00:00.000Z',
      data: { ...announcement, title, text: lines.join('\n'), url: link },
    });
    expect(() => verified({ ...first, body: `${first.body} ` })).toThrow('No matching signature');
  });
});

describe('an answer', () => {
  test.each([
    [204, { outcome: 'accepted' }],
    [299, { outcome: 'accepted' }],
    [400, refused('127.0.0.1:PORT answered 400')],
    [410, refused('127.0.0.1:PORT answered 410: it is gone', true)],
    [429, refused('127.0.0.1:PORT answered 429')],
    [500, refused('127.0.0.1:PORT answered 500')],
  ])('of %i is %o', async (status, expected) => {
    const { url, port } = await receiver((response) => void response.writeHead(status).end());
    const sent = await sendTo(url);
    expect(JSON.parse(JSON.stringify(sent).replaceAll(String(port), 'PORT'))).toEqual(expected);
  });

  test.each([
    ['no_service', ' (no_service)'],
    ['invalid_payload\n', ' (invalid_payload)'],
    ['<b>no_service</b>', ''],
    ['the_token_xoxb-1', ''],
    ['x'.repeat(100_000), ''],
  ])('that refuses a message with %j tells it only if it is a word of Slack', async (answer, told) => {
    const { url, port } = await receiver((response) => void response.writeHead(404).end(answer));
    expect(await sendTo(url)).toEqual(refused(`127.0.0.1:${port} answered 404${told}`));
  });

  test.each([301, 302, 303, 307, 308])('of %i is not followed', async (status) => {
    const other = await receiver();
    const { url, port } = await receiver((response) =>
      response.writeHead(status, { location: status === 307 ? 'http://169.254.169.254/' : other.url }).end(),
    );
    const reason = `127.0.0.1:${port} answered ${status}, a redirect, which is not followed`;
    expect(await sendTo(url)).toEqual(refused(reason));
    expect(other.received).toEqual([]);
  });

  test('of 200 MB is read no further than 64 KiB', async () => {
    let written = 0;
    const { url, received } = await receiver((response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const write = (): void => {
        while (written < 200 * 2 ** 20 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    });
    expect(await sendTo(url)).toEqual({ outcome: 'accepted' });
    expect(received).toHaveLength(1);
    expect(written).toBeLessThan(50 * 2 ** 20);
  });
});

describe('a target that', () => {
  const within = { withinMs: 300 };
  const late = (port: number) => refused(`127.0.0.1:${port} did not answer within 0.3 seconds`);

  test('does not answer is given up in time', async () => {
    const { url, port } = await receiver(() => undefined);
    expect(await sendTo(url, within)).toEqual(late(port));
  });

  test('never ends what it has begun to say is given up in time', async () => {
    const port = await tcpReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.once('close', () => clearInterval(drip));
    });
    expect(await sendTo(`http://127.0.0.1:${port}/`, within)).toEqual(late(port));
  });

  test('has taken it, and says more without end, has taken it', async () => {
    const { url } = await receiver((response) => {
      response.write('ok');
      const drip = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(drip));
    });
    expect(await sendTo(url, within)).toEqual({ outcome: 'accepted' });
  });

  test('never speaks TLS is given up in time', async () => {
    const port = await tcpReceiver(() => undefined);
    expect(await sendTo(`https://127.0.0.1:${port}/`, within)).toEqual(late(port));
  });

  test('changes the protocol is given up in time', async () => {
    const port = await tcpReceiver((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Odd\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\n'),
      ),
    );
    expect(await sendTo(`http://127.0.0.1:${port}/`, within)).toEqual(late(port));
  });

  test('has a name that nobody finds in time is given up', async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const reason = 'hooks.example.org did not answer within 0.3 seconds';
    expect(await sendTo('https://hooks.example.org/', { ...within, resolve })).toEqual(refused(reason));
  });

  test.each([
    ['closes the connection', (socket: Socket) => void socket.once('data', () => socket.end()), 'ECONNRESET'],
    ['resets it', (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy()), 'ECONNRESET'],
    [
      'talks nonsense',
      (socket: Socket) => void socket.end('220 mail.example.org ESMTP\r\n'),
      'HPE_INVALID_CONSTANT',
    ],
    [
      'sends headers without end',
      (socket: Socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
      'HPE_HEADER_OVERFLOW',
    ],
  ])('%s gave no usable answer', async (_, treat, code) => {
    const port = await tcpReceiver(treat);
    const reason = `127.0.0.1:${port} gave no usable answer (${code})`;
    expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual(refused(reason));
  });

  test('is not there cannot be reached', async () => {
    const reason = '127.0.0.1:1 gave no usable answer (ECONNREFUSED)';
    expect(await sendTo('http://127.0.0.1:1/')).toEqual(refused(reason));
  });

  test('is not sent to any more once the process stops', async () => {
    const { url, port } = await receiver(() => undefined);
    const stopping = new AbortController();
    const target = { name: 'hook', to: 'webhook', private: true, url, secret } as const;
    const sending = notifierOf([target]).send('hook', aMessage(), stopping.signal);
    stopping.abort();
    expect(await sending).toEqual(refused(`127.0.0.1:${port} had not answered when Coxswain was stopped`));
  });

  test('the operator does not have is refused for good', async () => {
    const sent = await notifierOf([]).send('hook', aMessage(), never);
    expect(sent).toEqual(refused('the operator has no such target', true));
  });
});

describe('TLS', () => {
  const at = async (name: string) => {
    const { port, received } = await receiver(undefined, { tls: true });
    return { url: `https://${name}:${port}/hook`, port, received };
  };
  const resolve = async () => ['127.0.0.1'];

  test('is for the host of the address', async () => {
    const { url, received } = await at('hooks.example.org');
    expect(await sendTo(url, { resolve, ca: certificate })).toEqual({ outcome: 'accepted' });
    expect(received.map(({ headers }) => headers['host'])).toEqual([new URL(url).host]);
  });

  test.each([
    ['that nobody vouches for', 'hooks.example.org', undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of another host', 'other.example.org', certificate, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['of no address', '127.0.0.1', certificate, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('with a certificate %s is none', async (_, name, ca, code) => {
    const { url, received } = await at(name);
    const reason = `${new URL(url).host} gave no usable answer (${code})`;
    expect(await sendTo(url, { resolve, ...(ca && { ca }) })).toEqual(refused(reason));
    expect(received).toEqual([]);
  });
});

describe('a private address', () => {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    // What a name server of an attacker says the first time, and the second.
    return asked.length === 1 ? ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1'] : ['93.184.215.14'];
  };

  test('is not reached by its name, which is asked for once', async () => {
    const { port, received } = await receiver();
    asked.length = 0;
    const sent = await sendTo(`https://hooks.example.org:${port}/`, { resolve }, { private: false });
    const reason = `hooks.example.org:${port} leads to a private address, which needs \`private: true\``;
    expect(sent).toEqual(refused(reason));
    expect([asked, received]).toEqual([['hooks.example.org'], []]);
  });

  test('that a name would lead to the second time is not even asked for', async () => {
    const { port, received } = await receiver();
    let times = 0;
    const turning = async () => [times++ === 0 ? '127.0.0.1' : '169.254.169.254'];
    const url = `http://hooks.example.org:${port}/`;
    expect(await sendTo(url, { resolve: turning })).toEqual({ outcome: 'accepted' });
    expect([times, received.length]).toEqual([1, 1]);
  });

  test('of IPv6 stands in brackets in an address', async () => {
    const reason = '[::1]:1 gave no usable answer (ECONNREFUSED)';
    expect(await sendTo('http://[::1]:1/')).toEqual(refused(reason));
  });
});

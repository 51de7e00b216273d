import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { readBody } from '../../http/incoming-request.ts';
import { visible } from '../../text/characters.ts';

/** What the demo's runs notify in place of Slack or Teams: a receiver by Standard Webhooks. */
export interface Receiver {
  readonly url: string;
  /** What notifications have to be signed with. */
  readonly secret: string;
  /** Tells each notification from now on, once, as text for a terminal. */
  listen(listener: (text: string) => void): void;
  close(): Promise<void>;
}

const maxBytes = 64 * 1024;

/** The part of a payload that is told; the library has checked that it is ours. */
interface Payload {
  readonly data: { readonly title: string; readonly text: string; readonly url: string };
}

export async function startReceiver(): Promise<Receiver> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const listeners: ((text: string) => void)[] = [];
  const received = new Set<string>();
  const take = async (request: IncomingMessage): Promise<number> => {
    const payload = await verified(request, secret);
    if (payload === undefined) return 401;
    // Whoever has not heard that it arrived sends it again, under the same id.
    const id = String(request.headers['webhook-id']);
    if (!received.has(id)) for (const listener of listeners) listener(textOf(payload));
    received.add(id);
    return 204;
  };
  const server = createServer((request, response) => {
    take(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(400, { connection: 'close' }).end(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // It listens on a port and not on a path.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    ...{ url, secret },
    listen: (listener) => void listeners.push(listener),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Reads a notification; undefined if it is not signed with our secret. */
async function verified(request: IncomingMessage, secret: string): Promise<Payload | undefined> {
  const body = await readBody(request, maxBytes);
  try {
    // Node joins headers that come twice, of which these are none.
    return new Webhook(secret).verify(body, request.headers as Record<string, string>) as Payload;
  } catch (fault) {
    if (fault instanceof WebhookVerificationError) return undefined;
    throw fault;
  }
}

function textOf({ data: { title, text, url } }: Payload): string {
  const lines = [title, ...text.split('\n'), url].filter((line) => line !== '');
  return `notification to the team:\n${visible(lines.join('\n')).replace(/^/gm, '  > ')}`;
}

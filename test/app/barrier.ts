import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.ts';

/** Blocks requests until opened, so that a test decides how long an agent works. */
export interface Barrier {
  readonly url: string;
  /** Waits until a request is blocked. */
  reached(): Promise<void>;
  /** Answers all blocked and all later requests. */
  open(): void;
  close(): Promise<void>;
}

export async function startBarrier(): Promise<Barrier> {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const server = createServer((_, response) => {
    if (isOpen) response.end();
    else waiting.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server that listens on TCP has such an address
  return {
    url: `http://127.0.0.1:${port}/`,
    reached: async () => {
      await eventually('an agent to reach the barrier', () => (waiting.length > 0 ? true : undefined));
    },
    open: () => {
      isOpen = true;
      for (const response of waiting.splice(0)) response.end();
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.ts';

/** Holds whoever asks here until it is opened: so an agent works exactly as long as a story wants. */
export interface Gate {
  readonly url: string;
  /** Somebody waits at the gate. */
  reached(): Promise<void>;
  /** Lets everybody through, from now on. */
  open(): void;
  close(): Promise<void>;
}

export async function setGate(): Promise<Gate> {
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
      await eventually('the agent at the gate', () => (waiting.length > 0 ? true : undefined));
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

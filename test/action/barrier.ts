import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitingAgent } from './repository.ts';

/** Blocks an agent in the middle of its work until opened. */
export class Barrier {
  readonly #server = createServer((_, response) => this.#arrive(response));
  readonly #waiting: ServerResponse[] = [];
  #isOpen = false;
  #resolveReached: () => void = () => undefined;
  /** Resolves when an agent reaches the barrier. */
  readonly reached = new Promise<void>((resolve) => {
    this.#resolveReached = resolve;
  });

  static async start(): Promise<Barrier> {
    const barrier = new Barrier();
    barrier.#server.listen(0, '127.0.0.1');
    await once(barrier.#server, 'listening');
    return barrier;
  }

  /** An agent that waits at the barrier in its first attempt. */
  get files(): Readonly<Record<string, string>> {
    // A server that listens on a port has an address object.
    const { port } = this.#server.address() as AddressInfo;
    return { ...waitingAgent, 'tools/wait.mjs': `await fetch('http://127.0.0.1:${port}/');\n` };
  }

  open(): void {
    this.#isOpen = true;
    for (const response of this.#waiting.splice(0)) response.end();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #arrive(response: ServerResponse): void {
    if (this.#isOpen) response.end();
    else this.#waiting.push(response);
    this.#resolveReached();
  }
}

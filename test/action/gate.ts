import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { patient } from './repository.ts';

/** Stops an agent in the middle of its work until the test lets it continue. */
export class Gate {
  readonly #server = createServer((_, response) => this.#arrive(response));
  readonly #waiting: ServerResponse[] = [];
  #isOpen = false;
  #tellReached: () => void = () => undefined;
  /** Resolves when an agent is at the gate. */
  readonly reached = new Promise<void>((resolve) => {
    this.#tellReached = resolve;
  });

  static async build(): Promise<Gate> {
    const gate = new Gate();
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    return gate;
  }

  /** An agent whose first attempt stops here. */
  get files(): Readonly<Record<string, string>> {
    // A server that listens on a port has an address object.
    const { port } = this.#server.address() as AddressInfo;
    return { ...patient, 'tools/wait.mjs': `await fetch('http://127.0.0.1:${port}/');\n` };
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
    this.#tellReached();
  }
}

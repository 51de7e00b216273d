import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/**
 * Blocks requests until opened, so that a test decides how long an agent works. It listens on a socket in a
 * folder that programs may read: from within a sandbox nothing else of this machine can be reached.
 */
export interface Barrier {
  /** The path of the socket. */
  readonly path: string;
  /** Waits until a request is blocked. */
  reached(): Promise<void>;
  /** Answers all blocked and all later requests. */
  open(): void;
  close(): Promise<void>;
}

/** For `COXSWAIN_SANDBOX_READABLE`; exists while there is a barrier. */
export function barrierFolder(): string {
  return join(tmpdir(), `coxswain-barriers-${process.pid}`);
}

export async function startBarrier(): Promise<Barrier> {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const server = createServer((_, response) => {
    if (isOpen) response.end();
    else waiting.push(response);
  });
  mkdirSync(barrierFolder(), { recursive: true });
  chmodSync(barrierFolder(), 0o755);
  const path = join(barrierFolder(), `barrier-${randomBytes(4).toString('hex')}.sock`);
  server.listen({ path, readableAll: true, writableAll: true });
  await once(server, 'listening');
  return {
    path,
    reached: async () => {
      await eventually('an agent to reach the barrier', () => (waiting.length > 0 ? true : undefined));
    },
    open: () => {
      isOpen = true;
      for (const response of waiting.splice(0)) response.end();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      removeIfEmpty(barrierFolder());
    },
  };
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw cause; // another barrier's
  }
}

/** What an agent does to wait at a barrier: a function for its program, which is a module. */
export const waitingAt = `import { get } from 'node:http';
const passed = (socketPath) =>
  new Promise((resolve, reject) => get({ socketPath }, (r) => r.resume().on('end', resolve)).on('error', reject));`;

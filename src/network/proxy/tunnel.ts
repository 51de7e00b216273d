import type { Socket } from 'node:net';

/**
 * Passes everything between a program and a host until both are closed. The end of one direction leaves the
 * other one open; an error of one socket, or of nothing happening for too long, closes both.
 */
export function tunnel(program: Socket, host: Socket, { idleMs }: { readonly idleMs: number }): void {
  for (const [one, other] of [
    [program, host],
    [host, program],
  ] as const) {
    one.on('error', () => other.destroy());
    one.setTimeout(idleMs, () => one.destroy());
    one.once('end', () => {
      for (const each of [one, other]) each.setTimeout(Math.min(idleMs, halfOpenMs));
    });
    // After an orderly end, what was read is still being written to the other socket.
    one.once('close', () => {
      if (!one.readableEnded) other.destroy();
    });
  }
  host.pipe(program);
  program.pipe(host);
}

/** How long the other direction may then be silent. */
const halfOpenMs = 60_000;

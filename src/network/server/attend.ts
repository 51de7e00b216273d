import type { IncomingMessage } from 'node:http';

/** A mistake of ours in one connection ends that connection. */
export function attend(work: Promise<unknown>, { socket }: IncomingMessage): void {
  work.catch((fault: Error) => socket.destroy(fault));
}

import type { Duplex } from 'node:stream';

/** A mistake of ours in one connection ends that connection, not the process. */
export function attend(socket: Duplex, handler: () => unknown): void {
  const end = (fault: unknown): void => void socket.destroy(fault instanceof Error ? fault : undefined);
  try {
    const work = handler();
    if (work instanceof Promise) work.catch(end);
  } catch (fault) {
    end(fault);
  }
}

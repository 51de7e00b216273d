import { setTimeout } from 'node:timers/promises';

/** Waits, but not longer than anybody wants it: answers whether the time has passed. */
export async function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch {
    return false; // the only way to fail is to be aborted
  }
}

import { setTimeout } from 'node:timers/promises';

const timeoutMs = 240_000;

/** Waits until it is so. */
export async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`expected within ${timeoutMs / 1000} s: ${what}`);
    await setTimeout(200);
  }
}

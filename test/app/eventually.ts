import { setTimeout } from 'node:timers/promises';

const pollEveryMs = 50;

/** What ends waiting, in milliseconds. */
interface Limits {
  /** Without any sign of progress. */
  readonly idleMs: number;
  /** While nothing gets done: an App that sweeps every few seconds is never idle. */
  readonly futileMs: number;
  /** Whatever is done: what waits for that long does not end. Below the tests' own timeout. */
  readonly maxMs: number;
}

const usual: Limits = { idleMs: 40_000, futileMs: 100_000, maxMs: 600_000 };

/** How far what is waited for has come; both only grow. */
export interface Progress {
  /** Such as requests. */
  readonly signs: number;
  /** Such as requests that change something. */
  readonly done: number;
}

export interface WaitOptions {
  /** How long to wait without progress; by default longer if nobody says whether there is any. */
  readonly withinMs?: number;
  readonly progress?: () => Progress;
  /** Describes what was seen last. */
  readonly instead?: () => string;
  readonly limits?: Limits;
  /** Milliseconds since any moment. */
  readonly now?: () => number;
}

/**
 * Polls until `look` returns a value; a timeout throws with what was expected and what was seen last. How
 * long a session takes says more about the machine than about the session: on a busy one it may take minutes,
 * but it goes on. So the timeouts restart with each progress, and only a generous one remains.
 */
export async function eventually<T>(
  expected: string,
  look: () => Promise<T | undefined> | T | undefined,
  { progress, instead = () => '', limits = usual, now = () => performance.now(), ...given }: WaitOptions = {},
): Promise<T> {
  const withinMs = given.withinMs ?? (progress === undefined ? limits.futileMs : limits.idleMs);
  const began = now();
  const last = { sign: began, done: began };
  let seenProgress = progress?.();
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    const time = now();
    const current = progress?.();
    if (current?.signs !== seenProgress?.signs) last.sign = time;
    if (current?.done !== seenProgress?.done) last.done = time;
    seenProgress = current;
    const [idle, futile, all] = [time - last.sign, time - last.done, time - began];
    if (idle > withinMs || futile > Math.max(limits.futileMs, withinMs) || all > limits.maxMs) {
      const since = `no progress for ${seconds(idle)}, nothing done for ${seconds(futile)}`;
      throw new Error(`expected within ${seconds(all)}: ${expected}; ${since}\n${instead()}`);
    }
    await setTimeout(pollEveryMs);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

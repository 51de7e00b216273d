import { constants } from 'node:os';

/** What the exit code of a command says; `refused` is also for what failed. */
export const exitCodes = { done: 0, refused: 1, misuse: 2, unreachable: 3, waiting: 4 } as const;

/** A command did not do what it was called for; the message is for whoever called it. */
export class Ended extends Error {
  override name = 'Ended';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A command was called with something that it does not take. */
export class UsageError extends Ended {
  override name = 'UsageError';

  constructor(message: string) {
    super(exitCodes.misuse, message);
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Signal = (typeof signals)[number];

/** npm forwards a signal that the terminal has already sent to us; within this time, it is the same one. */
const sameRequestMs = 2000;

/** The first signal that asks this process to end. */
export interface Interruption {
  readonly signal: Promise<Signal>;
  /** Restores the default effect of signals. */
  stopListening(): void;
}

/**
 * Catches the first signal, so that there is time to clean up. A second one, unless npm forwarded it, ends
 * the process at once.
 */
export function awaitInterruption(): Interruption {
  let first: number | undefined;
  let resolve: (signal: Signal) => void = () => undefined;
  const signal = new Promise<Signal>((settle) => {
    resolve = settle;
  });
  const onSignal = (received: Signal) => {
    const now = performance.now();
    if (first !== undefined && now - first > sameRequestMs) process.exit(exitCodeFor(received));
    first ??= now;
    resolve(received);
  };
  for (const name of signals) process.on(name, onSignal);
  const stopListening = () => {
    for (const name of signals) process.off(name, onSignal);
  };
  return { signal, stopListening };
}

/** The exit code that a shell reports for a program ended by this signal. */
export function exitCodeFor(signal: Signal): number {
  return 128 + constants.signals[signal];
}

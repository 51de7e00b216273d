import { constants } from 'node:os';

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

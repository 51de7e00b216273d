import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Signal = (typeof signals)[number];

/** npm passes on to us what the terminal has sent us already. */
const sameRequestMs = 2000;

/** Somebody asks this process to end. */
export interface Interruption {
  readonly happens: Promise<Signal>;
  /** From now on signals do what they usually do. */
  forget(): void;
}

/**
 * Waits for the first signal, so that what has been begun can be tidied away. A second one, unless npm passed
 * it on, ends the process at once.
 */
export function awaitInterruption(): Interruption {
  let first: number | undefined;
  let tell: (signal: Signal) => void = () => undefined;
  const happens = new Promise<Signal>((resolve) => {
    tell = resolve;
  });
  const onSignal = (signal: Signal) => {
    const now = performance.now();
    if (first !== undefined && now - first > sameRequestMs) process.exit(exitCodeFor(signal));
    first ??= now;
    tell(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  const forget = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  return { happens, forget };
}

/** As a shell reports a program that was ended by the signal. */
export function exitCodeFor(signal: Signal): number {
  return 128 + constants.signals[signal];
}

import { expect } from 'vitest';
import type { AttemptOptions } from '../../src/engine/leased-work.ts';
import { LiveAttempt } from '../../src/engine/live-attempt.ts';
import { isLeased } from '../../src/steering/shapes/standing.ts';
import type { Recorded } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';
import type { Story } from '../steering/story.ts';

/** What joins an agent at work with a run whose ledger is slow. */
export interface AtWork {
  readonly live: LiveAttempt;
  /** Lets the ledger take what waits for it; `next` happens before anybody is told. */
  takes(next?: () => void): Promise<void>;
  /** What waits for it cannot be recorded, and is not tried again. */
  fails(): Promise<void>;
}

export const silent = (): void => undefined;

/** `run` is a story with an agent or its verifiers at work. */
export function atWorkOn(run: Story, services: Partial<AttemptOptions['services']> = {}): AtWork {
  const waiting: Waiting[] = [];
  const record: LiveRecord = (event) =>
    new Promise<Recorded>((resolve, fail) => {
      const take = (next: () => void) => {
        const { state } = run.apply(event, event.id);
        next();
        resolve({ state, fresh: true });
      };
      waiting.push({ take, fail });
    });
  const { standing } = run.state;
  if (!isLeased(standing)) throw new Error('nobody works');
  const ledger = {
    ...{ name: run.state.run.id, record },
    readLedger: async () => ({ state: run.state, commit: '', ref: '', key: null, seen: new Set<string>() }),
    get newest() {
      return run.state;
    },
  };
  // As an engine does.
  const onState = (state: State) => live.see(state);
  const options = { ...usual, onState, services: { ...usual.services, ...services } };
  const live: LiveAttempt = new LiveAttempt(ledger, options, { hold: standing.hold, state: run.state });
  const taken = async () => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    return waiting.splice(0);
  };
  const takes = async (next = silent) => {
    for (const { take } of await taken()) take(next);
  };
  const fails = async () => {
    for (const { fail } of await taken()) fail(new TypeError('a fault of ours'));
  };
  return { live, takes, fails };
}

interface Waiting {
  take(next: () => void): void;
  fail(fault: Error): void;
}

type LiveRecord = ConstructorParameters<typeof LiveAttempt>[0]['record'];

const usual: AttemptOptions = {
  services: {
    log: { debug: silent, info: silent, warn: silent, error: silent },
    clock: { now: () => new Date() },
    nextHolder: () => 'engine',
    holdQuestionsMs: 0,
    hasOthers: () => false,
    resources: () => Promise.reject(new Error('nothing is begun here')),
  },
  holder: 'engine',
  signal: new AbortController().signal,
  onLeased: silent,
  onState: silent,
  onLive: silent,
  onWaiting: silent,
};

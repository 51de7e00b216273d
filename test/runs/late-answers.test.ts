import { expect, test } from 'vitest';
import type { AttemptOptions } from '../../src/runs/attempts/leased-work.ts';
import { LiveAttempt } from '../../src/runs/attempts/live-attempt.ts';
import type { Recorded } from '../../src/steering/ports.ts';
import { ada, removal } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

/** An agent that asks again, in a run whose ledger is slow. */

const another = { ...removal, id: 'ask-2', title: 'rm -rf other', command: 'rm -rf other' };

interface AtWork {
  readonly run: Story;
  readonly live: LiveAttempt;
  /** Lets the ledger take what waits for it; `next` happens before anybody is told. */
  takes(next?: () => void): Promise<void>;
}

/** The first call is allowed already. */
function afterAnAnswer(): AtWork {
  const run = story().starts().engine.takes().agent.asks(removal).says(ada, '/allow');
  const waiting: ((next: () => void) => void)[] = [];
  const record: LiveRecord = (event) =>
    new Promise<Recorded>((resolve) =>
      waiting.push((next) => {
        const { state } = run.apply(event, event.id);
        next();
        resolve({ state, fresh: true });
      }),
    );
  const { standing } = run.state;
  if (standing.phase !== 'working') throw new Error('nobody works');
  const atWork = {
    ...{ name: run.state.run.id, record, readLedger: async () => undefined },
    get newest() {
      return run.state;
    },
  };
  const live = new LiveAttempt(atWork, options, { hold: standing.hold, state: run.state });
  const takes = async (next = silent) => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    for (const take of waiting.splice(0)) take(next);
  };
  return { run, live, takes };
}

type LiveRecord = ConstructorParameters<typeof LiveAttempt>[0]['record'];

const silent = (): void => undefined;

const options: AttemptOptions = {
  services: {
    log: { debug: silent, info: silent, warn: silent, error: silent },
    clock: { now: () => new Date() },
    nextHolder: () => 'engine',
    hasOthers: () => false,
    resources: () => Promise.reject(new Error('nothing is begun here')),
  },
  holder: 'engine',
  signal: new AbortController().signal,
  onLeased: silent,
  onState: silent,
  onLive: silent,
  onStopped: silent,
};

test('what people said to an earlier question is no answer to the next', async () => {
  const { run, live, takes } = afterAnAnswer();
  const answering = live.ask(another, new AbortController().signal);
  // Somebody says something else before the question is in the ledger.
  live.see(run.says(ada, '/steer and the docs').state);
  await takes();
  await expect.poll(() => run.state.standing).toMatchObject({ asking: { call: { id: another.id } } });
  live.see(run.clicks(ada, 'deny').state);
  expect(await answering).toEqual({ allowed: false, why: 'ada denied it' });
});

test('an answer counts that is in the ledger before anybody is told of the question', async () => {
  const { run, live, takes } = afterAnAnswer();
  const answering = live.ask(another, new AbortController().signal);
  await takes(() => run.clicks(ada, 'allow'));
  expect(await answering).toEqual({ allowed: true, why: '' });
});

test('an older state, acted on late, ends no question', async () => {
  const { run, live, takes } = afterAnAnswer();
  const { state: before } = run;
  const answering = live.ask(another, new AbortController().signal);
  await takes();
  await expect.poll(() => run.state.standing).toMatchObject({ asking: { call: { id: another.id } } });
  live.see(before);
  live.see(run.clicks(ada, 'allow').state);
  expect(await answering).toEqual({ allowed: true, why: '' });
});

import { expect, test } from 'vitest';
import { LiveAttempt } from '../../src/runs/attempts/live-attempt.ts';
import { GitHubClock } from '../../src/runs/github-clock.ts';
import type { Event } from '../../src/steering/event.ts';
import type { State } from '../../src/steering/state.ts';
import { ada, removal } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const quiet = new AbortController().signal;

/** An agent at work on a run whose ledger is a story. */
function attending(recording: (apply: () => State) => Promise<State> = async (apply) => apply()) {
  const run: Story = story().starts().engine.takes();
  const ledger = {
    name: 'acme/api#7',
    get newest(): State {
      return run.state;
    },
    readLedger: async () => undefined,
    record: async ({ id, at: _, ...event }: Event) => {
      return { state: await recording(() => run.apply(event, id).state), fresh: true };
    },
  };
  const services = {
    ...{ log, clock: new GitHubClock(), nextHolder: () => 'engine', hasOthers: () => false },
    resources: () => Promise.reject(new Error('no work is done')),
  };
  const options = { services, holder: 'engine', signal: quiet, onLeased: nothing, onState: nothing };
  const hold = { ...run.hold, until: '' };
  const live = new LiveAttempt(ledger, { ...options, onLive: nothing }, { hold, state: run.state });
  return { run, live };
}

async function isAsked(run: Story, id: string): Promise<void> {
  await expect.poll(() => run.state.standing).toMatchObject({ asking: { call: { id } } });
}

test('the answer to one question is no answer to the next, whatever is learned while that is asked', async () => {
  let late: Promise<void> = Promise.resolve();
  const { run, live } = attending(async (apply) => {
    await late;
    return apply();
  });
  const first = live.ask({ ...removal, id: 'ask-1' }, quiet);
  await isAsked(run, 'ask-1');
  run.says(ada, '/allow');
  live.see(run.state);
  expect(await first).toEqual({ allowed: true, why: '' });

  let reach: () => void = () => undefined;
  late = new Promise((resolve) => (reach = resolve));
  const outdated = run.state;
  const second = live.ask({ ...removal, id: 'ask-2', command: 'rm -rf .' }, quiet);
  live.see(outdated);
  reach();
  await isAsked(run, 'ask-2');
  live.see(outdated);
  run.says(ada, '/deny not that');
  live.see(run.state);
  expect(await second).toEqual({ allowed: false, why: 'ada denied it: not that' });
});

test('a question that is answered before we know that it was asked gets that answer', async () => {
  const { run, live } = attending(async (apply) => {
    const asked = apply();
    run.says(ada, '/allow');
    return asked;
  });
  expect(await live.ask({ ...removal, id: 'ask-1' }, quiet)).toEqual({ allowed: true, why: '' });
});

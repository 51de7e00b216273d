import { expect, test } from 'vitest';
import { playSequences } from './sequences.ts';

const { COXSWAIN_RANDOM_EVENTS: events = '2000', COXSWAIN_RANDOM_SEED: given } = process.env;
const seed = Number(given ?? Math.floor(Math.random() * 2 ** 31));

test(
  'whatever people, GitHub and the processes of the App do, a run comes to rest where it should',
  async () => {
    console.log(`playing ${events} random events with COXSWAIN_RANDOM_SEED=${seed}`);
    const started = performance.now();
    const tell = ({ events: played, commits }: { events: number; commits: number }) => {
      const perSecond = Math.round((1000 * played) / (performance.now() - started));
      console.log(`${played} events, ${commits} in ledgers, ${perSecond} per second`);
    };
    const played = await playSequences({
      events: Number(events),
      seed,
      every: { events: 100_000, tell },
    });
    tell(played);
    expect(played.phases.size).toBeGreaterThan(7);
  },
  5 * 60_000,
);

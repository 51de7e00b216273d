import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PushLimiter } from '../../src/repository/repository.ts';
import type { Event, EventType } from '../../src/steering/state/event.ts';
import { fakeClock } from '../github/octokit/fake-clock.ts';
import { bob, mia } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

const shown = () => story().starts().works();
const approved = () => story().starts().works().says(mia, '/approve');

/** Runs whose events are recorded, each by a push that lasts until the test ends it. */
function repository() {
  const clock = fakeClock();
  const pushes = new PushLimiter({ clock });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  /** Ends the pushes that are under way, until nothing more happens without waiting. */
  const settles = async () => {
    do {
      for (const end of ends.splice(0)) end();
      await setImmediate();
    } while (ends.length > 0);
  };
  return {
    begun,
    run(name: string, { state: newest }: Pick<Story, 'state'>) {
      const run = { newest };
      return (event: Event) => {
        const record = () => {
          begun.push(`${name} ${event.id}`);
          return new Promise<void>((end) => ends.push(end));
        };
        void pushes.paced(event, run, record);
      };
    },
    settles,
    async waits(seconds: number): Promise<void> {
      await clock.pass(seconds * 1000);
      await settles();
    },
  };
}

/** What happened last in a story, apart from effects that are done. */
function last(run: Story): Event {
  const event = run.events.findLast(({ type }) => type !== 'settled');
  if (event === undefined) throw new Error('nothing has happened');
  return event;
}

const closing = (id: string): Event => ({ ...last(shown().closes(bob)), id });

test('a run that uses up its share keeps no other run waiting', async () => {
  const { run, settles, waits, begun } = repository();
  const one = run('one', shown());
  for (let n = 1; n <= 50; n += 1) {
    one(closing(`${n}`));
    await settles();
  }
  expect(begun).toHaveLength(40);
  run('other', shown())(closing('1'));
  await settles();
  expect(begun.at(-1)).toBe('other 1');
  await waits(10);
  expect(begun.slice(41)).toEqual(Array.from({ length: 10 }, (_, n) => `one ${41 + n}`));
});

test('what arrives during a push goes with the next one, in order', async () => {
  const { run, settles, begun } = repository();
  const one = run('one', shown());
  for (let n = 1; n <= 100; n += 1) one(closing(`${n}`));
  await settles();
  expect(begun).toEqual(Array.from({ length: 100 }, (_, n) => `one ${1 + n}`));
});

/** Every run of a repository has used up its share, and so nobody else can push either. */
async function exhausted() {
  const { run, settles, ...rest } = repository();
  const used = ['one', 'two', 'three'].map((name) => run(name, shown()));
  for (let n = 1; n <= 20; n += 1) {
    for (const each of used) each(closing(`${n}`));
    await settles();
  }
  rest.begun.length = 0;
  run('other', shown())(closing('waiting'));
  await settles();
  expect(rest.begun).toEqual([]);
  return { run, settles, ...rest };
}

test.each<[EventType, Story]>([
  ['said', shown().says(mia, '/approve')],
  ['finish_checked', approved().confirms()],
  ['review_dismissed', shown().reviews(mia, 'approves').dismisses(bob)],
])('(%s) never waits, whatever others push', async (type, told) => {
  const { run, settles, begun } = await exhausted();
  const event = last(told);
  expect(event.type).toBe(type);
  run('this', shown())(event);
  await settles();
  expect(begun).toEqual([`this ${event.id}`]);
});

test.each<[string, (run: Story) => Story]>([
  ['push', (run) => run.pushes(bob)],
  ['new base', (run) => run.retargets(bob, 'other')],
  ['close', (run) => run.closes(bob)],
])('a %s does not wait if the run is approved', async (_, happens) => {
  const { run, settles, waits, begun } = await exhausted();
  run('shown', shown())(last(happens(shown())));
  await settles();
  expect(begun).toEqual([]);
  const event = last(happens(approved()));
  run('approved', approved())(event);
  await settles();
  expect(begun).toEqual([`approved ${event.id}`]);
  await waits(20);
  expect(begun).toHaveLength(3);
});

test('a push that brings no new head does not count', async () => {
  const { run, settles, begun } = await exhausted();
  const told = shown().pushes(bob);
  run('this', told)(last(told));
  await settles();
  expect(begun).toHaveLength(1);
});

test('an event that must not wait does not overtake others of its run', async () => {
  const { run, settles, begun } = await exhausted();
  const told = shown();
  const one = run('this', told);
  one(closing('waiting'));
  await settles();
  const event = last(told.says(mia, '/approve'));
  one(event);
  await settles();
  expect(begun).toEqual(['this waiting', `this ${event.id}`]);
});

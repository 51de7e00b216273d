import { expect, test } from 'vitest';
import {
  createRateLimiter,
  type Priority,
  RateLimitWaitExceeded,
} from '../../../src/github/octokit/rate-limiter.ts';
import { fakeClock } from './fake-clock.ts';

function road(options: Parameters<typeof createRateLimiter>[0] = {}) {
  const clock = fakeClock();
  const pace = createRateLimiter({ clock, ...options });
  const passed: string[] = [];
  const failed: unknown[] = [];
  const leave: (() => void)[] = [];
  return {
    clock,
    pace,
    passed,
    failed,
    leave,
    async send(urgency: Priority, times = 1) {
      for (let n = 0; n < times; n += 1) {
        void pace.enter(urgency).then(
          (done) => {
            passed.push(urgency);
            leave.push(done);
          },
          (fault: unknown) => failed.push(fault),
        );
      }
      await settle();
    },
    async pass(ms: number) {
      await clock.pass(ms);
      await settle();
    },
  };
}

/** Lets pending promises settle. */
async function settle() {
  await new Promise((resolve) => setImmediate(resolve));
}

const wide = { maxInFlight: 10_000 };

test('twenty writes are sent at once and the rest follow at one per second', async () => {
  const { send, pass, passed } = road(wide);
  await send('write', 25);
  expect(passed).toHaveLength(20);
  await pass(1000);
  expect(passed).toHaveLength(21);
  await pass(4000);
  expect(passed).toHaveLength(25);
});

test('there are never more than 80 writes per minute or 500 per hour', async () => {
  const { send, pass, passed } = road({ ...wide, maxWaitMs: 10 * 3_600_000 });
  await send('write', 900);
  await pass(59_999);
  expect(passed.length).toBeLessThanOrEqual(80);
  expect(passed.length).toBeGreaterThanOrEqual(79);
  await pass(3_600_000 - 60_000);
  expect(passed).toHaveLength(500);
  await pass(3_600_000);
  expect(passed).toHaveLength(900);
});

test('acknowledgements go before writes that arrived earlier', async () => {
  const { send, pass, passed } = road(wide);
  await send('write', 30);
  await send('acknowledgement', 2);
  await pass(2000);
  expect(passed.slice(20)).toEqual(['acknowledgement', 'acknowledgement']);
});

test('what strangers cause goes after writes that arrived later', async () => {
  const { send, pass, passed } = road(wide);
  await send('write', 20);
  await send('last', 3);
  await send('write', 3);
  await send('acknowledgement', 2);
  await pass(60_000);
  expect(passed.slice(20, 28)).toEqual([
    ...['acknowledgement', 'acknowledgement', 'write', 'write', 'write', 'last', 'last', 'last'],
  ]);
});

test('reads are sent at once, even when writes are waiting', async () => {
  const { send, passed } = road(wide);
  await send('write', 30);
  await send('read', 40);
  expect(passed.filter((urgency) => urgency === 'read')).toHaveLength(40);
});

test('no more than fifty requests are in progress at a time', async () => {
  const { send, leave, passed } = road();
  await send('read', 60);
  expect(passed).toHaveLength(50);
  for (const done of leave.slice(0, 3)) done();
  await settle();
  expect(passed).toHaveLength(53);
});

test('leaving twice frees only one slot', async () => {
  const { send, leave, passed } = road({ maxInFlight: 2 });
  await send('read', 5);
  leave[0]?.();
  leave[0]?.();
  await settle();
  expect(passed).toHaveLength(3);
});

test('nothing is sent while GitHub asks us to wait', async () => {
  const { send, pass, passed, pace, clock } = road();
  pace.quiet(clock.now() + 5000);
  await send('read');
  await send('write');
  await pass(4999);
  expect(passed).toEqual([]);
  await pass(1);
  expect(passed).toEqual(['read', 'write']);
});

test('a request that waited too long fails and says how long it waited', async () => {
  const { send, pass, failed, passed } = road({ ...wide, maxWaitMs: 10_000 });
  await send('write', 40);
  await pass(10_000);
  expect(passed).toHaveLength(29);
  expect(failed).toHaveLength(11);
  expect(failed[0]).toBeInstanceOf(RateLimitWaitExceeded);
  expect(String(failed[0])).toContain('gave up a request (write) after waiting 10 s');
});

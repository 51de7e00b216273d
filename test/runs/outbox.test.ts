import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LedgerStep } from '../../src/ledger/ledger-steps.ts';
import type { Message, Sent } from '../../src/notify/target-message.ts';
import { Outbox } from '../../src/runs/run/outbox.ts';
import { decide } from '../../src/steering/decide.ts';
import { usualEvents } from '../../src/steering/shapes/announced-events.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { isNotification } from '../../src/steering/state/pending-effect.ts';
import type { State } from '../../src/steering/state/state.ts';
import { ada } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';

/** When what a run owes to targets is sent, and what is recorded of it. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const accepted: Sent = { outcome: 'accepted' };
const down: Sent = { outcome: 'refused', reason: 'answered 500', forGood: false };

const rules = ['team', 'ops'].map((to) => ({ to, events: usualEvents }));

/** A process that tells two targets of a run, and its ledger. */
function processOf(
  run: Story,
  answer: (to: string, message: Message) => Promise<Sent> | Sent,
  read = (seq: number) => stepsOf(run).filter((each) => each.seq >= seq),
) {
  const tried: { readonly to: string; readonly message: Message; readonly at: number }[] = [];
  const recorded: Event[] = [];
  const ledger = { newest: run.state as State, isReachable: true };
  const closing = new AbortController();
  const began = Date.now();
  const take = (event: Event) => {
    if (!ledger.isReachable || recorded.some(({ id }) => id === event.id)) return;
    const verdict = decide(ledger.newest, event);
    if (verdict.outcome === 'nothing') return;
    ledger.newest = verdict.state;
    recorded.push(event);
  };
  let known = run.events.length;
  let shown = 0;
  const outbox = new Outbox(
    {
      ...{ name: 'acme/service#7', number: 7 },
      get newest() {
        return ledger.newest;
      },
      // Of a repository, only its id and its address count here.
      repository: { id: 1, remote: { url: 'https://github.test/acme/service.git' } } as never,
      ledger: { steps: async (after) => ({ steps: read(after + 1) }), defer: take },
      record: async (event) => {
        if (!ledger.isReachable) throw new Error('the remote is down');
        take(event);
        shown += 1;
      },
      services: {
        clock: { now: () => new Date(run.now + Date.now() - began) },
        log: { warn: () => undefined },
        secrets: ['Pinned the clock.'],
        notifier: {
          names: ['team', 'ops'],
          send: async (to, message) => {
            tried.push({ to, message, at: Date.now() - began });
            return answer(to, message);
          },
        },
      },
    },
    closing.signal,
  );
  return {
    ...{ outbox, ledger, closing, recorded, tried },
    look: () => outbox.deliver(ledger.newest),
    /** How often something was recorded that people are to see at once. */
    shown: () => shown,
    /** Records what has happened to the run since. */
    goesOn: () => {
      const steps = run.events.slice(known).flatMap((event): readonly LedgerStep[] => {
        const before = ledger.newest;
        const verdict = decide(before, event);
        if (verdict.outcome === 'nothing') return [];
        ledger.newest = verdict.state;
        return [{ seq: verdict.state.seq, event, before, after: verdict.state }];
      });
      known = run.events.length;
      outbox.note(steps);
    },
    waiting: () => ledger.newest.owed.filter(isNotification).map(({ to, event }) => `${to}: ${event}`),
    told: (name: string) =>
      tried.filter(({ to }) => to === name).map(({ message }) => message.announcement.event),
  };
}

function stepsOf({ events }: Story): readonly LedgerStep[] {
  let before: State | undefined;
  return events.flatMap((event): readonly LedgerStep[] => {
    const verdict = decide(before, event);
    if (verdict.outcome === 'nothing') return [];
    const step = { seq: verdict.state.seq, event, before, after: verdict.state };
    before = verdict.state;
    return [step];
  });
}

/** A run that waits for approval, which its process has just recorded. */
function asking(answer: (to: string, message: Message) => Promise<Sent> | Sent) {
  const run = story({ notify: rules }).starts().works();
  const process = processOf(run, answer);
  process.outbox.note(stepsOf(run));
  return { run, ...process };
}

test('what is secret is sent to none, whoever has written it down', async () => {
  const { look, tried } = asking(() => accepted);
  await look();
  const texts = tried.map(({ message }) => JSON.stringify(message));
  expect(texts).toHaveLength(2);
  for (const text of texts) {
    expect(text).toContain('[REDACTED]');
    expect(text).not.toContain('Pinned the clock');
  }
});

test('each target is told once, and what it was told is recorded', async () => {
  const { look, waiting, tried, recorded } = asking(() => accepted);
  await look();
  await look();
  expect(tried.map(({ to }) => to)).toEqual(['team', 'ops']);
  expect(tried[0]?.message).toMatchObject({
    id: expect.stringMatching(/^msg_[\w-]{27}$/),
    announcement: { event: 'approval_requested', run: 'acme/service#7' },
    url: expect.stringContaining('https://github.test/acme/service/pull/7'),
  });
  expect(waiting()).toEqual([]);
  expect(recorded.map(({ id }) => id)).toEqual(tried.map(({ message }) => `settled:${message.id}`));
});

test('one that is down is tried again after 1, 2 and 4 seconds, and then by the sweep, under one id', async () => {
  const { look, waiting, tried, recorded } = asking((to) => (to === 'team' ? down : accepted));
  const first = look();
  await vi.advanceTimersByTimeAsync(10_000);
  await first;
  const team = tried.filter(({ to }) => to === 'team');
  expect(team.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 7_000]);
  expect(new Set(team.map(({ message }) => message.id)).size).toBe(1);
  expect([recorded.length, waiting()]).toEqual([1, ['team: approval_requested']]);
  const second = look();
  await vi.advanceTimersByTimeAsync(10_000);
  await second;
  expect(tried.filter(({ to }) => to === 'team')).toHaveLength(8);
  expect(recorded).toHaveLength(1);
});

test('one that hangs keeps no other waiting, and gets everything in order once it is back', async () => {
  let release: (sent: Sent) => void = () => undefined;
  const hanging = new Promise<Sent>((resolve) => {
    release = resolve;
  });
  let isBack = false;
  const { run, goesOn, look, told, waiting } = asking((to) => (to === 'ops' || isBack ? accepted : hanging));
  void look();
  await vi.advanceTimersByTimeAsync(0);
  run.says(ada, '/reject no');
  goesOn();
  void look();
  await vi.advanceTimersByTimeAsync(0);
  expect([told('ops'), told('team')]).toEqual([
    ['approval_requested', 'run_finished'],
    ['approval_requested'],
  ]);
  isBack = true;
  release(down);
  await vi.advanceTimersByTimeAsync(10_000);
  await look();
  expect(told('team')).toEqual(['approval_requested', 'approval_requested', 'run_finished']);
  expect(waiting()).toEqual([]);
});

test('one that stays away for a day is given up, and the run says so', async () => {
  const { run, ledger, look, waiting } = asking((to) => (to === 'team' ? down : accepted));
  run.now += 23 * 3_600_000;
  const early = look();
  await vi.advanceTimersByTimeAsync(10_000);
  await early;
  expect([waiting(), ledger.newest.undone]).toEqual([['team: approval_requested'], undefined]);
  run.now += 3_600_000;
  const late = look();
  await vi.advanceTimersByTimeAsync(10_000);
  await late;
  expect([waiting(), ledger.newest.undone]).toEqual([[], [{ do: 'notify', reason: 'team: answered 500' }]]);
});

test('what no later try would change is given up at once, as is a target that is gone', async () => {
  const gone = asking((to) => (to === 'team' ? { ...down, forGood: true } : accepted));
  await gone.look();
  expect(gone.ledger.newest.undone).toEqual([{ do: 'notify', reason: 'team: answered 500' }]);
  const run = story({ notify: [{ to: 'former', events: usualEvents }] })
    .starts()
    .works();
  const { outbox, look, ledger, tried } = processOf(run, () => accepted);
  outbox.note(stepsOf(run));
  await look();
  expect([tried, ledger.newest.undone?.[0]?.reason]).toEqual([
    [],
    'former: the operator has no such target any more',
  ]);
});

test('what another process has recorded is left to it for a minute, and then read from the ledger', async () => {
  const run = story({ notify: rules }).starts().works();
  const { look, tried, waiting } = processOf(run, () => accepted);
  await look();
  expect(tried).toEqual([]);
  run.now += 61_000;
  await look();
  expect(tried.map(({ to }) => to)).toEqual(['team', 'ops']);
  expect(waiting()).toEqual([]);
});

test('what was sent and could not be recorded is recorded at the next look, and not sent again', async () => {
  const { ledger, look, tried, recorded, waiting } = asking(() => accepted);
  ledger.isReachable = false;
  await look();
  expect([tried.length, recorded.length, waiting().length]).toEqual([2, 0, 2]);
  ledger.isReachable = true;
  await look();
  expect([tried.length, recorded.length, waiting().length]).toEqual([2, 2, 0]);
});

test('the next process sends under the same id what this one could not record', async () => {
  const { run, ledger, look, tried } = asking(() => accepted);
  ledger.isReachable = false;
  await look();
  run.now += 61_000;
  const next = processOf(run, () => accepted);
  await next.look();
  expect(next.tried.map(({ message }) => message.id)).toEqual(tried.map(({ message }) => message.id));
});

test('messages of a run go where the target keeps the earlier ones', async () => {
  const { run, goesOn, ledger, look, tried } = asking(() => ({ outcome: 'accepted', thread: '17.5' }));
  await look();
  expect(ledger.newest.threads).toEqual({ team: '17.5', ops: '17.5' });
  run.says(ada, '/reject no');
  goesOn();
  await look();
  expect(tried.map(({ message }) => message.thread)).toEqual([undefined, undefined, '17.5', '17.5']);
});

test('what is recorded while the last message is on its way is told, too, whenever that is', async () => {
  for (let ticks = 0; ticks < 12; ticks++) {
    const { run, outbox, goesOn, ledger, look, waiting } = asking(async (to) => {
      if (to === 'team' && ledger.newest.standing.phase === 'awaiting_approval') void later(ticks);
      return accepted;
    });
    const later = async (count: number) => {
      for (let tick = 0; tick < count; tick++) await undefined;
      run.says(ada, '/reject no');
      goesOn();
      void outbox.deliver(ledger.newest);
    };
    await look();
    await vi.advanceTimersByTimeAsync(0);
    expect([ticks, waiting()]).toEqual([ticks, []]);
  }
});

test('a target that is away for more than a day is tried once for all that is as old, and then not', async () => {
  const { run, goesOn, look, ledger, told, recorded, waiting } = asking((to) =>
    to === 'team' ? down : accepted,
  );
  run.says(ada, '/steer more').works().says(ada, '/steer even more').works();
  goesOn();
  expect(waiting()).toHaveLength(6);
  run.now += 25 * 3_600_000;
  run.says(ada, '/reject no');
  goesOn();
  const looking = look();
  await vi.advanceTimersByTimeAsync(20_000);
  await looking;
  // Once in four tries each: the first of the old ones, and the one of today.
  expect(told('team')).toHaveLength(8);
  expect(recorded.filter((event) => event.type === 'settled' && event.impossible)).toHaveLength(1);
  expect([waiting(), new Set(ledger.newest.undone?.map(({ reason }) => reason))]).toEqual([
    ['team: run_finished'],
    new Set(['team: answered 500']),
  ]);
});

test('what was given up and could not be recorded is recorded and shown at the next look', async () => {
  const { ledger, look, waiting, tried, shown } = asking((to) =>
    to === 'team' ? { ...down, forGood: true } : accepted,
  );
  ledger.isReachable = false;
  await look();
  ledger.isReachable = true;
  await look();
  expect([tried.length, waiting(), shown()]).toEqual([2, [], 1]);
});

test('an entry of which another version told something else first is still told', async () => {
  const { ledger, look, tried, waiting } = asking(() => accepted);
  const owed = ledger.newest.owed.map((each) => (isNotification(each) ? { ...each, nth: 7 } : each));
  ledger.newest = { ...ledger.newest, owed };
  await look();
  expect([tried.map(({ message }) => message.announcement.event), waiting()]).toEqual([
    ['approval_requested', 'approval_requested'],
    [],
  ]);
});

test('what a wrong clock has put into the future is sent by the next process, too', async () => {
  const run = story({ notify: rules }).starts().works();
  run.now -= 3_600_000;
  const { look, waiting } = processOf(run, () => accepted);
  await look();
  expect(waiting()).toEqual([]);
});

test('why an entry cannot be read is told to the operator alone', async () => {
  const run = story({ notify: rules }).starts().works();
  run.now += 25 * 3_600_000;
  const { look, ledger } = processOf(
    run,
    () => accepted,
    () => {
      throw new Error('could not read /srv/coxswain/ledgers/1/7');
    },
  );
  await look();
  const reasons = ledger.newest.undone?.map(({ reason }) => reason);
  expect(reasons).toEqual(['team', 'ops'].map((to) => `${to}: its entry in the ledger could not be read`));
});

test('what is to be told of a long history is read once', async () => {
  const run = story({ notify: rules, max_iterations: 50 }).starts().works();
  for (let count = 0; count < 10; count++) run.says(ada, '/steer more').works();
  run.now += 61_000;
  const read: number[] = [];
  const { look, told, waiting } = processOf(
    run,
    () => accepted,
    (seq) => {
      read.push(seq);
      return stepsOf(run).filter((each) => each.seq >= seq);
    },
  );
  await look();
  expect([told('team').length, told('ops').length, waiting()]).toEqual([11, 11, []]);
  expect(new Set(read).size).toBe(1);
});

test('a process that stops waits for no target', async () => {
  const { look, closing, tried, waiting } = asking(() => down);
  const looking = look();
  await vi.advanceTimersByTimeAsync(500);
  closing.abort();
  await looking;
  expect(tried).toHaveLength(2);
  expect(waiting()).toHaveLength(2);
});

import { expect, test, vi } from 'vitest';
import { groundOf } from '../../../src/steering/approval/auto-approval.ts';
import { isOver } from '../../../src/steering/phases/table.ts';
import type { Event } from '../../../src/steering/state/event.ts';
import { ada, bob, changes, deletion, rea, sha, verifierOutputs } from '../samples.ts';
import { type Story, story } from '../story.ts';
import { Bench } from './bench.ts';
import { ordersOf, type Steps, withRepetition } from './orders.ts';

// Some of them are thousands of short plays.
vi.setConfig({ testTimeout: 5 * 60_000 });

/** Every order of what two or three actors do, among them a process that acts upon the ledger. */

const timed = { mode: 'auto', new_history: 0, auto_proceed_after_s: 60, finish: 'merge' } as const;
const written = { on_timeout: 'proceed', on_timeout_written: true } as const;

/** Goes on by itself in a minute unless somebody says something. */
function timedRun(): Story {
  const run = story({ approval: { ...timed, ...written } }).starts();
  run.agent.finishes();
  run.verifiers.fail('lint');
  run.now += 61_000;
  return run;
}

/** Approved by policy; the final check is still to be made. */
function policyRun(): Story {
  const run = story({ approval: { ...timed, finish: 'merge' } }).starts();
  run.agent.finishes();
  run.now += 1000;
  return run;
}

/** Waits for people, who may merge by approving. */
function manualRun(): Story {
  const run = story({ approval: { finish: 'merge' } })
    .starts()
    .works();
  run.now += 60_000;
  return run;
}

type Deeds = Readonly<Record<string, (bench: Bench) => void>>;

interface Race {
  readonly start: () => Bench;
  readonly actors: readonly Steps[];
  readonly deeds: Deeds;
  /** What is true in the end; `order` is what happened, with the step names. */
  readonly claim: (bench: Bench, order: Steps) => void;
}

const process = (times: number): Steps => Array.from({ length: times }, () => 'act');
const common: Deeds = {
  act: (bench) => bench.acts(),
  'timer reads': (bench) => bench.timerReads(),
  'timer records': (bench) => bench.timerRecords(),
};

/** Plays all orders, also with news and timers told twice; then everything that is left comes to rest. */
function playAll({ start, actors, deeds, claim }: Race): number {
  let played = 0;
  const all: Deeds = { ...common, ...deeds };
  for (const plain of ordersOf(actors)) {
    for (const order of withRepetition(
      plain,
      (step) => step.startsWith('hear') || step === 'timer records',
    )) {
      const bench = start();
      for (const step of order) {
        bench.now += 1000;
        all[step]?.(bench);
      }
      rest(bench);
      try {
        holdsAlways(bench);
        claim(bench, order);
      } catch (cause) {
        throw new Error(`after ${order.join(', ')} (${bench.log.join('; ')})`, { cause });
      }
      played += 1;
    }
  }
  return played;
}

function rest(bench: Bench): void {
  // A process reads before it records or merges, so two rounds may pass in which nothing is recorded.
  for (let round = 0, quiet = 0; round < 20 && quiet < 3; round++) {
    const before = bench.recorded.length;
    bench.now += 1000;
    bench.catchesUp();
    bench.acts();
    quiet = bench.recorded.length === before ? quiet + 1 : 0;
  }
}

/** Whatever happened: nothing is lost, what was merged is what was verified and approved, and never both. */
function holdsAlways({ hub, state, recorded, mergedAs }: Bench): void {
  const ids = new Set(recorded.map(({ id }) => id));
  // After the end nothing is said to the run any more but that it is over.
  const lost = hub.words.filter(({ event }) => event !== undefined && !ids.has(event.id));
  if (lost.length > 0 || ids.size !== recorded.length) expect({ lost, recorded }).toBe('each word once');
  if (hub.merged === undefined || mergedAs === undefined) return;
  // Whoever rejects what GitHub has merged, and we have not heard of, is too late.
  expect(state.standing.phase).toMatch(/^(?:done|rejected)$/);
  expect(mergedAs.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect(mergedAs.shown?.head_sha).toBe(hub.merged);
  for (const { head_sha } of mergedAs.approvals) expect(head_sha).toBe(hub.merged);
  expect(mergedAs.approvals.length > 0 || groundOf(mergedAs) !== undefined).toBe(true);
}

const before = (order: Steps, first: string, then: string) => order.indexOf(first) < order.indexOf(then);
const isMerged = ({ hub }: Bench) => hub.merged !== undefined;

/** The story is told once: what is recorded later leaves it as it is. */
function startOf(make: () => Story): () => Bench {
  const told = make();
  return () => new Bench(told);
}

const ofPolicy = policyRun();

/** What the verifiers have said is recorded, and what follows from it is still to be done. */
function approvedByPolicy(): Bench {
  const bench = new Bench(ofPolicy);
  const { standing, head, settings } = bench.state;
  if (standing.phase !== 'verifying' || !('hold' in standing)) throw new Error(`it is ${standing.phase}`);
  const verified = { verifiers: verifierOutputs(settings), changes, gates: [], duration_s: 1, head };
  const stamp = { id: 'verified', at: bench.at, hold: standing.hold };
  bench.record({ type: 'verified', ...stamp, ...verified });
  expect(bench.state.standing).toMatchObject({ phase: 'approved', ground: { rule: 'auto' } });
  return bench;
}

const steer = { type: 'steer', prompt: 'Use UTC.', now: false } as const;

test.each([
  ['a query', { type: 'status' }],
  ['a steer', steer],
  ['a rejection', { type: 'reject', reason: 'No.' }],
] as const)(
  '%s that is heard before the timer reads stops it; what comes later is answered',
  (_what, command) => {
    const played = playAll({
      start: startOf(timedRun),
      actors: [['timer reads', 'timer records'], ['ada writes', 'hear ada'], process(5)],
      deeds: {
        'ada writes': (bench) => bench.writes(ada, 'ada', command),
        'hear ada': (bench) => bench.hears('ada'),
      },
      claim: (bench, order) => {
        if (before(order, 'ada writes', 'timer reads')) expect(isMerged(bench)).toBe(false);
        if (command.type === 'reject' && !isMerged(bench))
          expect(bench.state.standing.phase).toBe('rejected');
        if (command.type === 'steer' && !isMerged(bench))
          expect(bench.state.iteration + bench.state.queue.length).toBe(1);
      },
    });
    expect(played).toBeGreaterThan(1000);
  },
);

test('a plain comment stops it until the final check has read what was said', () => {
  playAll({
    start: startOf(timedRun),
    actors: [['timer reads', 'timer records'], ['bob comments'], process(6)],
    deeds: { 'bob comments': (bench) => bench.writes(bob, 'bob') },
    claim: (bench, order) => {
      if (before(order, 'bob comments', 'timer reads'))
        expect(bench.state.left_to_people?.because).toMatchObject({ why: 'stopped', by: 'bob' });
      const firstCheck = order.indexOf('act', order.indexOf('timer records'));
      if (order.indexOf('bob comments') < firstCheck) expect(isMerged(bench)).toBe(false);
    },
  });
});

test('a stranger and nobody at all do not keep it from going on', () => {
  playAll({
    start: startOf(timedRun),
    actors: [['timer reads', 'timer records'], ['rea comments'], process(3)],
    deeds: { 'rea comments': (bench) => bench.writes(rea, 'rea') },
    claim: (bench) => expect(isMerged(bench)).toBe(true),
  });
});

/** Somebody moves the branch, of which we hear later. */
const pushing: Deeds = {
  'bob pushes': (bench) => {
    const [from, head] = [bench.hub.head, sha(99)];
    bench.hub.head = head;
    bench.hub.policy = { ...bench.hub.policy, pushers: { people: [bob], complete: true } };
    const event = { type: 'pushed', before: from, head, forced: false, by: 'bob', by_id: bob.id } as const;
    bench.happens('push', { ...event, id: `push:${head}`, at: bench.at } as Event);
  },
  'hear push': (bench) => bench.hears('push'),
};

test('a push and an approval: what was approved is merged, or nothing is', () => {
  const command = { type: 'approve', sha: null, despite: [] } as const;
  const played = playAll({
    start: startOf(manualRun),
    actors: [['bob pushes', 'hear push'], ['ada writes', 'hear ada'], process(5)],
    deeds: {
      ...pushing,
      'ada writes': (bench) => bench.writes(ada, 'ada', command),
      'hear ada': (bench) => bench.hears('ada'),
    },
    claim: (bench) => {
      expect(bench.hub.merged ?? bench.hub.head).not.toBe(bench.hub.merged && sha(99));
      if (!isMerged(bench)) expect(bench.state.head).toBe(sha(99));
    },
  });
  expect(played).toBeGreaterThan(1000);
});

test.each([
  ['a steer', steer],
  ['a rejection', { type: 'reject', reason: 'No.' }],
] as const)('a finish by policy and %s: never both', (_what, command) => {
  playAll({
    start: approvedByPolicy,
    actors: [['ada writes', 'hear ada'], process(7)],
    deeds: {
      'ada writes': (bench) => bench.writes(ada, 'ada', command),
      'hear ada': (bench) => bench.hears('ada'),
    },
    claim: (bench, order) => {
      const heard = order.indexOf('hear ada');
      const acts = order.slice(0, heard).filter((step) => step === 'act').length;
      if (!isMerged(bench))
        return expect(bench.state.standing.phase).toBe(command.type === 'steer' ? 'queued' : 'rejected');
      // Too late: the merge was under way when we heard of it.
      expect(acts).toBeGreaterThan(3);
      expect(isOver(bench.state.standing.phase)).toBe(true);
      return undefined;
    },
  });
});

test('a finish by policy and a push: only what was verified is merged', () => {
  playAll({
    start: approvedByPolicy,
    actors: [['bob pushes', 'hear push'], process(7)],
    deeds: pushing,
    claim: (bench) => {
      expect(bench.hub.merged).not.toBe(sha(99));
      if (!isMerged(bench)) expect(bench.state).toMatchObject({ head: sha(99), pushes: [{ head: sha(99) }] });
    },
  });
});

const fallen: readonly (readonly [string, (bench: Bench) => Partial<Bench['hub']>])[] = [
  ['another base', () => ({ base: 'release' })],
  ['a changed configuration', ({ hub }) => ({ settings: { ...hub.settings, digest: 'other' } })],
  ['a role that is lost', () => ({ policy: { without_write: ['ada'] } })],
  ['a gate that the rules find only now', () => ({ policy: { gates: [deletion] } })],
  ['a history that was removed', () => ({ policy: { sealed: false } })],
];

test.each(fallen)('%s takes a finish by policy back until it is merged', (_what, happens) => {
  playAll({
    start: approvedByPolicy,
    actors: [['it happens'], process(7)],
    deeds: { 'it happens': (bench) => void Object.assign(bench.hub, happens(bench)) },
    claim: (bench, order) => {
      const acts = order.slice(0, order.indexOf('it happens')).filter((step) => step === 'act').length;
      if (acts < 4) expect(isMerged(bench)).toBe(false);
      if (!isMerged(bench))
        expect(bench.state.standing).toMatchObject({ phase: 'queued', work: 'verify_head' });
    },
  });
});

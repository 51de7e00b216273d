import { expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import { act } from '../../src/steering/loop.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { PendingEffect } from '../../src/steering/state/pending-effect.ts';
import type { Performed } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';
import { ada, bob, rea } from './samples.ts';
import { type Story, story } from './story.ts';

/** What was done so far, in order; an effect that comes last waits for `answer`. */
function ports() {
  const done: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const nameOf = (effect: PendingEffect) =>
    `${effect.do}${'last' in effect && effect.last ? ' to a stranger' : ''}`;
  const effects = {
    engage: () => undefined,
    perform: async (effect: PendingEffect): Promise<Performed> => {
      if ('last' in effect && effect.last) await answered;
      done.push(nameOf(effect));
      return { outcome: 'done' };
    },
    present: async () => void done.push('present'),
  };
  const events: Event[] = [];
  const defer = (event: Event) => {
    events.push(event);
    done.push(event.id);
  };
  const record = async (event: Event) => {
    defer(event);
    return { state: undefined, fresh: true };
  };
  const ledger = { defer, record };
  return { done, events, answer: () => answer(), ports: { effects, ledger } };
}

/** As if no effect had been performed yet. */
function owing({ state, effects }: Story): State {
  return { ...state, owed: effects.filter((effect) => effect.do === 'reply') };
}

test('an answer to a stranger that waits keeps neither other effects nor the rendering waiting', async () => {
  const state = owing(story().starts().works().says(rea, '/status').says(ada, '/why'));
  const { done, answer, ports: used } = ports();
  const acting = act(state, used);
  await expect.poll(() => done).toEqual(['present', 'reply', `settled:${state.seq}`]);
  answer();
  await acting;
  expect(done.slice(3)).toEqual(['reply to a stranger', `settled:${state.seq}:last`]);
});

test('without strangers everything is settled at once', async () => {
  const state = owing(story().starts().works().says(ada, '/why'));
  const { done, ports: used } = ports();
  await act(state, used);
  expect(done).toEqual(['present', 'reply', `settled:${state.seq}`]);
});

test('an ended run is settled only when it is also rendered', async () => {
  const state = owing(story().starts().works().says(ada, '/why').says(ada, '/cancel'));
  const { done, ports: used } = ports();
  const present = async () => {
    throw new Error('GitHub is down');
  };
  await expect(act(state, { ...used, effects: { ...used.effects, present } })).rejects.toThrow('is down');
  expect(done).toEqual(['reply']);
  await act(state, used);
  expect(done.slice(1)).toEqual(['present', 'reply', `settled:${state.seq}`]);
});

test('a state is rendered even if nobody can be answered', async () => {
  const state = owing(story().starts().works().says(ada, '/why'));
  const { done, ports: used } = ports();
  const perform = async () => {
    throw new Error('GitHub refuses comments');
  };
  await expect(act(state, { ...used, effects: { ...used.effects, perform } })).rejects.toThrow('refuses');
  expect(done).toEqual(['present']);
});

test('one effect that fails keeps neither the others nor the rendering from being done', async () => {
  const state = owing(story().starts().works().says(ada, '/why').says(ada, '/status'));
  const [failing, other] = state.owed.map(({ id }) => id);
  const { done, events, ports: used } = ports();
  let isDown = true;
  const perform = async (effect: PendingEffect): Promise<Performed> => {
    if (isDown && effect.id === failing) throw new Error('GitHub is down');
    return used.effects.perform(effect);
  };
  const flaky = { ...used, effects: { ...used.effects, perform } };
  await expect(act(state, flaky)).rejects.toThrow('is down');
  expect(done).toEqual(['present', 'reply', `settled:${state.seq}:1`]);
  expect(events).toMatchObject([{ paid: [other] }]);
  isDown = false;
  // The same state again, because the first commit has not been written yet.
  await act(state, flaky);
  expect(events.at(-1)).toMatchObject({ id: `settled:${state.seq}`, paid: [failing, other] });
});

test('what GitHub refuses for good is recorded as that, and is tried no more', async () => {
  const run = story().starts().works().says(ada, '/why');
  const state = owing(run);
  const { events, ports: used } = ports();
  const reason = 'Unable to create comment because issue is locked';
  const perform = async (): Promise<Performed> => ({ outcome: 'impossible', reason });
  await act(state, { ...used, effects: { ...used.effects, perform } });
  const [event] = events;
  const [effect] = state.owed;
  expect(event).toMatchObject({ type: 'settled', impossible: [{ id: effect?.id, reason }] });
  const verdict = decide(state, event as Event);
  expect(verdict).toMatchObject({ state: { owed: [], undone: [{ do: 'reply', reason }] } });
});

test('what GitHub refuses for good is drawn at once, with the reason', async () => {
  const state = owing(story().starts().works().says(ada, '/why'));
  const { done, ports: used } = ports();
  const perform = async (): Promise<Performed> => ({ outcome: 'impossible', reason: 'locked' });
  const drawn: (readonly unknown[] | undefined)[] = [];
  const present = async ({ undone }: State) => void drawn.push(undone);
  const record = async (event: Event) => {
    const verdict = decide(state, event);
    return { state: verdict.outcome === 'next' ? verdict.state : undefined, fresh: true };
  };
  await act(state, { effects: { ...used.effects, perform, present }, ledger: { ...used.ledger, record } });
  expect(drawn).toEqual([undefined, [{ do: 'reply', reason: 'locked' }]]);
  expect(done).toEqual([]);
});

test('what permits merging is taken back before anybody is answered', async () => {
  const { state, effects } = story().starts().works().says(bob, '/approve').confirms().pushes(bob);
  const isSaid = (effect: PendingEffect) => effect.do === 'reply';
  const isTakenBack = (effect: PendingEffect) => effect.do === 'withdraw' && effect.approved;
  const owed = [...effects.filter(isSaid), ...effects.filter(isTakenBack)];
  const { done, ports: used } = ports();
  await act({ ...state, owed }, used);
  expect(done.filter((what) => what !== 'present')).toEqual(['withdraw', 'reply', `settled:${state.seq}`]);
});

test('a decision on a former head may be taken back without a commit of its own, until the run ends', async () => {
  const withdrawal = { id: 'push:withdraw', do: 'withdraw', heads: ['a'], approved: false } as const;
  const run = story().starts().works();
  const { events, ports: used } = ports();
  await act({ ...run.state, owed: [withdrawal] }, used);
  expect(events).toEqual([]);
  const { state } = run.says(ada, '/cancel');
  await act({ ...state, owed: [withdrawal] }, used);
  expect(events).toMatchObject([{ paid: [withdrawal.id] }]);
  await act({ ...state, owed: [] }, used);
  expect(events).toHaveLength(1);
});

test('only what is said to be impossible is', async () => {
  const state = owing(story().starts().works().says(ada, '/why'));
  const { events, ports: used } = ports();
  await act(state, used);
  expect(events[0]).not.toHaveProperty('impossible');
});

test('the last three refusals of GitHub are shown, and what is not owed is never among them', () => {
  const { state } = story().starts();
  const reasons = ['1', '2', '3', '4'];
  const owed = reasons.map((id) => ({ id, do: 'reply', words: { say: 'help' }, to: null }) as const);
  const impossible = [...reasons, 'unknown'].map((reason) => ({ id: reason, reason }));
  const at = state.updated_at;
  const event = { type: 'settled', id: 'settled:1', at, paid: reasons, impossible } as const;
  expect(decide({ ...state, owed }, event)).toMatchObject({
    state: { owed: [], undone: [{ reason: '2' }, { reason: '3' }, { reason: '4' }] },
  });
  expect(decide(state, event)).toEqual({ outcome: 'nothing' });
});

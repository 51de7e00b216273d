import { expect, test } from 'vitest';
import type { PendingEffect } from '../../src/steering/pending-effect.ts';
import type { State } from '../../src/steering/state.ts';
import { act } from '../../src/steering/steer.ts';
import { ada, rea } from './samples.ts';
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
    perform: async (pending: readonly PendingEffect[]) => {
      if (pending.some((effect) => 'last' in effect && effect.last)) await answered;
      done.push(...pending.map(nameOf));
    },
    present: async () => void done.push('present'),
  };
  const ledger = { defer: ({ id }: { readonly id: string }) => void done.push(id) };
  return { done, answer: () => answer(), ports: { effects, ledger } };
}

/** As if no effect had been performed yet. */
function owing({ state, effects }: Story): State {
  return { ...state, owed: effects.filter((effect) => effect.do === 'reply') };
}

test('an answer to a stranger that waits keeps neither other effects nor the rendering waiting', async () => {
  const state = owing(story().starts().works().says(rea, '/status').says(ada, '/why'));
  const { done, answer, ports: used } = ports();
  const acting = act(state, used);
  await expect.poll(() => done).toEqual(['reply', `settled:${state.seq}`, 'present']);
  answer();
  await acting;
  expect(done.slice(3)).toEqual(['reply to a stranger', `settled:${state.seq}:last`]);
});

test('without strangers everything is settled at once', async () => {
  const state = owing(story().starts().works().says(ada, '/why'));
  const { done, ports: used } = ports();
  await act(state, used);
  expect(done).toEqual(['reply', `settled:${state.seq}`, 'present']);
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
  expect(done.slice(1)).toEqual(['reply', 'present', `settled:${state.seq}`]);
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

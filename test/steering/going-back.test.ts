import { describe, expect, test } from 'vitest';
import { ada, automation, bob, rea } from './samples.ts';
import { type Story, story } from './story.ts';

/** `/undo`: back to what an iteration came to, by a new commit. */

const twice = (choices = {}) => story(choices).starts().works().says(ada, '/steer more').works();
const heads = ({ state }: Story) => state.iterations.map(({ head_after }) => head_after);

test('the way back is a commit of an iteration of its own, which costs none and is verified', () => {
  const run = twice();
  const [first] = heads(run);
  run.says(bob, '/undo');
  expect(run.state.standing).toEqual({
    phase: 'queued',
    work: 'verify_head',
    undoes: { to: 0, head: first, by: 'bob' },
  });
  expect([run.state.iteration, run.state.max_iterations]).toEqual([2, 6]);
  run.engine.undoes();
  expect(run.tookCode).toBe(true);
  expect(run.phase).toBe('verifying');
  run.verifiers.pass();
  expect(run.phase).toBe('awaiting_approval');
  expect(run.state.iterations[2]).toMatchObject({
    prompt: 'Back to iteration 0',
    steers: [],
    undo: { to: 0, by: 'bob', done: true },
    head_after: run.state.head,
  });
  expect(run.state.contributors).toEqual([{ login: 'bob', id: 2 }]);
});

test('without a number it goes one further back each time, and a number leads forward again', () => {
  const run = twice().says(ada, '/steer still more').works();
  run.says(ada, '/undo').engine.undoes().verifiers.pass();
  expect(run.state.iterations.at(-1)?.undo).toMatchObject({ to: 1 });
  run.says(ada, '/undo').engine.undoes().verifiers.pass();
  expect(run.state.iterations.at(-1)?.undo).toMatchObject({ to: 0 });
  expect(run.says(ada, '/undo').refusal).toEqual({ why: 'nothing_to_undo' });
  run.says(ada, '/undo 2');
  expect(run.state.standing).toMatchObject({ undoes: { to: 2, head: heads(run)[2] } });
});

describe('what cannot be undone is refused:', () => {
  test.each([
    ['/undo 1', { why: 'no_earlier_iteration', named: 1, newest: 1 }],
    ['/undo 9', { why: 'no_earlier_iteration', named: 9, newest: 1 }],
  ])('%s', (text, refusal) => expect(twice().says(ada, text).refusal).toEqual(refusal));

  test('the first iteration', () =>
    expect(story().starts().works().says(ada, '/undo').refusal).toEqual({ why: 'nothing_to_undo' }));

  test('by people who may only read', () =>
    expect(twice().says(rea, '/undo').refusal).toMatchObject({ why: 'not_permitted' }));

  test('what others pushed, unless the iteration is named', () => {
    const run = twice().pushes(bob).verifiers.pass();
    const others = [{ head: run.state.head, by: 'bob', iteration: 1 }];
    expect(run.says(ada, '/undo').refusal).toEqual({ why: 'undoes_others', to: 0, others });
    run.says(ada, '/undo 0');
    expect(run.replies.at(-1)).toEqual({ say: 'undoing', to: 0, others });
  });
});

describe('what others pushed in the very iteration', () => {
  test('is told if nobody had verified it yet', () => {
    const run = twice().pushes(bob);
    const others = [{ head: run.state.head, by: 'bob', iteration: 1 }];
    run.says(ada, '/undo 0').engine.undoes().verifiers.pass().says(ada, '/undo 1');
    expect(run.replies.at(-1)).toEqual({ say: 'undoing', to: 1, others });
  });

  test('stays once it is verified, or has work on top of it', () => {
    const verified = story().starts().works().pushes(bob).verifiers.pass();
    const onTop = story().starts().engine.takes().pushes(bob).works();
    for (const run of [verified, onTop]) {
      const { head } = run.state;
      run.says(ada, '/steer more').works().says(ada, '/undo');
      expect(run.state.pushes).toHaveLength(1);
      expect(run.replies.at(-1)).toEqual({ say: 'undoing', to: 0, others: [] });
      expect(run.state.standing).toMatchObject({ undoes: { to: 0, head } });
    }
  });
});

test('an undo adds an iteration, and so has the bound that /extend has', () => {
  const run = twice();
  for (let times = 0; times < 5; times++) run.says(ada, '/extend 20');
  const { standing } = run.state;
  expect(run.says(ada, '/undo').refusal).toEqual({ why: 'extended_enough', max: 100 });
  expect(run.state).toMatchObject({ max_iterations: 100, standing: { phase: standing.phase } });
});

test('work in progress is stopped, and an iteration that put nothing on the branch needs no commit', () => {
  const run = twice().says(ada, '/steer wrong').engine.takes();
  const { hold } = run;
  run.says(ada, '/undo');
  expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
  expect(run.state.iterations.at(-1)?.undo).toEqual({ to: 1, by: 'ada', done: true });
  run.agent.finishes({}, hold);
  expect(run.tookCode).toBe(false);
  expect(run.verifiers.pass().phase).toBe('awaiting_approval');
});

test('steers wait for the way back, also those that are to be heard at once', () => {
  const run = twice().says(ada, '/undo').says(bob, '/steer --now like that');
  expect(run.state.queue).toHaveLength(1);
  run.engine.undoes().verifiers.pass();
  expect(run.state).toMatchObject({
    iteration: 3,
    queue: [],
    standing: { phase: 'queued', work: 'attempt' },
  });
});

test('a push meanwhile is not undone unseen: whoever asked is told, and the head is verified', () => {
  for (const pushed of [
    () => twice().says(ada, '/undo').pushes(bob),
    () => twice().says(ada, '/undo').engine.takes().pushes(bob),
    () => twice().says(ada, '/undo').says(ada, '/pause').pushes(bob).says(ada, '/resume'),
  ]) {
    const run = pushed();
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
    expect(run.replies.at(-1)).toMatchObject({ say: 'not_undone', to: 0 });
    expect(run.state.iterations.at(-1)?.undo?.done).toBe(false);
  }
});

test('a process that is lost on the way back is replaced, and one that fails leaves the head as it is', () => {
  const run = twice().says(ada, '/undo').engine.takes().engine.isLost();
  expect(run.state.standing).toMatchObject({ phase: 'queued', undoes: { to: 0 } });
  run.engine.takes().agent.fails('not_found', 'its commit no longer exists');
  expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
  expect(run.effects.at(-1)).toMatchObject({
    do: 'reply',
    to: 'ada',
    words: { say: 'not_undone', to: 0, why: 'its commit no longer exists' },
  });
});

test('an undo takes an approval back, and held work is set aside', () => {
  const approved = twice().says(bob, '/approve').confirms().says(ada, '/undo');
  expect(approved.state.approvals).toEqual([]);
  expect(approved.effects).toContainEqual(expect.objectContaining({ do: 'withdraw', approved: true }));
  const held = twice().says(ada, '/steer deploy').agent.isHeld([automation]).says(ada, '/undo');
  expect(held.state.set_aside).toBeDefined();
  expect(held.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
});

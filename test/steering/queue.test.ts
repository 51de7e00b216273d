import { describe, expect, test } from 'vitest';
import { ada, bob, deletion, sha } from './samples.ts';
import { story } from './story.ts';
import { historyOf } from './story-words.ts';

describe('a steer while the agent works', () => {
  const busy = () => story().starts().engine.takes();

  test('is queued, acknowledged with its position, and applied as the next iteration', () => {
    const run = busy().says(ada, '/steer use UTC');
    expect(run.phase).toBe('working');
    expect(run.replies).toEqual([{ say: 'queued', place: 1 }]);
    expect(run.reactions).toEqual(['rocket']);
    run.agent.finishes().verifiers.pass();
    expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued', work: 'attempt' } });
    expect(run.prompts).toEqual(['', 'use UTC']);
  });

  test('is queued while work waits to be taken, and while verifiers run', () => {
    const run = story().starts().says(ada, '/steer a').agent.finishes().says(bob, '/steer b');
    expect(run.replies).toEqual([
      { say: 'queued', place: 1 },
      { say: 'queued', place: 2 },
    ]);
    expect(run.verifiers.pass().prompts).toEqual(['', 'a\n\nb']);
  });

  test('joins the others in one iteration, in order, each with its author', () => {
    const run = busy().says(ada, '/steer a').says(bob, '/steer b').says(ada, '/steer c');
    run.works().works();
    expect(run.state.iteration).toBe(1);
    expect(historyOf(run.state)).toMatchObject([
      {
        prompt: 'a\n\nb\n\nc',
        steers: [
          { prompt: 'a', author: 'ada' },
          { prompt: 'b', author: 'bob' },
          { prompt: 'c', author: 'ada' },
        ],
        landed: true,
      },
    ]);
    expect(run.subjects).toContain('Start iteration 1, steered by ada, bob: a b c');
  });

  test('takes precedence over another attempt when the verifiers fail', () => {
    const run = busy().says(ada, '/steer a').agent.finishes().verifiers.fail('test');
    expect(run.state).toMatchObject({ iteration: 1, attempt: 0, attempts_used: 0, queue: [] });
  });

  test('takes precedence over another attempt when the agent fails', () => {
    const run = busy().says(ada, '/steer a').agent.fails();
    expect(run.state).toMatchObject({
      iteration: 1,
      head: sha(0),
      standing: { phase: 'queued', work: 'attempt' },
    });
    expect(run.state.iterations[0]).toMatchObject({ landed: true, attempts: 1 });
  });

  test('takes precedence over the question when confidence is zero', () => {
    const run = story({ verifiers: [], attempts: { max: 2 } })
      .starts()
      .agent.fails();
    run.engine.takes().says(ada, '/steer a');
    run.agent.finishes({ tool_calls: [{ kind: 'execute', title: 'x', outcome: 'failed' }] });
    run.verifiers.pass([deletion]);
    expect(run.state.shown?.decision).toBe('abort');
    expect(run.state).toMatchObject({ iteration: 1, queue: [], standing: { phase: 'queued' } });
  });

  test('takes precedence over an approval that is still valid', () => {
    const run = story().starts().works().says(bob, '/approve').says(bob, '/verify').says(ada, '/steer a');
    run.verifiers.pass();
    expect(run.state).toMatchObject({ iteration: 1, approvals: [], standing: { phase: 'queued' } });
  });

  test('with --now stops the attempt and includes the queue', () => {
    const run = busy().says(bob, '/steer a');
    const { hold } = run;
    run.says(ada, '/steer --now b');
    expect(run.prompts).toEqual(['', 'a\n\nb']);
    expect(run.state).toMatchObject({
      iteration: 1,
      queue: [],
      standing: { phase: 'queued', work: 'attempt' },
    });
    run.agent.finishes({}, hold);
    expect(run.tookCode).toBe(false);
    expect(run.state.head).toBe(sha(0));
  });

  test('is applied after a resume when the branch was deleted meanwhile', () => {
    const run = busy().says(ada, '/steer a').deletesBranch(bob);
    expect(run.state.queue).toHaveLength(1);
    run.says(bob, '/resume').works();
    expect(run.prompts).toEqual(['', 'a']);
  });
});

describe('a queued steer', () => {
  const withSteers = () =>
    story()
      .starts()
      .engine.takes()
      .says(ada, '/steer a', { comment: 1 })
      .says(ada, '/steer b', { comment: 2 });

  test('is withdrawn when its author deletes the comment', () => {
    const run = withSteers().edits(1, null);
    expect(run.state.queue).toMatchObject([{ prompt: 'b' }]);
    expect(run.replies.at(-1)).toEqual({ say: 'withdrawn', place: 1 });
  });

  test('changes when its author edits the comment', () => {
    const run = withSteers().edits(2, 'b, but shorter');
    expect(run.state.queue).toMatchObject([{ prompt: 'a' }, { prompt: 'b, but shorter' }]);
    expect(run.replies.at(-1)).toEqual({ say: 'changed', place: 2 });
  });

  test.each(['edits', null])('stays as its author wrote it when someone else %s the comment', (text) => {
    const run = withSteers().edits(2, text, { by: bob, by_author: false });
    expect(run.state.queue).toMatchObject([{ prompt: 'a' }, { prompt: 'b' }]);
    expect(run.replies.at(-1)).toEqual({ say: 'unchanged', place: 2 });
  });

  test('follows its author’s edits during a pause and after an internal error', () => {
    const paused = withSteers().deletesBranch(bob).edits(1, null);
    expect(paused.state.queue).toMatchObject([{ prompt: 'b' }]);
    const failed = withSteers().engine.breaks().edits(2, 'c');
    expect(failed.state.queue).toMatchObject([{ prompt: 'a' }, { prompt: 'c' }]);
  });

  test('cannot change once its iteration has started', () => {
    const run = withSteers().agent.finishes().verifiers.pass();
    const { state } = run;
    run.edits(1, 'something else');
    expect(run.state).toBe(state);
  });

  test('is not affected by an edit of another comment', () => {
    const run = withSteers();
    const { state } = run;
    expect(run.edits(3, 'x').state).toBe(state);
  });

  test('is dropped when the run is rejected or its pull request closed', () => {
    expect(withSteers().says(bob, '/reject no').state.queue).toEqual([]);
    expect(withSteers().closes(bob).state.queue).toEqual([]);
    expect(withSteers().merges(bob).state.queue).toEqual([]);
  });

  test('that is withdrawn leaves the ordinary question', () => {
    const run = withSteers().edits(1, null).edits(2, null).agent.finishes().verifiers.pass();
    expect(run.phase).toBe('awaiting_approval');
  });
});

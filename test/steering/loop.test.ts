import { describe, expect, test } from 'vitest';
import { ada, bob, mia, rea, robot, sha } from './samples.ts';
import { type Story, story } from './story.ts';
import { historyOf } from './story-words.ts';

/** The rows of the loop's vectors that are decided here. */

describe('a run', () => {
  test('starts queued, with the task as iteration 0', () => {
    const run = story().starts();
    expect(run.phase).toBe('queued');
    expect(run.subject).toBe('Start: Fix the flaky test');
    expect(run.state).toMatchObject({
      seq: 1,
      iteration: 0,
      attempt: 0,
      max_iterations: 5,
      requested_by: ada,
    });
  });

  test('does not exist before it is started', () => {
    const run = story();
    run.apply({ type: 'closed', merged: false, by: 'ada' });
    expect(run.events).toEqual([]);
  });

  test('is started once', () => {
    const run = story().starts();
    const { state } = run;
    expect(run.starts().state).toBe(state);
  });

  test('that is worked on and approved is ready, with an empty steering history', () => {
    const run = story().starts().works();
    expect(run.phase).toBe('awaiting_approval');
    run.says(bob, '/approve');
    expect(run.state.standing).toEqual({ phase: 'approved', finish: 'checking' });
    run.confirms();
    expect(run.state.standing).toEqual({ phase: 'approved', finish: 'finished' });
    run.merges(bob);
    expect(run.state.standing).toEqual({ phase: 'done', merged: true });
    expect(historyOf(run.state)).toEqual([]);
  });

  test('that is steered and approved keeps the prompt in its history', () => {
    const run = story()
      .starts()
      .works()
      .says(ada, '/steer Also fix tests')
      .works()
      .says(ada, '/approve')
      .confirms();
    expect(run.phase).toBe('approved');
    expect(historyOf(run.state)).toMatchObject([
      {
        iteration_number: 1,
        prompt: 'Also fix tests',
        head_before: sha(1),
        head_after: sha(2),
        landed: true,
      },
    ]);
  });

  test('that is rejected is closed with the human’s reason', () => {
    const run = story().starts().works().says(bob, '/reject wrong layer\n\nSee #4.');
    expect(run.state.standing).toEqual({ phase: 'rejected', by: 'bob', reason: 'wrong layer\n\nSee #4.' });
    expect(run.state.interactions).toMatchObject([{ id: 'approval:7:4', by: 'bob', how: 'rejected' }]);
  });

  test('that is cancelled says who cancelled it', () => {
    const run = story().starts().says(bob, '/cancel');
    expect(run.state.standing).toEqual({ phase: 'cancelled', by: 'bob', reason: 'cancelled' });
  });

  test('whose agent changes nothing at first waits with its words, and nothing can be approved', () => {
    const run = story().starts().agent.finishes({ changesNothing: true, summary: 'All is well.' });
    const interrupt = { type: 'nothing_changed', failure_reason: 'All is well.' };
    expect(run.state.standing).toMatchObject({ phase: 'awaiting_resolution', interrupt });
    expect(run.tookCode).toBe(false);
    expect(run.says(bob, '/approve').refusal).toMatchObject({ why: 'nothing_to_approve' });
  });

  test.each(['/steer look again', '/retry'])('that changed nothing goes on with %s', (text) => {
    const run = story().starts().agent.finishes({ changesNothing: true }).says(ada, text);
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    expect(run.works().phase).toBe('awaiting_approval');
  });

  test('that changed nothing is closed with its words when nobody responds', () => {
    const run = story().starts().agent.finishes({ changesNothing: true, summary: 'All is well.' }).waits(24);
    expect(run.state.standing).toEqual({ phase: 'cancelled', by: null, reason: 'All is well.' });
    expect(run.state.interactions).toMatchObject([{ kind: 'interrupt', how: 'nobody responded' }]);
    expect(run.effects[0]).toMatchObject({ do: 'close' });
  });

  test('whose agent changes nothing in a later iteration waits as before', () => {
    const run = story().starts().works().says(ada, '/steer shorter').works({ changesNothing: true });
    expect(run.phase).toBe('awaiting_approval');
    expect(historyOf(run.state)).toMatchObject([{ head_before: sha(1), head_after: sha(1), landed: true }]);
  });

  test('that adopts a pull request asks even when the agent changes nothing', () => {
    const run = story().starts({ adopted: true }).works({ changesNothing: true });
    expect(run.phase).toBe('awaiting_approval');
  });

  test('whose agent is uncertain and changes nothing asks instead of ending', () => {
    const run = story().starts().works({ changesNothing: true, status: 'uncertain' });
    expect(run.phase).toBe('awaiting_approval');
  });

  test('counts cost and time over all attempts of an iteration', () => {
    const run = story()
      .starts()
      .agent.finishes({ cost: { tokens: 100, usd: 0.5 } })
      .verifiers.fail('test');
    run.works({ cost: { tokens: 50 } });
    expect(run.state.iterations).toMatchObject([
      { attempts: 2, cost: { tokens: 150, usd: 0.5 }, duration_s: 130 },
    ]);
    expect(run.state.attempts).toMatchObject([{ duration_s: 65 }, { duration_s: 65 }]);
  });

  test('counts the time of an attempt that failed, too, and of what people pushed', () => {
    const run = story().starts().agent.fails('exit').works();
    const inAttempts = run.state.attempts.reduce((sum, { duration_s }) => sum + duration_s, 0);
    expect(run.state.iterations[0]?.duration_s).toBe(inAttempts);
    run.pushes(bob);
    run.verifiers.pass();
    expect(run.state.iterations[0]?.duration_s).toBe(inAttempts + 5);
  });

  test('adds up times and costs without what binary numbers make of them', () => {
    const run = story().starts();
    const fields = { duration_s: 5.1, cost: { usd: 0.1 } };
    for (const _ of [1, 2, 3]) run.agent.finishes(fields).verifiers.fail('test');
    expect(run.state.iterations[0]).toMatchObject({ cost: { usd: 0.3 }, duration_s: 30.3 });
  });
});

describe('the limit of iterations', () => {
  function fiveSteers(): Story {
    const run = story().starts().works();
    for (const n of [1, 2, 3, 4, 5]) run.says(ada, `/steer ${n}`).works();
    return run;
  }

  test('refuses the sixth steer of five, counts nothing, and still takes an approval', () => {
    const run = fiveSteers().says(ada, '/steer 6');
    expect(run.refusal).toEqual({ why: 'iterations_used_up', max: 5 });
    expect(run.state.iteration).toBe(5);
    expect(run.phase).toBe('awaiting_approval');
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });

  test('does not keep an approval when somebody asks for something else', () => {
    const run = fiveSteers().says(bob, '/approve').says(ada, '/steer 6');
    expect(run.refusal).toEqual({ why: 'iterations_used_up', max: 5 });
    expect(run.phase).toBe('queued');
    expect(run.state.approvals).toEqual([]);
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('lists the commands that are still available', () => {
    const run = fiveSteers().says(ada, '/steer 6');
    expect(run.replies.at(-1)).toMatchObject({
      possible: expect.arrayContaining(['approve', 'reject', 'cancel']),
    });
  });

  test('refuses to queue a steer during the last iteration', () => {
    const run = story({ max_iterations: 1 }).starts().works().says(ada, '/steer 1').engine.takes();
    run.says(ada, '/steer 2');
    expect(run.refusal).toEqual({ why: 'iterations_used_up', max: 1 });
    expect(run.state.queue).toEqual([]);
    run.says(ada, '/steer --now 3');
    expect(run.refusal).toEqual({ why: 'iterations_used_up', max: 1 });
    expect(run.phase).toBe('working');
  });

  test('counts three queued steers as one iteration', () => {
    const run = story({ max_iterations: 1 }).starts().engine.takes();
    run.says(ada, '/steer a').says(bob, '/steer b').says(ada, '/steer c').works();
    expect(run.state).toMatchObject({ iteration: 1, queue: [] });
  });
});

describe('the author of a command', () => {
  test('a reader’s steer is refused with the required role', () => {
    const run = story().starts().works().says(rea, '/steer use tabs');
    expect(run.refusal).toEqual({ why: 'not_permitted', command: 'steer', has: 'read', needs: 'write' });
    expect(run.phase).toBe('awaiting_approval');
    expect(run.reactions).toEqual(['confused']);
  });

  test('a bot gets no answer, whatever its role', () => {
    const run = story().starts().works();
    const { state } = run;
    run.says(robot, '/approve').says(robot, '/status').says(robot, '/steer');
    expect(run.state).toBe(state);
  });

  test('an empty steer gets its usage back', () => {
    const run = story().starts().works().says(ada, '/steer');
    expect(run.refusal).toEqual({
      why: 'misspoken',
      command: 'steer',
      problem: 'it contains no instructions',
    });
  });

  test('a rejection without a reason is asked for one', () => {
    const run = story().starts().works().says(ada, '/reject');
    expect(run.refusal).toEqual({ why: 'misspoken', command: 'reject', problem: 'a reason is required' });
    expect(run.phase).toBe('awaiting_approval');
  });

  test('the same delivery twice counts once', () => {
    const run = story().starts().engine.takes();
    run.says(ada, '/steer a', { id: 'comment:1@t' }).says(ada, '/steer a', { id: 'comment:1@t' });
    expect(run.state.queue).toHaveLength(1);
    expect(run.replies).toHaveLength(1);
  });

  test('an accepted command gets a rocket, a refused one a confused face and one reply', () => {
    const run = story().starts().works().says(ada, '/steer x');
    expect(run.reactions).toEqual(['rocket']);
    expect(run.replies).toEqual([]);
    run.says(ada, '/approve');
    expect(run.reactions).toEqual(['rocket', 'confused']);
    expect(run.replies).toHaveLength(1);
  });

  test('a refused click gets a reply, because it cannot get a reaction', () => {
    const run = story().starts().works().clicks(rea, 'approve');
    expect(run.reactions).toEqual([]);
    expect(run.refusal).toMatchObject({ why: 'not_permitted', command: 'approve' });
  });

  test('a maintainer may do what a writer may', () => {
    expect(story().starts().works().says(mia, '/steer x').phase).toBe('queued');
  });
});

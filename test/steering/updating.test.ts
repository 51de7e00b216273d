import { describe, expect, test } from 'vitest';
import { ada, bob, mia, rea, sha } from './samples.ts';
import { type Story, story } from './story.ts';

/** `/update`: the base is merged into the branch, by Git or by the agent. */

const asking = (choices = {}) => story(choices).starts().works();
const update = ({ state }: Story) => state.iterations.at(-1)?.update;
const tip = sha(990);

describe('an update that Git can do', () => {
  test('is an iteration of its own, which costs none, and its head is verified and asked about', () => {
    const run = asking();
    const { head } = run.state;
    run.says(bob, '/update');
    expect(run.replies.at(-1)).toEqual({ say: 'updating', base: 'main' });
    expect(run.state).toMatchObject({
      ...{ standing: { phase: 'queued', work: 'verify_head' }, merges_base: true },
      ...{ iteration: 1, max_iterations: 6 },
    });
    run.engine.updates();
    expect(run.tookCode).toBe(true);
    expect(run.state.head).not.toBe(head);
    expect(run.state).not.toHaveProperty('merges_base');
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
    expect(update(run)).toEqual({ by: 'bob', base: 'main', done: true });
  });

  test('is nobody’s change: whoever asked for it may still approve, if steerers may not', () => {
    const run = asking({ approval: { steerer_may_approve: false } });
    run.says(bob, '/update').engine.updates().verifiers.pass();
    expect(run.state).not.toHaveProperty('contributors');
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });

  test('voids approvals only once there is another head', () => {
    const run = asking({ approval: { required: 2 } })
      .says(mia, '/approve')
      .says(bob, '/update');
    expect(run.state.approvals).toHaveLength(1);
    expect(run.engine.updates().state.approvals).toEqual([]);
  });

  test('leaves approvals alone where somebody else has merged meanwhile', () => {
    const run = asking({ approval: { required: 2 } })
      .says(mia, '/approve')
      .says(bob, '/update');
    const {
      head,
      run: { base },
    } = run.engine.takes().state;
    const merged = { hold: run.hold, head_before: head, head, base, base_sha: tip };
    run.apply({ type: 'base_merged', ...merged }).verifiers.pass();
    expect(run.state).toMatchObject({ standing: { phase: 'awaiting_approval' }, approvals: [{}] });
    expect(update(run)?.done).toBe(true);
  });

  test('voids approvals as soon as an agent works on what Git cannot merge', () => {
    const run = asking({ approval: { required: 2 } })
      .says(mia, '/approve')
      .says(bob, '/update --resolve')
      .agent.fails('conflict', 'in a.ts', { tip });
    expect(run.engine.takes().state).toMatchObject({ standing: { phase: 'working' }, approvals: [] });
  });

  test('is done all the same when somebody pushes first, or the process is lost', () => {
    const pushed = asking().says(bob, '/update').engine.takes().pushes(ada);
    const lost = asking().says(bob, '/update').engine.takes().engine.isLost();
    for (const run of [pushed, lost]) {
      expect(run.state).toMatchObject({ standing: { phase: 'queued' }, merges_base: true });
      expect(run.engine.updates().verifiers.pass().phase).toBe('awaiting_approval');
      expect(update(run)?.done).toBe(true);
    }
  });

  test('is done after a pause of it', () => {
    const run = asking().says(bob, '/update').engine.takes().says(ada, '/pause').says(ada, '/resume');
    expect(run.engine.updates().verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('is passed over by /undo, which goes to what an iteration before it came to', () => {
    const run = asking().says(ada, '/steer more').works().says(bob, '/update').engine.updates();
    run.verifiers.pass().says(ada, '/undo');
    expect(run.state.standing).toMatchObject({ undoes: { to: 0 } });
  });
});

describe('an update is answered at once', () => {
  test('where the branch has everything of its base: nothing else happens', () => {
    const run = asking();
    const { iteration, shown } = run.state;
    run.says(bob, '/update', { up_to_date: true });
    expect(run.replies.at(-1)).toEqual({ say: 'up_to_date', base: 'main' });
    expect(run.state).toMatchObject({ standing: { phase: 'awaiting_approval' }, iteration, shown });
  });

  test('where it is under way', () => {
    const run = asking().says(bob, '/update');
    expect(run.says(ada, '/update').refusal).toEqual({ why: 'updating_already', base: 'main', waits: false });
    expect(run.engine.takes().says(ada, '/update').refusal).toMatchObject({ why: 'updating_already' });
  });

  test('for people who may only read', () =>
    expect(asking().says(rea, '/update').refusal).toMatchObject({ why: 'not_permitted' }));

  test('where the run may have no more iterations', () => {
    const run = asking();
    for (let times = 0; times < 5; times++) run.says(ada, '/extend 20');
    expect(run.says(ada, '/update').refusal).toEqual({ why: 'extended_enough', max: 100 });
  });

  test('where it waits for work in progress, which it does not stop', () => {
    const run = story().starts().engine.takes().says(bob, '/update');
    expect(run.replies.at(-1)).toEqual({ say: 'update_waits', base: 'main' });
    expect(run.says(ada, '/update').refusal).toEqual({ why: 'updating_already', base: 'main', waits: true });
    expect(run.phase).toBe('working');
    run.works();
    expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued', work: 'verify_head' } });
    expect(run.state).not.toHaveProperty('update');
    expect(run.engine.updates().verifiers.pass().phase).toBe('awaiting_approval');
  });
});

test('steers that wait come before an update that waits', () => {
  const run = story().starts().engine.takes().says(bob, '/update').says(ada, '/steer more').works();
  expect(run.state).toMatchObject({ iteration: 1, standing: { work: 'attempt' }, update: { by: 'bob' } });
  run.works();
  expect(run.state).toMatchObject({ iteration: 2, standing: { work: 'verify_head' } });
});

describe('a conflict', () => {
  test('asks people how to go on, and leaves the head as it was', () => {
    const run = asking().says(bob, '/update');
    const { head } = run.state;
    run.agent.fails('conflict', 'in a.ts', { tip });
    expect(run.state).toMatchObject({
      head,
      standing: { phase: 'awaiting_resolution', interrupt: { type: 'conflict' } },
    });
    expect(run.state).not.toHaveProperty('merges_base');
    expect(run.says(ada, '/verify').verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('is the task of one attempt with --resolve, whose result is asked about like any other', () => {
    const run = asking()
      .says(bob, '/update')
      .agent.fails('conflict', 'in a.ts', { tip })
      .says(bob, '/update --resolve');
    run.agent.fails('conflict', 'in a.ts', { tip });
    expect(run.state).toMatchObject({
      ...{ iteration: 2, merges_base: true, standing: { phase: 'queued', work: 'attempt' } },
      contributors: [{ login: 'bob' }],
    });
    expect(update(run)).toMatchObject({ resolves: tip, done: false });
    run.agent.finishes({ merges: tip });
    expect(run.state).not.toHaveProperty('merges_base');
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
    expect(update(run)).toMatchObject({ by: 'bob', resolves: tip, done: true });
  });

  test('goes to the agent by itself where the configuration says so, once', () => {
    const run = asking({ on_conflict: 'resolve' })
      .says(bob, '/update')
      .agent.fails('conflict', 'in a.ts', { tip });
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    run.engine.takes().agent.fails('conflict', 'in a.ts', { tip });
    expect(run.state.standing).toMatchObject({ interrupt: { type: 'conflict' } });
  });

  test('of what the verifiers were to see with the base goes to it in an iteration that nobody asked for', () => {
    const run = story({ on_conflict: 'resolve', verify_against: 'merge' }).starts().agent.finishes();
    run.agent.fails('conflict', 'in a.ts', { tip });
    expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued', work: 'attempt' } });
    expect(update(run)).toEqual({ by: null, base: 'main', resolves: tip, done: false });
    expect(run.agent.finishes({ merges: tip }).verifiers.pass().phase).toBe('awaiting_approval');
    expect(run.state).not.toHaveProperty('contributors');
  });

  test('that the agent cannot resolve in its one attempt is for people, who may let it try again', () => {
    const run = asking().says(bob, '/update --resolve').agent.fails('conflict', 'in a.ts', { tip });
    const { head } = run.state;
    run.agent.fails('exit');
    expect(run.state).toMatchObject({ head, standing: { phase: 'awaiting_resolution' } });
    run.says(ada, '/retry');
    expect(run.state).toMatchObject({ merges_base: true, standing: { phase: 'queued', work: 'attempt' } });
    expect(run.agent.finishes({ merges: tip }).verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('whose resolution does not pass is for people, too', () => {
    const run = asking()
      .says(bob, '/update --resolve')
      .agent.fails('conflict', 'in a.ts', { tip })
      .agent.finishes({ merges: tip });
    expect(run.verifiers.fail('test').state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { type: 'task_exceeded_retries' },
    });
    run.says(ada, '/retry');
    expect(run.state).not.toHaveProperty('merges_base');
  });

  test('is resolved in the words of whoever steers then', () => {
    const run = asking()
      .says(bob, '/update --resolve')
      .agent.fails('conflict', 'in a.ts', { tip })
      .agent.fails('exit');
    run.says(ada, '/steer keep both');
    expect(run.state).toMatchObject({ iteration: 2, merges_base: true });
    expect(update(run)).toMatchObject({ resolves: tip, done: false });
  });

  test('is resolved by the agent as well if somebody says so while the merge is under way', () => {
    const run = asking()
      .says(bob, '/update')
      .engine.takes()
      .says(ada, '/update --resolve')
      .agent.fails('conflict', 'in a.ts', { tip });
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });

  test('that is gone when the agent was to resolve it is merged without it, and verified', () => {
    const run = asking()
      .says(bob, '/update --resolve')
      .agent.fails('conflict', 'in a.ts', { tip })
      .engine.updates();
    expect(run.phase).toBe('verifying');
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('is no longer anybody’s task once somebody goes back', () => {
    const run = asking().says(ada, '/steer more').works().says(bob, '/update').engine.takes();
    run.says(ada, '/undo 0').engine.undoes().verifiers.pass();
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state).not.toHaveProperty('merges_base');
  });
});

test('an agent that was stopped is not given another base below what it has done', () => {
  const run = story()
    .starts()
    .agent.wonders('Which?')
    .agent.parks()
    .waits(8 * 24);
  expect([run.phase, run.says(ada, '/update').refusal]).toMatchObject(['timed_out', { why: 'not_now' }]);
});

import { describe, expect, test } from 'vitest';
import { runIn } from './phases.ts';
import { ada, bob, rea, robot } from './samples.ts';
import { story } from './story.ts';

describe('the review timer', () => {
  test('times the run out after 24 h of silence, and /resume asks the same again', () => {
    const run = story().starts().works();
    const asked = run.state.standing;
    run.waits(24);
    expect(run.state.standing).toEqual({ phase: 'timed_out', before: asked });
    run.says(ada, '/resume');
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.standing).toMatchObject({ interaction: { id: 'approval:7:4' } });
    expect(run.waits(23).phase).toBe('awaiting_approval');
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });

  test('restarts with a steer: a steer at 23 h and 23 h of silence leave it open', () => {
    const run = story().starts().works().waits(23).says(ada, '/steer more').works().waits(23);
    expect(run.phase).toBe('awaiting_approval');
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });

  test.each(['/status', '/help', '/approve abcdef1', '/resume'])('restarts when someone uses %s', (text) => {
    const run = story().starts().works().waits(23).says(bob, text).waits(23);
    expect(run.phase).toBe('awaiting_approval');
    expect(run.waits(2).phase).toBe('timed_out');
  });

  test('does not restart for a bot or for someone without permission', () => {
    const run = story().starts().works().waits(23).says(robot, '/status').says(rea, '/approve').waits(2);
    expect(run.phase).toBe('timed_out');
  });

  test('that fires early, or for an old deadline, does nothing', () => {
    const run = story().starts().works();
    const { state } = run;
    const deadline = run.deadline ?? '';
    run.apply({ type: 'timer_due', timer: 'review', deadline });
    expect(run.state).toBe(state);
    run.waits(23).says(bob, '/status');
    const later = run.state;
    run.now = Date.parse(deadline) + 1000;
    run.apply({ type: 'timer_due', timer: 'review', deadline });
    expect(run.state).toBe(later);
  });

  test('also times out an interrupt, and /resume asks it again', () => {
    const run = runIn.awaiting_resolution().waits(24);
    expect(run.phase).toBe('timed_out');
    expect(run.says(ada, '/resume').state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { type: 'task_exceeded_retries' },
    });
  });

  test.each(['queued', 'working', 'verifying', 'approved', 'paused', 'failed'] as const)(
    'does not run while %s',
    (phase) => {
      const run = runIn[phase]();
      const { state } = run;
      run.waits(1000).apply({ type: 'timer_due', timer: 'review', deadline: '2025-03-04T12:00:00.000Z' });
      expect(run.state).toBe(state);
    },
  );

  test('leaves nothing to a policy once it has fired, also after /resume', () => {
    const policy = { mode: 'auto', new_history: 0, auto_proceed_after_s: 48 * 3600 } as const;
    const run = story({ approval: policy }).starts();
    run.agent.finishes().verifiers.fail('lint');
    expect(run.state.standing).toHaveProperty('proceeds');
    run.waits(24);
    expect(run.phase).toBe('timed_out');
    expect(run.state.standing).not.toHaveProperty('before.proceeds');
    run.says(ada, '/resume');
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.standing).not.toHaveProperty('proceeds');
  });

  test('takes its length from the configuration', () => {
    const steering = { max_iterations: 5, review_timeout_s: 3600 };
    const run = story({ steering }).starts().works().waits(1);
    expect(run.phase).toBe('timed_out');
  });
});

describe('a timed-out run', () => {
  test('can be steered, rejected, cancelled, closed and merged without being resumed', () => {
    expect(runIn.timed_out().says(ada, '/steer more').state).toMatchObject({ iteration: 1 });
    expect(runIn.timed_out().says(ada, '/reject no').phase).toBe('rejected');
    expect(runIn.timed_out().says(ada, '/cancel').phase).toBe('cancelled');
    expect(runIn.timed_out().closes(ada).phase).toBe('cancelled');
    expect(runIn.timed_out().merges(ada).phase).toBe('done');
  });

  test('keeps the approvals it had', () => {
    const run = story({ approval: { required: 2 } })
      .starts()
      .works()
      .says(ada, '/approve')
      .waits(30);
    expect(run.says(bob, '/resume').says(bob, '/approve').phase).toBe('approved');
  });
});

test('a run’s last change is never earlier than the one before, even if events are late', () => {
  const run = story().starts().works();
  const { updated_at } = run.state;
  run.now = Date.parse(updated_at) - 3_600_000;
  run.says(bob, '/status');
  expect(run.state.updated_at).toBe(updated_at);
});

import { describe, expect, test } from 'vitest';
import { runIn, withSteerQueued } from './phases.ts';
import { ada, bob, changes, failureOf, sha, verifierOutputs } from './samples.ts';
import { story } from './story.ts';

describe('an attempt', () => {
  test('belongs to the first process that takes it', () => {
    const run = story().starts().engine.takes('one').engine.takes('two');
    expect(run.hold.holder).toBe('one');
    expect(run.state).toMatchObject({ attempt: 1, attempts_used: 1 });
  });

  test('that is not due cannot be taken', () => {
    const run = story().starts();
    const { state } = run;
    for (const [iteration, attempt] of [
      [0, 0],
      [0, 2],
      [1, 1],
    ] as const) {
      const hold = { iteration, attempt, holder: 'h', until: '2025-03-03T13:00:00Z' };
      const { settings } = state;
      run.apply({ type: 'attempt_started', hold, head: state.head, base: 'main', settings });
    }
    expect(run.state).toBe(state);
  });

  test('starts from the head its holder found', () => {
    const run = story().starts().works().says(ada, '/steer more');
    const hold = { iteration: 1, attempt: 1, holder: 'h', until: '2025-03-03T13:00:00Z' };
    run.apply({ type: 'attempt_started', hold, head: sha(50), base: 'main', settings: run.state.settings });
    expect(run.state).toMatchObject({ head: sha(50), shown: null, report: null, approvals: [] });
    expect(run.agent.finishes().tookCode).toBe(true);
  });

  test('without a sandbox marks the run for good, and one that another process took does not', () => {
    const run = story().starts().engine.takes('one').engine.takes('two', { unsandboxed: true });
    expect(run.state.unsandboxed).toBeUndefined();
    run.engine.isLost().engine.takes('two', { unsandboxed: true }).engine.isLost().engine.takes('one');
    expect(run.state.unsandboxed).toBe(true);
  });

  test('that is lost goes to another process under the same number, at no cost', () => {
    const run = runIn.working().engine.isLost();
    expect(run.state).toMatchObject({
      attempt: 0,
      attempts_used: 0,
      standing: { phase: 'queued', work: 'attempt' },
    });
    expect(run.engine.takes('other').hold).toMatchObject({ attempt: 1, holder: 'other' });
  });

  test('that is lost four times in a row makes the run ask a human', () => {
    const run = story().starts();
    for (const _time of [1, 2, 3, 4]) run.engine.takes().engine.isLost();
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { failure_reason: 'the process doing the work was lost, 4 times' },
    });
    expect(run.says(ada, '/retry').state).toMatchObject({ times_lost: 0, standing: { phase: 'queued' } });
  });

  test('that is lost four times is followed by the queued steers', () => {
    const run = withSteerQueued();
    run.engine.isLost();
    for (const _time of [1, 2, 3]) run.engine.takes().engine.isLost();
    expect(run.state).toMatchObject({
      iteration: 1,
      times_lost: 0,
      queue: [],
      standing: { phase: 'queued' },
    });
  });

  test('that succeeds resets the count of losses', () => {
    const run = story().starts().engine.takes().engine.isLost().works();
    expect(run.state.times_lost).toBe(0);
  });

  test('that is lost during verification is verified by another process', () => {
    const run = runIn.verifying().engine.isLost();
    expect(run.state).toMatchObject({
      head: sha(1),
      attempt: 1,
      standing: { phase: 'queued', work: 'verify_attempt' },
    });
    expect(run.engine.takes('other').verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('is not lost because another’s lease is', () => {
    const run = runIn.working();
    const { state, hold } = run;
    expect(run.engine.isLost({ ...hold, holder: 'other' }).state).toBe(state);
  });
});

describe('a late result', () => {
  test('of an attempt that was handed to another process stays off the branch', () => {
    const run = story().starts().engine.takes('one');
    const late = run.hold;
    run.engine.isLost().engine.takes('two').agent.finishes({}, late);
    expect(run.tookCode).toBe(false);
    expect(run.state).toMatchObject({
      head: sha(0),
      standing: { phase: 'working', hold: { holder: 'two' } },
    });
    expect(run.agent.finishes().tookCode).toBe(true);
  });

  test('of a failed attempt does not use up the budget', () => {
    const run = story().starts().engine.takes('one');
    const hold = run.hold;
    run.engine.isLost().engine.takes('two');
    run.apply({ type: 'work_failed', hold, failure: failureOf('exit'), kept: null, duration_s: 1 });
    expect(run.state).toMatchObject({
      attempts: [],
      standing: { phase: 'working', hold: { holder: 'two' } },
    });
  });

  test('of the verifiers does not count for a head that has moved, even from the same holder', () => {
    const run = runIn.awaiting_approval().says(ada, '/verify').engine.takes('one');
    const { hold, state } = run;
    run.pushes(bob, { head: sha(50) }).engine.takes('one');
    const verifiers = verifierOutputs(state.settings);
    run.apply({ type: 'verified', hold, head: state.head, verifiers, changes, gates: [], duration_s: 1 });
    expect(run.state).toMatchObject({ head: sha(50), shown: null, standing: { phase: 'verifying' } });
  });

  test.each(['awaiting_approval', 'approved', 'rejected', 'done', 'paused', 'failed', 'timed_out'] as const)(
    'while %s is kept in the ledger and changes nothing else',
    (phase) => {
      const run = runIn[phase]();
      const { seq, updated_at, ...rest } = run.state;
      run.agent.finishes({}, { iteration: 0, attempt: 1, holder: 'late' });
      expect(run.tookCode).toBe(false);
      expect(run.state).toEqual({ ...rest, seq: seq + 1, updated_at: expect.any(String) });
    },
  );
});

describe('an internal error', () => {
  test('stops the run with a reference; /retry continues with a fresh budget', () => {
    const run = runIn.working().engine.breaks('the disk is full');
    expect(run.state.standing).toEqual({
      phase: 'failed',
      reference: 'r-1',
      seq: run.state.seq,
      what: 'the disk is full',
      resumes_with: 'attempt',
    });
    run.says(ada, '/retry');
    expect(run.state).toMatchObject({ attempts_used: 0, standing: { phase: 'queued', work: 'attempt' } });
  });

  test('settles the question that was open', () => {
    const run = runIn.awaiting_approval().engine.breaks();
    expect(run.state.interactions).toMatchObject([{ kind: 'approval', by: 'coxswain', how: 'failed' }]);
  });

  test('still allows rejecting, cancelling and closing', () => {
    expect(runIn.failed().says(ada, '/reject no').phase).toBe('rejected');
    expect(runIn.failed().says(ada, '/cancel').phase).toBe('cancelled');
    expect(runIn.failed().closes(ada).phase).toBe('cancelled');
  });
});

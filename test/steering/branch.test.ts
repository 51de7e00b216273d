import { describe, expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import { isInProgress, isOver, isWorkAhead } from '../../src/steering/phases/table.ts';
import type { Phase } from '../../src/steering/shapes/standing.ts';
import { allPhases, ends, living, runIn } from './phases.ts';
import { ada, bob, sha } from './samples.ts';
import { story } from './story.ts';

describe('a push', () => {
  test.each<[Phase, Phase]>([
    ['queued', 'queued'],
    ['working', 'working'],
    ['verifying', 'queued'],
    ['awaiting_approval', 'queued'],
    ['awaiting_resolution', 'queued'],
    ['timed_out', 'queued'],
    ['approved', 'queued'],
    ['paused', 'paused'],
    ['failed', 'failed'],
  ])('while %s is recorded, voids approvals, and leaves the run %s', (phase, after) => {
    const run = runIn[phase]().pushes(bob, { head: sha(50) });
    expect(run.state).toMatchObject({ head: sha(50), shown: null, approvals: [] });
    expect(run.phase).toBe(after);
  });

  test.each(ends)('after the run is %s is ignored', (phase) => {
    const run = runIn[phase]();
    const { state } = run;
    expect(run.pushes(bob).state).toBe(state);
  });

  test('is verified outside of any attempt, and shown', () => {
    const run = runIn.awaiting_approval().pushes(bob);
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
    expect(run.verifiers.pass().state).toMatchObject({
      attempt: 1,
      attempts_used: 1,
      standing: { phase: 'awaiting_approval', interaction: { head_sha: sha(2) } },
    });
  });

  test('says who pushed, and when it was forced', () => {
    expect(runIn.awaiting_approval().pushes(bob, { head: sha(50) }).subject).toBe('bob pushed abc0032');
    const run = runIn.awaiting_approval().pushes(bob, { head: sha(50), forced: true });
    expect(run.subject).toBe('bob force-pushed abc0032');
  });

  test('by the attempt itself is not new', () => {
    const run = runIn.awaiting_approval();
    const { state } = run;
    expect(run.pushes(bob, { head: state.head, before: sha(0) }).state).toBe(state);
  });

  test('that is reported twice is new once', () => {
    const run = runIn.awaiting_approval().pushes(bob, { head: sha(50) });
    const { state } = run;
    expect(run.pushes(bob, { head: sha(50), before: sha(1) }).state).toBe(state);
  });

  test('of an earlier attempt that arrives late is not new', () => {
    const run = story().starts().agent.finishes().verifiers.fail('test').works();
    const { state } = run;
    expect(run.pushes(bob, { head: sha(1), before: sha(0) }).state).toBe(state);
  });

  test('that resets the branch to an earlier head is new', () => {
    const run = story().starts().works().says(ada, '/steer more').works();
    run.pushes(bob, { head: sha(1), before: sha(2), forced: true });
    expect(run.state).toMatchObject({ head: sha(1), standing: { phase: 'queued', work: 'verify_head' } });
  });

  test('before a lost verification is repeated makes it one of someone else’s head', () => {
    const run = runIn.verifying().engine.isLost();
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_attempt' });
    expect(run.pushes(bob).state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
  });

  test('during an attempt costs it only its work', () => {
    const run = runIn.working().pushes(bob, { head: sha(50) });
    run.apply({
      type: 'work_finished',
      hold: run.hold,
      work: { ...workOn(sha(0)), cost: { tokens: 7 } },
    });
    expect(run.tookCode).toBe(false);
    expect(run.state).toMatchObject({
      head: sha(50),
      attempt: 1,
      attempts_used: 0,
      standing: { work: 'attempt' },
    });
    expect(run.state.iterations[0]?.cost).toEqual({ tokens: 7 });
  });

  test('during an attempt that changed nothing does not end the run', () => {
    const run = runIn.working().pushes(bob, { head: sha(50) });
    run.apply({ type: 'work_finished', hold: run.hold, work: { ...workOn(sha(0)), head: sha(0) } });
    expect(run.phase).toBe('queued');
  });

  test('that GitHub reports as a moved branch causes a retry, at most three times in a row', () => {
    const run = story().starts();
    for (const _time of [1, 2, 3]) run.agent.fails('branch_moved');
    expect(run.state).toMatchObject({ attempts_used: 0, times_lost: 3, standing: { phase: 'queued' } });
    run.agent.fails('branch_moved');
    expect(run.state.standing).toMatchObject({
      interrupt: { failure_reason: 'the branch moved during the attempt, 4 times' },
    });
  });
});

function workOn(head_before: string) {
  return {
    head_before,
    head: sha(60),
    report: { summary: 's', status: 'done', tool_calls: [] },
    changes: { files: [], summary: 'No changes' },
    cost: {},
    duration_s: 1,
  } as const;
}

describe('a deleted branch', () => {
  test.each(living.filter((phase) => phase !== 'paused'))('while %s pauses the run', (phase) => {
    const run = runIn[phase]().deletesBranch(bob);
    expect(run.state.standing).toMatchObject({ phase: 'paused', why: 'branch_deleted' });
  });

  test.each<[Phase, string]>([
    ['queued', 'attempt'],
    ['working', 'attempt'],
    ['verifying', 'verify_head'],
    ['awaiting_approval', 'verify_head'],
    ['awaiting_resolution', 'attempt'],
    ['timed_out', 'verify_head'],
    ['approved', 'verify_head'],
    ['failed', 'attempt'],
  ])('while %s resumes with %s', (phase, work) => {
    const run = runIn[phase]().deletesBranch(bob).says(ada, '/resume');
    expect(run.state.standing).toEqual({ phase: 'queued', work });
  });

  test('after an interrupt timed out resumes with an attempt and a fresh budget', () => {
    const run = runIn.awaiting_resolution().waits(24).deletesBranch(bob).says(ada, '/resume').engine.takes();
    expect(run.state).toMatchObject({ attempt: 2, attempts_used: 1, standing: { phase: 'working' } });
  });

  test('during an attempt does not count it', () => {
    const run = runIn.working();
    const { hold } = run;
    run.deletesBranch(bob);
    expect(run.state).toMatchObject({ attempt: 0, attempts_used: 0 });
    expect(run.agent.finishes({}, hold).tookCode).toBe(false);
  });

  test('does not prevent rejecting, cancelling or closing', () => {
    expect(runIn.paused().says(ada, '/reject gone').phase).toBe('rejected');
    expect(runIn.paused().says(ada, '/cancel').phase).toBe('cancelled');
    expect(runIn.paused().closes(ada).phase).toBe('cancelled');
  });
});

describe('a pull request closed by a human', () => {
  test.each(living.filter((phase) => phase !== 'approved'))('while %s cancels the run', (phase) => {
    const run = runIn[phase]().closes(bob);
    const reason = 'the pull request was closed';
    expect(run.state.standing).toEqual({ phase: 'cancelled', by: 'bob', reason });
  });

  test.each(living)('by merging it while %s makes the run done', (phase) => {
    expect(runIn[phase]().merges(bob).state.standing).toEqual({ phase: 'done', merged: true });
  });

  test.each(['awaiting_approval', 'awaiting_resolution', 'timed_out'] as const)(
    'while %s settles the question',
    (phase) => {
      expect(runIn[phase]().closes(bob).state.interactions.at(-1)).toMatchObject({
        by: 'bob',
        how: 'closed',
      });
    },
  );

  test('during an attempt keeps its result in the ledger and off the branch', () => {
    const run = runIn.working();
    const { hold } = run;
    run.closes(bob).agent.finishes({}, hold);
    expect(run.subject).toBe('Record a late result (work finished)');
    expect(run.tookCode).toBe(false);
    expect(run.state.head).toBe(sha(0));
  });

  test.each(ends)('after the run is %s changes nothing', (phase) => {
    const run = runIn[phase]();
    const { state } = run;
    expect(run.closes(bob).state).toBe(state);
  });
});

describe('a reopened pull request', () => {
  test.each(ends)('after the run was %s is paused until someone resumes it', (phase) => {
    const run = runIn[phase]().reopens(bob);
    expect(run.state.standing).toEqual({ phase: 'paused', why: 'reopened', resumes_with: 'verify_head' });
    expect(run.state.approvals).toEqual([]);
    expect(run.says(ada, '/resume').verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('in the middle of an iteration continues its work', () => {
    const run = runIn.working().closes(bob).reopens(bob).says(ada, '/resume');
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });

  test('keeps an approval that was given since', () => {
    const { state } = runIn.approved();
    const [approval] = state.approvals;
    const at = new Date(Date.parse(approval?.at ?? '') - 1000).toISOString();
    const late = { type: 'reopened', id: `reopened:${at}`, at, by: 'bob' } as const;
    expect(decide(state, late)).toEqual({ outcome: 'nothing' });
  });

  test('while approved is approved no more: we did not hear that somebody closed it', () => {
    const run = runIn.approved().reopens(bob);
    expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'queued', work: 'verify_head' } });
    const reasons = ['the pull request was closed and reopened'];
    expect(run.replies.at(-1)).toMatchObject({ say: 'finish_refused', reasons });
  });

  const others = living.filter((phase) => phase !== 'approved');
  test.each(others)('while %s changes nothing: it was never closed', (phase) => {
    const run = runIn[phase]();
    const { state } = run;
    expect(run.reopens(bob).state).toBe(state);
  });
});

test('there is a run for each of the seventeen phases', () => {
  expect(allPhases.map((phase) => runIn[phase]().phase)).toEqual(allPhases);
  expect(allPhases).toHaveLength(17);
});

test.each(['weird', 'toString', '__proto__'])(
  'a name that is no phase, such as %s, is told to be none',
  (name) => {
    const phase = name as Phase; // as a body that somebody has edited says
    expect([isOver(phase), isInProgress(phase), isWorkAhead(phase)]).toEqual([false, false, false]);
  },
);

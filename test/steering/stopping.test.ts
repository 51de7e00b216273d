import { describe, expect, test } from 'vitest';
import { holdsLease } from '../../src/steering/iterations/step.ts';
import { isInProgress } from '../../src/steering/phases/table.ts';
import { ada, automation, bob, keptRef, mia, sha } from './samples.ts';
import { type Story, story } from './story.ts';

/** Where a run goes on after something of ours failed, and whose results count. */

describe('after an internal error, /retry', () => {
  const continues: readonly (readonly [string, () => Story, object])[] = [
    ['an attempt that was queued', () => story().starts(), { work: 'attempt' }],
    ['an attempt that was under way', () => story().starts().engine.takes(), { work: 'attempt' }],
    ['the verification of an attempt', () => story().starts().agent.finishes(), { work: 'verify_attempt' }],
    [
      'the verification of a head',
      () => story().starts().works().pushes(bob).engine.takes(),
      { work: 'verify_head' },
    ],
    ['a queued verification of a head', () => story().starts().works().pushes(bob), { work: 'verify_head' }],
    ['with the head that was under review', () => story().starts().works(), { work: 'verify_head' }],
    [
      'with the head that nobody reviewed in time',
      () => story().starts().works().waits(25),
      { work: 'verify_head' },
    ],
    [
      'with an approved head, which is verified again',
      () => story().starts().works().says(bob, '/approve'),
      { work: 'verify_head' },
    ],
    [
      'with a new attempt instead of work that was held',
      () => story().starts().agent.isHeld(),
      { work: 'attempt' },
    ],
    [
      'with what a paused run would do',
      () => story().starts().works().deletesBranch(bob),
      { work: 'verify_head' },
    ],
  ];
  test.each(continues)('continues %s', (_, before, due) => {
    const run = before().engine.breaks().says(ada, '/retry');
    expect(run.state.standing).toEqual({ phase: 'queued', ...due });
  });

  test('puts allowed work on the branch that was about to be, without another attempt', () => {
    const queued = () => story().starts().agent.isHeld().says(bob, '/allow');
    for (const run of [queued(), queued().engine.takes()]) {
      run.engine.breaks().says(ada, '/retry');
      expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'land' });
    }
  });

  test('says what the reason was if nothing is wrong with Coxswain', () => {
    const run = story().starts();
    expect(run.engine.breaks().state.standing).not.toHaveProperty('because');
    expect(run.state.standing).not.toHaveProperty('held');
    const failed = { type: 'run_failed', reference: 'r-2', what: 'no agent' } as const;
    const other = story()
      .starts()
      .apply({ ...failed, because: 'configuration' });
    expect(other.state.standing).toMatchObject({ because: 'configuration' });
  });
});

describe('a result counts only', () => {
  test('under the lease of its holder, attempt and iteration', () => {
    const { state, hold } = story().starts().engine.takes();
    expect(holdsLease(state, hold)).toBe(true);
    expect(holdsLease(state, { ...hold, holder: 'other' })).toBe(false);
    expect(holdsLease(state, { ...hold, attempt: hold.attempt + 1 })).toBe(false);
    expect(holdsLease(state, { ...hold, iteration: hold.iteration + 1 })).toBe(false);
  });

  test('of a run that exists and is worked on', () => {
    const { hold } = story().starts().engine.takes();
    expect(holdsLease(undefined, hold)).toBe(false);
    expect(holdsLease(story().starts().state, hold)).toBe(false);
  });
});

test('a run is in progress while an engine works on it, or will', () => {
  const phases = ['queued', 'working', 'verifying', 'awaiting_approval', 'paused', 'done'] as const;
  expect(phases.filter(isInProgress)).toEqual(['queued', 'working', 'verifying']);
});

test('a steer that was queued is worked on although the first attempt changed nothing', () => {
  const run = story().starts().engine.takes().says(bob, '/steer and the docs');
  run.agent.finishes({ changesNothing: true }).verifiers.pass();
  expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued', work: 'attempt' } });
  expect(run.prompts).toEqual(['', 'and the docs']);
});

test('a later iteration that changes nothing does not end the run', () => {
  const run = story().starts().works().says(bob, '/steer look again');
  run.engine.takes().agent.finishes({ changesNothing: true });
  expect(run.phase).toBe('verifying');
});

test('the verification of a head goes on after its process was lost, as one that starts CI does', () => {
  const run = story().starts().works().pushes(bob).engine.takes();
  const stale = { ...run.hold, holder: 'other' };
  expect(run.engine.isLost(stale).phase).toBe('verifying');
  run.engine.isLost();
  expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
});

test('what started CI on an older head is kept as a late result', () => {
  const run = story({ ci: 'after_look' }).starts().works();
  const { head } = run.state;
  run.apply({
    ...{ type: 'ci_started', hold: { iteration: 0, attempt: 1, holder: 'engine' } },
    ...{ head_before: sha(0), head: sha(9) },
  });
  expect(run.state.head).toBe(head);
});

describe('held work', () => {
  test('that was built on a former head, or that the agent gave up, is not asked about', () => {
    const finish = (run: Story, work: object) => {
      const { head } = run.state;
      const made = { head_before: head, head: sha(7), changes: { files: [], summary: '' }, cost: {} };
      const report = { summary: 'It cannot be done.', status: 'done', tool_calls: [] } as const;
      const held = { hold: run.hold, hits: [automation], kept: keptRef(sha(7)) };
      const whole = { ...made, report, duration_s: 60, ...work };
      return run.apply({ type: 'work_held', ...held, work: whole });
    };
    const moved = finish(story().starts().engine.takes(), { head_before: sha(6) });
    expect(moved.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
    expect(moved.state.attempts).toMatchObject([{ failure: { kind: 'branch_moved' }, duration_s: 60 }]);
    const report = { summary: 'It cannot be done.', status: 'cannot', tool_calls: [] };
    expect(finish(story().starts().engine.takes(), { report }).phase).toBe('awaiting_resolution');
  });

  test('is asked about with what the remote says, and with the rules', () => {
    const run = story().starts().agent.isHeld([automation, automation]);
    expect(run.subject).toBe('Ask for permission to push: changes-automation');
    expect(run.state.standing).not.toHaveProperty('held.refusal');
    const { state, hold } = story().starts().engine.takes();
    const other = story().starts().engine.takes();
    other.apply({
      ...{ type: 'work_held', hold, hits: [automation], kept: null, refusal: 'too large' },
      work: {
        ...{ head_before: state.head, head: sha(7), changes: { files: [], summary: '' }, cost: {} },
        ...{ report: { summary: 'Done.', status: 'done', tool_calls: [] }, duration_s: 1 },
      },
    });
    expect(other.state.standing).toMatchObject({ held: { refusal: 'too large' } });
  });

  test('is not asked about again if people steered while it was refused', () => {
    const run = story().starts().agent.isHeld().says(bob, '/allow').engine.takes();
    run.says(mia, '/steer leave the workflow alone').agent.fails('push_refused', 'no workflows');
    expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued', work: 'attempt' } });
  });

  test('is settled by whoever decides about it, or pushes', () => {
    const settled = (run: Story) => run.state.interactions.map(({ by, how }) => `${how} by ${by}`);
    const held = () => story().starts().agent.isHeld();
    expect(settled(held().says(bob, '/allow always'))).toEqual(['allowed always by bob']);
    expect(settled(held().says(bob, '/deny'))).toEqual(['denied by bob']);
    expect(settled(held().pushes(mia))).toEqual(['pushed by mia']);
    expect(settled(held().pushes(mia, { head: sha(0) }))).toEqual([]);
  });

  test('makes whoever denies it a contributor, and the reason part of the record', () => {
    const denied = story()
      .starts()
      .agent.isHeld()
      .says(bob, `/deny ${'x'.repeat(3000)}`);
    expect(denied.state.contributors).toEqual([{ login: 'bob', id: 2 }]);
    const [record] = denied.state.attempts;
    expect(record?.summary).toBe(`bob denied the work (changes-automation): ${'x'.repeat(2000)}`);
    const silent = story().starts().agent.isHeld().says(bob, '/deny');
    expect(silent.state.attempts[0]?.summary).toBe('bob denied the work (changes-automation)');
  });
});

test('a retried verification on a branch that has moved gives nobody more attempts than a retry does', () => {
  const run = story({ attempts: { max: 1 } }).starts();
  run.agent.finishes();
  run.engine.breaks().says(ada, '/retry').engine.takes();
  const failure = { kind: 'branch_moved', message: 'the head is another' } as const;
  run.apply({ type: 'work_failed', hold: run.hold, failure, kept: null, duration_s: 1 });
  expect(run.state).toMatchObject({ attempts_used: 0, standing: { phase: 'queued', work: 'attempt' } });
});

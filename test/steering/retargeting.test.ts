import { describe, expect, test } from 'vitest';
import { ends, living, runIn } from './phases.ts';
import { ada, bob, mia, settingsOf, sha } from './samples.ts';
import { story } from './story.ts';

const finished = () => story().starts().works().says(bob, '/approve').confirms();
const release = settingsOf({ check: 'Coxswain (release)', approval: { required: 2 } });

describe('changing the base', () => {
  test.each(living)('of a run that is %s voids what was verified and approved', (phase) => {
    const run = runIn[phase]().retargets(bob, 'release', { settings: release });
    expect(run.state).toMatchObject({
      run: { base: 'release' },
      settings: release,
      shown: null,
      approvals: [],
    });
    expect(run.subject).toBe('bob changed the base to release');
  });

  test.each(['awaiting_approval', 'awaiting_resolution', 'approved', 'timed_out'] as const)(
    'of a run that is %s has the head verified for the new one',
    (phase) => {
      const run = runIn[phase]();
      const asked = run.state.interactions.length;
      run.retargets(bob, 'release');
      expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
      if (phase !== 'approved') expect(run.state.interactions[asked]).toMatchObject({ how: 'retargeted' });
      expect(run.verifiers.pass().phase).toBe('awaiting_approval');
    },
  );

  test('during verification starts it again, and the result for the former base is late', () => {
    const run = runIn.verifying();
    const { hold } = run;
    run.retargets(bob, 'release');
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_attempt' });
    const { head } = run.state;
    run.apply({ type: 'verified', hold, head, verifiers: [], changes: noChanges, gates: [], duration_s: 1 });
    expect(run.state).toMatchObject({ shown: null, standing: { phase: 'queued' } });
    expect(run.verifiers.pass().state.attempts).toHaveLength(1);
  });

  test('while the agent works is noted, and its work is verified for the new one', () => {
    const run = runIn.working().retargets(bob, 'release', { settings: release });
    expect(run.phase).toBe('working');
    run.works().says(mia, '/approve');
    expect(run.state.approvals).toHaveLength(1);
    expect(run.says(bob, '/approve').confirms().state.standing).toMatchObject({ finish: 'finished' });
  });

  test.each(ends)('after the end of a run (%s) is ignored', (phase) => {
    const run = runIn[phase]();
    const { state } = run;
    expect(run.retargets(bob, 'release').state).toBe(state);
  });

  test('tells whoever did it that the approval is void', () => {
    expect(finished().retargets(bob, 'easy').replies.at(-1)).toEqual({
      say: 'retargeted',
      from: 'main',
      base: 'easy',
      by: 'bob',
      approvers: ['bob'],
    });
    expect(runIn.awaiting_approval().retargets(bob, 'easy').replies).toEqual([]);
  });

  test('to the same base changes nothing', () => {
    const run = finished();
    const { state } = run;
    expect(run.retargets(bob, 'main').state).toBe(state);
  });

  test('there and back needs a new approval', () => {
    const run = finished();
    const { settings } = run.state;
    run.retargets(bob, 'easy').retargets(bob, 'main', { settings });
    expect(run.state).toMatchObject({ run: { base: 'main' }, settings, approvals: [], shown: null });
  });

  test('without a usable configuration voids all the same, and keeps the former settings', () => {
    const run = finished();
    const { settings } = run.state;
    run.retargets(bob, 'easy', { settings: null });
    expect(run.state).toMatchObject({ run: { base: 'easy' }, settings, approvals: [], shown: null });
  });
});

describe('a base that was renamed', () => {
  test('is the same base: approvals hold', () => {
    const run = finished();
    const { settings, approvals, shown, standing } = run.state;
    run.retargets(bob, 'trunk', { settings, same_commit: true });
    expect(run.state).toMatchObject({ run: { base: 'trunk' }, approvals, shown, standing });
    expect(run.confirms().state.approvals).toEqual(approvals);
  });

  test('counts as another one if its check or the configuration is different', () => {
    const { settings } = finished().state;
    for (const now of [{ ...settings, digest: 'd2' }, { ...settings, check: 'Coxswain (trunk)' }, null])
      expect(
        finished().retargets(bob, 'trunk', { settings: now, same_commit: true }).state.approvals,
      ).toEqual([]);
  });

  test('counts as another one if its commit is different', () => {
    const { settings } = finished().state;
    expect(finished().retargets(bob, 'trunk', { settings }).state.approvals).toEqual([]);
  });
});

describe('a pull request that was merged into another base', () => {
  test('ends without approvals', () => {
    expect(finished().merges(bob, { base: 'easy' }).state).toMatchObject({
      approvals: [],
      standing: { phase: 'done', merged: true },
    });
    expect(finished().merges(bob).state.approvals).toHaveLength(1);
  });
});

describe('settings that are read for an attempt', () => {
  test('are those that count from then on', () => {
    const stricter = settingsOf({ digest: 'd2', attempts: { max: 1 } });
    const run = story().starts().engine.takes('engine', { settings: stricter });
    expect(run.state.settings).toEqual(stricter);
    run.agent.fails();
    expect(run.phase).toBe('awaiting_resolution');
  });

  test('void the approvals so far if they are different', () => {
    const run = story({ approval: { required: 2 } })
      .starts()
      .works()
      .says(bob, '/approve')
      .says(mia, '/verify');
    expect(run.state.approvals).toHaveLength(1);
    const settings = settingsOf({ digest: 'd2', approval: { required: 1 } });
    run.engine.takes('engine', { settings });
    expect(run.state).toMatchObject({ approvals: [], shown: null });
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('void the results so far if the check has another name', () => {
    const run = story().starts().works().says(ada, '/verify');
    run.engine.takes('engine', { settings: settingsOf({ check: 'Coxswain (main)' }) });
    expect(run.state.shown).toBeNull();
  });

  test('keep the approvals if they are the same', () => {
    const run = story({ approval: { required: 2 } })
      .starts()
      .works()
      .says(bob, '/approve')
      .says(mia, '/verify');
    expect(run.verifiers.pass().state.approvals).toHaveLength(1);
  });

  test('do not start an attempt if they were read for another base', () => {
    const run = story().starts().retargets(bob, 'release', { settings: release });
    run.engine.takes('engine', { base: 'main', settings: settingsOf() });
    expect(run.state).toMatchObject({ settings: release, standing: { phase: 'queued' } });
  });

  test('that cannot be used stop the run, which /retry continues', () => {
    const what = '.github/coxswain.yml is not valid';
    const run = story().starts();
    run.apply({ type: 'run_failed', reference: 'r-1', what, because: 'configuration' });
    expect(run.state.standing).toEqual({
      phase: 'failed',
      reference: 'r-1',
      seq: run.state.seq,
      what,
      because: 'configuration',
      resumes_with: 'attempt',
    });
    expect(run.says(ada, '/retry').state.standing).toEqual({ phase: 'queued', work: 'attempt' });
  });
});

test('what a task tightens is kept in the state', () => {
  const overrides = { approval: { required: 2 } };
  expect(story().starts({}, { overrides }).state.overrides).toEqual(overrides);
  expect(story().starts().state).not.toHaveProperty('overrides');
});

test('a finish is refused if the same configuration now gives the base another check', () => {
  const run = story().starts().works().says(bob, '/approve');
  const settings = { ...run.state.settings, check: 'Coxswain (unlisted: main)' };
  run.confirms({ settings });
  const reasons = ['the check for this base is now Coxswain (unlisted: main), but Coxswain was approved'];
  expect(run.replies.at(-1)).toEqual({ say: 'finish_refused', reasons, approvers: ['bob'] });
  expect(run.state).toMatchObject({ settings, approvals: [], shown: null, head: sha(1) });
});

const noChanges = { files: [], summary: '0 files changed, +0, -0' };

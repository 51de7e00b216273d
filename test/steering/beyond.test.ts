import { describe, expect, test } from 'vitest';
import type { Baseline } from '../../src/steering/shapes/proof.ts';
import { ada, bob, mia, settingsOf, sha } from './samples.ts';
import { story } from './story.ts';

const base = 'b'.repeat(40);

function baselineWith(...red: readonly string[]): Baseline {
  const verifiers = ['test', 'lint'].map((name) => ({
    ...{ name, success: !red.includes(name), exit_code: red.includes(name) ? 1 : 0, timed_out: false },
  }));
  return { base, run: { outcome: 'ran', verifiers, duration_s: 3 } };
}

const two = {
  verifiers: ['test', 'lint'].map((name) => ({ name, run: 'true', timeout_s: 60, required: true })),
};

const failing = (baseline: Baseline, ...red: readonly string[]) =>
  story(two)
    .starts()
    .agent.finishes()
    .verifiers.find({ baseline }, ...red);

describe('what was red before the change', () => {
  test('starts no further attempt, if nothing else fails', () => {
    const run = failing(baselineWith('test'), 'test');
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: {
        type: 'red_before',
        failure_reason: 'test failing on abc0001, and on main at bbbbbbb before this change, too',
      },
    });
    expect(run.state).toMatchObject({ attempts_used: 1, baseline: { base } });
  });

  test('starts one, if something else fails that was green', () => {
    const run = failing(baselineWith('test'), 'test', 'lint');
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
  });

  test('is not what could not be found out', () => {
    const skipped = { base, run: { outcome: 'skipped', why: 'it took too long' } } as const;
    expect(failing(skipped, 'test').state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
  });

  test('still needs somebody who overrides it by name', () => {
    const run = failing(baselineWith('test'), 'test').says(mia, '/approve');
    expect(run.refusal).toMatchObject({ why: 'red_verifiers', names: ['test'] });
    run.says(bob, '/approve --despite test');
    expect(run.refusal).toMatchObject({ why: 'despite_needs_maintain' });
    run.says(mia, '/approve --despite test').confirms();
    expect(run.state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  });

  test('lets people try again', () => {
    const run = failing(baselineWith('test'), 'test').says(ada, '/retry');
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
  });

  test('gives way to a steer that waits', () => {
    const run = story(two).starts().agent.finishes();
    run.engine.takes();
    run.says(ada, '/steer Leave the tests.').verifiers.find({ baseline: baselineWith('test') }, 'test');
    expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued', work: 'attempt' } });
  });

  test('is forgotten under other settings', () => {
    const run = failing(baselineWith('test'), 'test').says(ada, '/retry');
    expect(run.state.baseline).toBeDefined();
    run.engine.takes('engine', { settings: settingsOf({ ...two, digest: 'd2' }) });
    expect(run.state.baseline).toBeUndefined();
  });
});

describe('a base that moves after the verifiers saw the merge with it', () => {
  const merged_with = base;
  const moved = 'c'.repeat(40);
  const approved = (finish: 'ready' | 'merge' = 'ready') =>
    story({ verify_against: 'merge', approval: { finish } })
      .starts()
      .agent.finishes()
      .verifiers.find({ merged_with })
      .says(bob, '/approve');

  test('is no matter while it is where it was', () => {
    expect(approved().confirms({ base_sha: base }).state.standing).toMatchObject({ finish: 'finished' });
  });

  test('has the new merge verified, and the approvals stand', () => {
    const run = approved().confirms({ base_sha: moved });
    expect(run.state).toMatchObject({
      standing: { phase: 'queued', work: 'verify_head' },
      approvals: [{ by: bob }],
    });
    run.verifiers.find({ merged_with: moved });
    expect(run.state.standing).toEqual({ phase: 'approved', finish: 'checking' });
    expect(run.confirms({ base_sha: moved }).state.standing).toMatchObject({ finish: 'finished' });
    expect(run.state.shown?.merged_with).toBe(moved);
  });

  test('takes the approvals if the verifiers fail on the new merge', () => {
    const run = approved().confirms({ base_sha: moved }).verifiers.find({ merged_with: moved }, 'test');
    expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'awaiting_resolution' } });
  });

  test('stops for a human if the two conflict', () => {
    const run = approved().confirms({ base_sha: moved });
    run.engine.takes().agent.fails('conflict', 'conflicts in a.txt');
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { type: 'conflict', failure_reason: 'conflicts in a.txt' },
    });
    expect(run.state.approvals).toEqual([]);
  });

  test('asks people again when it has moved too often, and from then on counts anew', () => {
    const run = approved();
    for (let times = 1; times <= 5; times++) {
      run.confirms({ base_sha: sha(times) });
      expect(run.state.approvals).toHaveLength(1);
      run.verifiers.find({ merged_with: sha(times) });
    }
    run.confirms({ base_sha: moved });
    expect(run.replies.at(-1)).toMatchObject({
      say: 'finish_refused',
      reasons: [expect.stringMatching(/^the base has moved 5 times since/)],
    });
    run.verifiers.find({ merged_with: moved }).waits(20).says(bob, '/approve').confirms({ base_sha: base });
    expect(run.state).toMatchObject({ approvals: [{ by: bob }], standing: { work: 'verify_head' } });
  });

  test('is looked at again before our own merge, and not where people merge', () => {
    const ours = approved('merge').confirms({ base_sha: base }).confirms({ base_sha: moved });
    expect(ours.state.standing).toMatchObject({ phase: 'queued', work: 'verify_head' });
    const theirs = approved('ready').confirms({ base_sha: base }).confirms({ base_sha: moved });
    expect(theirs.state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  });
});

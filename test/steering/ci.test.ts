import { describe, expect, test } from 'vitest';
import { isCiSkipped } from '../../src/steering/iterations/iteration.ts';
import { ada, bob, changes, rea, report, sha } from './samples.ts';
import { type Story, story } from './story.ts';

/** A run whose commit tells GitHub to skip CI, verified. */
function skipping(): Story {
  const run = story({ ci: 'after_look' }).starts().engine.takes();
  const spent = { changes, cost: {}, duration_s: 1 };
  const work = { head_before: sha(0), head: run.newCommit(), report, ...spent, skips_ci: true } as const;
  return run.apply({ type: 'work_finished', hold: run.hold, work }).verifiers.pass();
}

describe('/verify --ci', () => {
  test('pushes a new head on which CI runs, verifies it, and asks for approval of that', () => {
    const run = skipping();
    expect(isCiSkipped(run.state)).toBe(true);
    run.says(ada, '/verify --ci').engine.startsCi();
    expect(run.tookCode).toBe(true);
    expect(run.state).toMatchObject({ head: sha(2), shown: null, standing: { phase: 'verifying' } });
    expect(isCiSkipped(run.state)).toBe(false);
    expect(run.verifiers.pass().state).toMatchObject({
      standing: { phase: 'awaiting_approval', interaction: { head_sha: sha(2) } },
      attempts: [{ attempt: 1 }],
    });
  });

  test('voids the approval of the head before', () => {
    const run = skipping().says(bob, '/approve').says(ada, '/verify --ci').engine.startsCi();
    expect(run.state.approvals).toEqual([]);
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('takes write', () => {
    expect(skipping().says(rea, '/verify --ci').refusal).toMatchObject({ needs: 'write' });
  });

  test('is an ordinary /verify where CI does not wait', () => {
    const run = story().starts().works().says(ada, '/verify --ci').engine.takes();
    expect(run.state.standing).not.toHaveProperty('starts_ci');
    expect(run.verifiers.pass().state.head).toBe(sha(1));
  });

  test('is still due when its process is lost, but only one commit is pushed', () => {
    const run = skipping().says(ada, '/verify --ci').engine.takes();
    const { hold } = run;
    run.engine.isLost().engine.takes('another').engine.startsCi(hold);
    expect(run.tookCode).toBe(false);
    run.engine.startsCi();
    expect(run.tookCode).toBe(true);
    run.engine.startsCi();
    expect(run.tookCode).toBe(false);
  });
});

test('/verify alone leaves CI waiting, and so does other work', () => {
  expect(isCiSkipped(skipping().says(ada, '/verify').verifiers.pass().state)).toBe(true);
});

test("someone else's commit decides for itself whether CI runs", () => {
  expect(isCiSkipped(skipping().pushes(bob).state)).toBe(false);
});

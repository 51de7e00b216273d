import { describe, expect, test } from 'vitest';
import { awaitedChecks, checksDeadline } from '../../src/steering/approval/ci-results.ts';
import { checkRun, ci, e2e, failChecks, passChecks, reports, waitsInVain } from './checks.ts';
import { bob, type Choices, mia, sha } from './samples.ts';
import { type Story, story } from './story.ts';

const test1 = { name: 'test', run: 'npm test', timeout_s: 600, required: true };

/** The verifiers of the first attempt have passed. */
function waiting(choices: Choices = {}): Story {
  const run = story({ checks: [{ ...ci, after: 1 }], verifiers: [test1], ...choices }).starts();
  return run.agent.finishes().verifiers.pass();
}

const verdicts = (run: Story) =>
  (run.state.shown?.verifiers ?? []).map(({ name, success, exit_code }) => [name, success, exit_code]);

describe('after the verifiers', () => {
  test('the run waits for the check without a lease, and GitHub is asked for it', () => {
    const run = waiting();
    expect(run.phase).toBe('verifying');
    expect(run.state.standing).not.toHaveProperty('hold');
    expect(run.state.shown).toBeNull();
    expect(run.effects.map((effect) => effect.do)).toContain('read_checks');
    expect(awaitedChecks(run.state)).toMatchObject([{ spec: { name: 'ci' }, seen: undefined }]);
  });

  test('success is green, and people are asked', () => {
    const run = reports(waiting(), checkRun('success', { text: '12 tests' }));
    expect(run.phase).toBe('awaiting_approval');
    expect(verdicts(run)).toEqual([
      ['test', true, 0],
      ['ci', true, 0],
    ]);
    expect(run.state.shown?.verifiers[1]).toMatchObject({
      ...{ verifier: 'service:ci', duration_s: 90, timed_out: false },
      stdout: 'The check build / test by github-actions ended with success.\n\n12 tests',
      check: { name: 'build / test', id: 501, url: 'https://github.com/acme/service/runs/501' },
    });
    expect(run.state.shown?.confidence.components[0]).toMatchObject({
      evidence: expect.stringContaining('2'),
    });
  });

  test.each(['failure', 'timed_out', 'startup_failure'])('%s starts the next attempt', (conclusion) => {
    const run = reports(waiting(), checkRun(conclusion, { text: 'expected 3, got 4' }));
    expect(run.state).toMatchObject({
      standing: { phase: 'queued', work: 'attempt' },
      attempts: [{ outcome: 'red', verifiers: [{ name: 'test' }, { name: 'ci', success: false }] }],
    });
    expect(run.state.shown?.verifiers[1]?.stdout).toContain('expected 3, got 4');
  });

  test.each(['skipped', 'neutral', 'cancelled', 'action_required', 'stale', 'something_new'])(
    '%s is not green, and a human is asked, because another attempt would change nothing',
    (conclusion) => {
      const run = reports(waiting(), checkRun(conclusion));
      expect(run.state.standing).toMatchObject({
        phase: 'awaiting_resolution',
        interrupt: {
          failure_reason: `ci: The check build / test by github-actions ended with ${conclusion}, which is not green.`,
        },
      });
      expect(verdicts(run)[1]).toEqual(['ci', false, -1]);
      expect(run.says(mia, '/approve').refusal).toMatchObject({ why: 'red_verifiers', names: ['ci'] });
    },
  );

  test('a required verifier that fails is judged at once', () => {
    const run = story({ checks: [{ ...ci, after: 1 }], verifiers: [test1] }).starts();
    run.agent.finishes().verifiers.fail('test');
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    expect(verdicts(run)).toEqual([
      ['test', false, 1],
      ['ci', false, -1],
    ]);
  });

  test('one that is red on the base, too, starts no attempt by itself', () => {
    const run = reports(waiting(), checkRun('failure', { red_on_base: sha(0) }));
    expect(run.state).toMatchObject({
      standing: { phase: 'awaiting_resolution', interrupt: { type: 'red_before' } },
      shown: { baseline: { base: sha(0), run: { verifiers: [{ name: 'ci', success: false }] } } },
    });
    expect(run.state.shown?.verifiers[1]?.stdout).toContain('It is red on abc0000 of the base, too.');
    reports(run, checkRun('success', { id: 502 }));
    expect(run.phase).toBe('awaiting_approval');
  });

  test('a check that is not required is waited for, too, and blocks nothing', () => {
    const run = waiting({ checks: [{ ...ci, required: false, after: 1 }] });
    expect(reports(run, checkRun('failure')).phase).toBe('awaiting_approval');
  });

  test('all are waited for while nothing required is red', () => {
    const run = waiting({ checks: [ci, { ...e2e, after: 1 }] });
    reports(run, checkRun('success'));
    expect(run.phase).toBe('verifying');
    reports(run, checkRun('success'), checkRun('success', { name: 'e2e', id: 7 }));
    expect(run.phase).toBe('awaiting_approval');
    expect(verdicts(run).map(([name]) => name)).toEqual(['ci', 'test', 'e2e']);
  });

  test('with a red one the others are not waited for, and do not count as green', () => {
    const run = reports(waiting({ checks: [ci, e2e] }), checkRun('failure'));
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
    expect(verdicts(run)).toContainEqual(['e2e', false, -1]);
  });

  test('what is said of another commit, or again, changes nothing', () => {
    const run = waiting();
    const { seq } = run.state;
    run.apply({ type: 'checks_reported', head: sha(9), checks: [checkRun('success')] });
    expect(run.state.seq).toBe(seq);
    reports(run, checkRun(null));
    reports(run, checkRun(null));
    expect(run.state.seq).toBe(seq + 1);
  });
});

describe('when the time is over', () => {
  test('a check that never came is red, says so, and a human is asked', () => {
    const run = waitsInVain(waiting());
    expect(run.state.shown?.verifiers[1]).toMatchObject({
      ...{ success: false, timed_out: true, exit_code: -1 },
      stdout: `The check build / test by github-actions has not reported on ${sha(1).slice(0, 7)} after 30 min.`,
    });
    expect(run.phase).toBe('awaiting_resolution');
  });

  test('in the Action it says that CI does not start by itself there', () => {
    const run = story({ checks: [ci], verifiers: [] }).starts({ presenter: 'action' });
    waitsInVain(run.agent.finishes().verifiers.pass());
    expect(run.state.standing).toMatchObject({
      interrupt: { failure_reason: expect.stringContaining('approve the workflow run') },
    });
  });

  test('one that still runs may hang because of the work, so the next attempt begins', () => {
    const run = waitsInVain(reports(waiting(), checkRun(null)));
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt' });
    expect(run.state.shown?.verifiers[1]?.stdout).toContain('is in progress on');
    expect(run.state.shown?.verifiers[1]).toMatchObject({ timed_out: true });
  });

  test('each check has its own', () => {
    const run = waiting({ checks: [{ ...ci, required: false }, e2e] });
    waitsInVain(run);
    expect(awaitedChecks(run.state).map(({ spec }) => spec.name)).toEqual(['e2e']);
    reports(run, checkRun('success', { name: 'e2e' }));
    expect(run.phase).toBe('awaiting_approval');
    expect(verdicts(run)[0]).toEqual(['ci', false, -1]);
  });

  test('a timer that is early, or of another wait, does nothing', () => {
    const run = waiting();
    const deadline = checksDeadline(run.state) ?? '';
    const { seq } = run.state;
    run.apply({ type: 'timer_due', timer: 'checks', deadline });
    run.apply({ type: 'timer_due', timer: 'checks', deadline: '2020-01-01T00:00:00.000Z' });
    expect(run.state.seq).toBe(seq);
    passChecks(run);
    run.now = Date.parse(deadline);
    run.apply({ type: 'timer_due', timer: 'checks', deadline });
    expect(run.phase).toBe('awaiting_approval');
  });
});

describe('while it waits', () => {
  test('a push, a steer, a rejection and another base do what they do while the verifiers run', () => {
    expect(waiting().pushes(bob).state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
    expect(waiting().says(mia, '/reject no').phase).toBe('rejected');
    expect(waiting().says(mia, '/steer --now otherwise').state).toMatchObject({ iteration: 1 });
    expect(waiting().retargets(bob, 'release').state.standing).toMatchObject({ phase: 'queued' });
    expect(waiting().deletesBranch(bob).phase).toBe('paused');
    expect(waiting().closes(bob).phase).toBe('cancelled');
    expect(waiting().says(mia, '/pause').phase).toBe('paused');
    const steered = waiting().says(mia, '/steer otherwise');
    expect(steered.phase).toBe('verifying');
    expect(passChecks(steered).state).toMatchObject({ iteration: 1, standing: { phase: 'queued' } });
  });

  test('a late result of the verifiers is only kept', () => {
    const run = waiting();
    run.engine.isLost({ iteration: 0, attempt: 1, holder: 'engine' });
    expect(run.phase).toBe('verifying');
    expect(run.state.standing).toHaveProperty('awaits');
  });
});

describe('where CI waits for somebody to look', () => {
  function skipping(): Story {
    const run = story({ ci: 'after_look', checks: [ci], verifiers: [] })
      .starts()
      .agent.finishes();
    const { head } = run.state;
    Object.assign(run.state, { ci_skipped: head });
    return run.verifiers.pass();
  }

  test('nothing is waited for, and the run says how to go on', () => {
    const run = skipping();
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { failure_reason: expect.stringContaining('/verify --ci') },
    });
    run.says(mia, '/verify --ci').engine.startsCi().verifiers.pass();
    expect(run.state.standing).toHaveProperty('awaits');
    expect(passChecks(run).phase).toBe('awaiting_approval');
  });
});

describe('a check that runs again', () => {
  const shown = () => passChecks(waiting());

  test('takes an approval back if it turns red', () => {
    const run = failChecks(shown().says(bob, '/approve').confirms());
    expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'awaiting_resolution' } });
    expect(run.replies.at(-1)).toMatchObject({ say: 'finish_refused', approvers: ['bob'] });
    expect(run.effects.at(-1)).toMatchObject({ do: 'withdraw', approved: true });
  });

  test('changes nothing for whoever approved despite it, or while it is not done', () => {
    const despite = reports(waiting(), checkRun('skipped')).says(mia, '/approve --despite ci');
    expect(failChecks(despite.confirms()).phase).toBe('approved');
    const again = shown().says(bob, '/approve').confirms();
    expect(reports(again, checkRun(null, { id: 502 })).phase).toBe('approved');
  });

  test('asks about something red, if it turns red before anybody approves', () => {
    const run = failChecks(shown());
    expect(run.phase).toBe('awaiting_resolution');
    expect(run.state.interactions.at(-1)).toMatchObject({ how: 'CI ran again', by: 'coxswain' });
  });

  test('is judged again without an attempt if it turns green', () => {
    const run = reports(waiting(), checkRun('cancelled'));
    reports(run, checkRun('success', { id: 502 }));
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.attempt).toBe(1);
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });

  test('counts when the run was asked why an agent failed, but settles nothing', () => {
    const run = waiting({ attempts: { max: 1 } });
    reports(run, checkRun('failure')).says(mia, '/retry').agent.fails();
    expect(run.phase).toBe('awaiting_resolution');
    reports(run, checkRun('success', { id: 502 }));
    expect(run.phase).toBe('awaiting_resolution');
    expect(verdicts(run)[1]).toEqual(['ci', true, 0]);
  });

  test('is verified again by /verify, with what GitHub says then', () => {
    const run = reports(waiting(), checkRun('cancelled')).says(mia, '/verify').verifiers.pass();
    expect(run.state.standing).toHaveProperty('awaits');
  });
});

describe('just before finishing', () => {
  const approved = () => passChecks(waiting()).says(bob, '/approve');

  test.each([
    [[checkRun('failure', { id: 502 })], 'ended with failure'],
    [[checkRun(null, { id: 502 })], 'is in progress'],
    [[], 'is not there'],
  ])('%j refuses, and names it', (checks, what) => {
    const run = approved().confirms({ checks });
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
    expect(run.replies.at(-1)).toMatchObject({
      reasons: [`the required check ci (build / test by github-actions) ${what}`],
    });
  });

  test('success finishes, and so does a ledger of a version that did not ask', () => {
    expect(approved().confirms({ checks: [checkRun('success')] }).state.standing).toMatchObject({
      finish: 'finished',
    });
    expect(approved().confirms().state.standing).toMatchObject({ finish: 'finished' });
  });

  test('out of draft CI may run once more, which takes nothing back', () => {
    const run = approved().confirms({ checks: [checkRun('success')] });
    run.confirms({ checks: [checkRun(null, { id: 502 })] });
    expect(run.phase).toBe('approved');
    run.confirms({ checks: [checkRun('failure', { id: 502 })] });
    expect(run.state.approvals).toEqual([]);
  });

  test('whoever approved despite it is not asked again', () => {
    const run = reports(waiting(), checkRun('skipped')).says(mia, '/approve --despite ci');
    expect(run.confirms({ checks: [checkRun('skipped')] }).state.standing).toMatchObject({
      finish: 'finished',
    });
  });
});

describe('in whatever order a report, the timer and people come', () => {
  const deeds: { readonly [name: string]: (run: Story) => Story } = {
    green: (run) => reports(run, checkRun('success')),
    red: (run) => reports(run, checkRun('failure', { id: 502 })),
    timer: (run) => (checksDeadline(run.state) === null ? run : waitsInVain(run)),
    steer: (run) => run.says(mia, '/steer --now otherwise'),
    push: (run) => run.pushes(bob),
    approve: (run) => run.says(bob, '/approve'),
  };
  test('only what is green on its own head is ever approved', () => {
    let approved = 0;
    for (const order of permutations(Object.keys(deeds))) {
      const run = waiting();
      for (const name of order) {
        deeds[name]?.(run);
        const { standing, approvals, shown, head } = run.state;
        const isGreen = shown?.verifiers.every(({ success }) => success);
        if (standing.phase === 'approved')
          expect([order, isGreen, shown?.head_sha]).toEqual([order, true, head]);
        expect([order, approvals.filter(({ head_sha }) => head_sha !== head)]).toEqual([order, []]);
        approved += standing.phase === 'approved' ? 1 : 0;
      }
      expect([order, run.state.head]).toEqual([order, sha(2)]);
    }
    expect(approved).toBeGreaterThan(0);
  });
});

function permutations<T>(items: readonly T[]): readonly T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

import { describe, expect, test } from 'vitest';
import { proceedingReasons } from '../../src/steering/approval/waiting-reasons.ts';
import type { Stage } from '../../src/steering/shapes/settings.ts';
import { ada, bob, type Choices, mia, planFirst, settingsOf, sha, threeStages } from './samples.ts';
import { type Story, story } from './story.ts';

/** What happens to a run while a plan is on show, or between two stages. */

function planned(choices: Choices = {}): Story {
  return story({ stages: planFirst, ...choices })
    .starts()
    .agent.plans('1. Pin the clock.');
}

const auto: Choices = { approval: { mode: 'auto', new_history: 0, finish: 'merge' } };

/** The engine takes what is due with this configuration. */
function configured(run: Story, stages: readonly Stage[] | undefined): Story {
  const { stages: _, ...rest } = run.state.settings;
  return run.engine.takes('engine', { settings: { ...rest, digest: 'd2', ...(stages && { stages }) } });
}

test('the answer to a question of a stage that is over renews the budget of attempts', () => {
  const run = story({ stages: planFirst, attempts: { max: 1 } }).starts();
  run.engine.takes();
  run.agent.wonders('Which?').agent.plans('1. Pin the clock.');
  expect(run.phase).toBe('awaiting_answer');
  run.says(ada, '/answer Python').engine.takes();
  expect([run.state.attempt, run.state.attempts_used]).toEqual([2, 1]);
});

describe('news while a plan is on show', () => {
  test('a push leaves it on show, and the next stage begins on what was pushed', () => {
    const run = planned().pushes(ada, { head: sha(9) });
    expect([run.phase, run.state.head, run.state.plan?.text]).toEqual([
      'awaiting_stage',
      sha(9),
      '1. Pin the clock.',
    ]);
    expect(run.says(bob, '/approve').phase).toBe('queued');
    run.engine.takes();
    expect([run.state.stage, run.state.head, run.state.attempt]).toEqual(['implement', sha(9), 1]);
  });

  test('a merge of the base leaves it on show', () => {
    const run = planned().pushes(ada, { head: sha(9), merges_base: true });
    expect([run.phase, run.says(bob, '/approve').phase]).toEqual(['awaiting_stage', 'queued']);
  });

  test('another base leaves it on show', () => {
    const run = planned().retargets(ada, 'next');
    expect([run.phase, run.state.run.base, run.says(bob, '/approve').phase]).toEqual([
      'awaiting_stage',
      'next',
      'queued',
    ]);
  });

  test('it is planned anew when the pull request was closed meanwhile, and nothing is on show', () => {
    const run = planned().closes(ada);
    expect([run.phase, run.says(bob, '/approve').phase]).toEqual(['cancelled', 'cancelled']);
    run.reopens(ada).says(bob, '/resume');
    expect([run.state.standing, run.state.stage]).toEqual([{ phase: 'queued', work: 'attempt' }, 'plan']);
  });

  test('it is planned anew when the branch was deleted and is there again', () => {
    const run = planned().deletesBranch(ada);
    expect([run.phase, run.says(bob, '/approve').phase]).toEqual(['paused', 'paused']);
    run.says(bob, '/resume');
    expect([run.phase, run.state.stage]).toEqual(['queued', 'plan']);
  });

  test.each(['/extend 2', '/budget +50 calls'])('%s leaves it on show', (text) => {
    const run = planned({ limits: { minutes: 60, tool_calls: 10 } }).says(mia, text);
    expect([run.phase, run.refusal]).toEqual(['awaiting_stage', undefined]);
    expect(run.says(bob, '/approve').phase).toBe('queued');
  });

  test('/undo goes to no plan from before: there was nothing to verify', () => {
    const run = planned(auto).says(bob, '/steer Freeze it').agent.plans('1. Freeze it.').says(bob, '/undo');
    expect([run.phase, run.refusal]).toEqual(['awaiting_stage', { why: 'nothing_to_undo' }]);
    run.says(bob, '/undo 0');
    expect([run.phase, run.refusal]).toEqual(['awaiting_stage', { why: 'nothing_to_undo' }]);
  });

  test('/undo goes back to work that was finished', () => {
    const run = planned().says(bob, '/approve').works().says(bob, '/steer More').works().says(bob, '/undo');
    expect([run.refusal, run.state.iterations.at(-1)?.undo]).toMatchObject([undefined, { to: 0 }]);
  });

  test('two people who approve it at once begin one stage', () => {
    const run = planned().says(bob, '/approve').says(ada, '/approve');
    expect(run.refusal).toEqual({ why: 'nothing_to_approve', phase: 'queued' });
    expect([run.state.standing, run.state.approvals]).toEqual([
      { phase: 'queued', work: 'attempt', goes_on: true },
      [],
    ]);
  });

  test('/approve from before it was shown approves nothing, whenever it is heard', () => {
    const run = story({ stages: planFirst }).starts().engine.takes().says(bob, '/approve');
    expect(run.refusal).toMatchObject({ why: 'nothing_to_approve' });
    run.agent.plans('1. Pin the clock.').says(bob, '/approve', { secondsAfterHead: 1 });
    expect([run.phase, run.refusal]).toEqual(['awaiting_stage', { why: 'just_shown' }]);
  });
});

describe('an approving review of a plan', () => {
  test('counts for no commit that comes later, nor for the same one when it is verified', () => {
    const run = planned()
      .pushes(ada, { head: sha(9) })
      .reviews(bob, 'approves');
    expect([run.phase, run.state.approvals]).toEqual(['queued', []]);
    // What is on the branch is what the review was given to.
    run.agent.finishes({ changesNothing: true }).verifiers.pass();
    expect([run.phase, run.state.head, run.state.approvals]).toEqual(['awaiting_approval', sha(9), []]);
    run.dismisses(bob);
    expect(run.phase).toBe('awaiting_approval');
  });

  test('counts for nothing when the ledger was lost meanwhile and the same commit is shown', () => {
    const run = story({ stages: planFirst }).starts({}, { lost: { how: 'vanished', seq: 9 } });
    const given = run.now - 60_000;
    run.verifiers.pass();
    const shown = run.now;
    run.now = given;
    run.reviews(bob, 'approves');
    expect([run.phase, run.refusal]).toMatchObject(['awaiting_approval', { why: 'just_landed' }]);
    run.now = shown;
    expect(run.reviews(bob, 'approves').phase).toBe('approved');
  });

  test('counts for the plan also if it is heard before the push to whose commit it was given', () => {
    expect(planned().reviews(bob, 'approves', sha(9)).phase).toBe('queued');
  });

  test('is refused for the work when it is heard late', () => {
    const run = planned().says(bob, '/approve').works();
    run.reviews(ada, 'approves', sha(0));
    expect([run.phase, run.refusal]).toMatchObject(['awaiting_approval', { why: 'other_head' }]);
  });
});

describe('the configuration between two stages', () => {
  test.each([
    ['has them under other names', [{ name: 'design' }, { name: 'build' }], 'design'],
    ['has no stages any more', undefined, 'implement'],
    ['has another one before the last', [{ name: 'plan' }, ...threeStages], 'implement'],
  ] as const)('that %s lets the approved plan be built', (_, stages, stage) => {
    const run = configured(planned().says(bob, '/approve'), stages);
    expect([run.phase, run.state.plan?.text]).toEqual(['working', '1. Pin the clock.']);
    if (stages !== undefined) expect(run.state.stage).toBe(stage);
    while (run.phase !== 'verifying') run.agent.finishes();
    expect([run.state.attempt, run.state.approvals]).toEqual([1, []]);
  });

  test('that asks nobody any more leaves what is on show on show', () => {
    const run = planned();
    expect(run.state.settings.stages).toEqual(planFirst);
    expect(
      configured(run.says(bob, '/steer Freeze it'), [{ name: 'plan' }, { name: 'implement' }]).phase,
    ).toBe('working');
    expect(run.agent.plans('1. Freeze it.').state.standing).toMatchObject({ phase: 'queued', goes_on: true });
  });

  test('that asks for an approval only now shows the plan that is at work', () => {
    const run = configured(story({ stages: [{ name: 'plan' }, { name: 'implement' }] }).starts(), planFirst);
    expect(run.agent.plans('1. Pin the clock.').phase).toBe('awaiting_stage');
  });
});

describe('a hold between two stages', () => {
  test('/pause and /resume go on with the same attempt', () => {
    const run = planned().says(bob, '/approve').says(bob, '/pause').says(bob, '/resume');
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt', goes_on: true });
    run.engine.takes();
    expect([run.state.stage, run.state.attempt, run.state.attempts_used]).toEqual(['implement', 1, 1]);
  });

  test('the same holds if somebody pushed while it was paused', () => {
    const run = planned().says(bob, '/approve').says(bob, '/pause').pushes(ada).says(bob, '/resume');
    expect(run.engine.takes().state.attempt).toBe(1);
  });

  test('losses count anew in each stage', () => {
    const run = story({ stages: threeStages }).starts();
    for (const _ of threeStages) {
      for (let losses = 0; losses < 3; losses += 1) run.engine.takes().engine.isLost();
      run.agent.finishes();
    }
    expect(run.phase).toBe('verifying');
  });
});

describe('a policy goes on with no attempt that ended between two stages', () => {
  const left: Record<string, (run: Story) => Story> = {
    'verified again': (run) => run.says(bob, '/verify'),
    'verified for another base': (run) =>
      run.retargets(bob, 'next', { settings: settingsOf({ ...auto, stages: planFirst }) }),
    'closed and reopened': (run) => run.closes(bob).reopens(bob).says(bob, '/resume'),
    'tried again after a fault of ours': (run) => run.engine.breaks().says(bob, '/retry'),
  };

  test.each(Object.entries(left))('when its commit is %s', (_, act) => {
    const run = act(planned(auto).says(bob, '/interrupt'));
    run.verifiers.find({ merged_runs: 9 });
    const { proceeding } = run.state.shown ?? {};
    expect([run.phase, proceeding && proceedingReasons(proceeding)]).toEqual([
      'awaiting_approval',
      ['no attempt got through all its stages to this commit'],
    ]);
  });

  test('but with one that got through all of them, also in a later iteration', () => {
    const run = planned(auto).says(bob, '/approve').agent.finishes();
    expect(run.verifiers.find({ merged_runs: 9 }).phase).toBe('approved');
    run.says(bob, '/steer More').agent.finishes();
    expect(run.verifiers.find({ merged_runs: 9 }).phase).toBe('approved');
  });
});

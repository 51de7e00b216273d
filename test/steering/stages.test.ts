import { describe, expect, test } from 'vitest';
import { approvalRequestOf } from '../../src/steering/announcements.ts';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { advisableTo, possibleIn } from '../../src/steering/phases/table.ts';
import type { Stage } from '../../src/steering/shapes/settings.ts';
import { ada, bob, type Choices, mia, planFirst, rea, sha, threeStages } from './samples.ts';
import { type Story, story } from './story.ts';

function planned(choices: Choices = {}): Story {
  return story({ stages: planFirst, ...choices })
    .starts()
    .agent.plans('1. Pin the clock.');
}

describe('a plan on show', () => {
  test('waits for people in a phase of its own, with the plan and an interaction', () => {
    const run = planned();
    expect(run.phase).toBe('awaiting_stage');
    expect(run.state.plan).toEqual({ text: '1. Pin the clock.', iteration: 0, attempt: 1 });
    expect(openInteraction(run.state)).toMatchObject({ kind: 'stage', head_sha: sha(0) });
    expect(run.state.shown).toBeNull();
    expect(approvalRequestOf(run.state)).toMatchObject({
      subtask_id: 'plan',
      proposed_action: 'the stage implement begins',
      details: { summary: '1. Pin the clock.' },
    });
  });

  test('lets the work begin in the same attempt when it is approved, and approves no commit', () => {
    const run = planned().says(bob, '/approve');
    expect(run.state.standing).toEqual({ phase: 'queued', work: 'attempt', goes_on: true });
    expect(run.state.approvals).toEqual([]);
    expect(run.state.interactions.at(-1)).toMatchObject({
      kind: 'stage',
      by: 'bob',
      how: 'approved the plan',
    });
    run.agent.finishes();
    expect(run.phase).toBe('verifying');
    expect([run.state.attempt, run.state.attempts_used]).toEqual([1, 1]);
    run.verifiers.pass();
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.approvals).toEqual([]);
    expect(run.state.plan?.text).toBe('1. Pin the clock.');
  });

  test('is approved by a click and by a review, too', () => {
    expect(planned().clicks(ada, 'approve').phase).toBe('queued');
    expect(planned().reviews(bob, 'approves').phase).toBe('queued');
    expect(planned().reviews(bob, 'approves').state.approvals).toEqual([]);
  });

  test('is planned anew when it is steered, with an iteration', () => {
    const run = planned().says(bob, '/steer Freeze it instead');
    expect([run.phase, run.state.iteration, run.state.stage]).toEqual(['queued', 1, 'plan']);
    run.agent.plans('1. Freeze the clock.');
    expect(run.phase).toBe('awaiting_stage');
    expect(run.state.plan).toEqual({ text: '1. Freeze the clock.', iteration: 1, attempt: 1 });
  });

  test('a comment from before it was shown approves nothing', () => {
    const run = planned().says(bob, '/steer Freeze it instead').agent.plans('1. Freeze the clock.');
    const shownAt = Date.parse(openInteraction(run.state)?.opened_at ?? '');
    const headAt = Date.parse(run.state.head_at);
    const early = (shownAt - headAt) / 1000 + 2;
    run.says(ada, '/approve', { secondsAfterHead: early });
    expect(run.refusal).toEqual({ why: 'just_shown' });
    expect(run.phase).toBe('awaiting_stage');
  });

  test.each(['comment', 'review'] as const)(
    'a late %s about it approves no commit, be it the same one',
    (from) => {
      const run = story({ stages: planFirst }).starts({ adopted: true }).agent.plans('Do nothing.');
      const writtenAt = new Date(run.now).toISOString();
      run.now += 60_000;
      run.says(bob, '/approve').agent.finishes({ changesNothing: true }).verifiers.pass();
      expect([run.phase, run.state.head]).toEqual(['awaiting_approval', sha(0)]);
      const source =
        from === 'comment'
          ? ({ from, comment_id: 77, text_sha256: '', written_at: writtenAt } as const)
          : ({ from, review_id: 77, commit_id: sha(0), text_sha256: '' } as const);
      const command = { type: 'approve', sha: null, despite: [] } as const;
      if (from === 'review') run.now = Date.parse(writtenAt);
      run.apply({ type: 'said', command, by: mia, source });
      expect(run.refusal).toMatchObject({ why: 'just_landed' });
      expect(run.state.approvals).toEqual([]);
    },
  );

  test('is approved by those whom `approval.by` admits, whoever steered it', () => {
    const rules = { by: [{ login: 'mia' }], steerer_may_approve: false, requester_may_approve: false };
    const run = planned({ approval: rules }).says(bob, '/approve');
    expect(run.refusal).toMatchObject({ why: 'not_permitted', needs: '@mia' });
    run.says(mia, '/steer Freeze it instead').agent.plans('1. Freeze it.').says(mia, '/approve');
    expect(run.phase).toBe('queued');
  });

  test.each([
    ['/approve --despite test', 'not_red'],
    [`/approve ${sha(9)}`, 'other_head'],
  ])('%s is refused: there is no commit to approve', (text, why) => {
    const run = planned().says(bob, text);
    expect(run.refusal).toMatchObject({ why });
    expect(run.phase).toBe('awaiting_stage');
  });

  test('goes nowhere by itself in any mode, and times out', () => {
    for (const mode of ['auto', 'confidence_threshold'] as const) {
      const run = planned({ approval: { mode, threshold: 0, new_history: 0 } });
      expect(deadlines(run.state).map(({ kind }) => kind)).not.toContain('proceed');
      expect(run.waits(24).phase).toBe('timed_out');
      run.says(bob, '/resume');
      expect(run.phase).toBe('awaiting_stage');
      expect(run.says(bob, '/approve').phase).toBe('queued');
    }
  });

  test.each([
    ['/reject No', 'rejected'],
    ['/cancel', 'cancelled'],
    ['/interrupt', 'awaiting_resolution'],
    ['/pause', 'paused'],
  ])('%s is %s', (text, phase) => {
    expect(planned().says(bob, text).phase).toBe(phase);
  });

  test('is asked about again after a pause, also if somebody pushed meanwhile', () => {
    expect(planned().says(bob, '/pause').says(bob, '/resume').phase).toBe('awaiting_stage');
    const run = planned().says(bob, '/pause').pushes(ada).says(bob, '/resume');
    expect(run.phase).toBe('awaiting_stage');
  });

  test('an interrupt of it offers no approval of the empty commit', () => {
    const run = planned().says(bob, '/interrupt');
    expect(possibleIn(run.state)).not.toContain('approve');
    run.says(bob, '/approve');
    expect(run.refusal).toMatchObject({ why: 'nothing_to_approve' });
    run.says(bob, '/retry');
    expect([run.phase, run.state.stage]).toEqual(['queued', 'plan']);
  });

  test('readers are offered nothing that they may not say', () => {
    expect(advisableTo(planned().state, { by: rea, at: '2025-03-03T13:00:00Z' })).not.toContain('approve');
  });
});

describe('several stages', () => {
  test('follow each other in one attempt, each on the commit of the one before', () => {
    const run = story({ stages: threeStages }).starts().agent.finishes();
    expect([run.phase, run.state.stage, run.state.head]).toEqual(['queued', 'implement', sha(1)]);
    expect(run.tookCode).toBe(true);
    run.agent.finishes();
    expect(run.state.stage).toBe('docs');
    run.agent.finishes();
    expect([run.phase, run.state.attempt, run.state.attempts_used]).toEqual(['verifying', 1, 1]);
    expect(run.subjects).toContain('Continue with the stage docs');
  });

  test('go back to implement when the verifiers fail, and the later ones are done again', () => {
    const run = story({ stages: threeStages }).starts();
    for (const _ of threeStages) run.agent.finishes();
    run.verifiers.fail('test');
    expect([run.phase, run.state.stage]).toEqual(['queued', 'implement']);
    run.agent.finishes().engine.takes();
    expect([run.state.attempt, run.state.attempts_used, run.state.stage]).toEqual([2, 2, 'docs']);
  });

  test('go back to implement when people steer the finished work', () => {
    const run = story({ stages: [{ name: 'plan' }, { name: 'implement' }] })
      .starts()
      .agent.plans('Do it.')
      .works();
    run.says(bob, '/steer And the docs');
    expect([run.phase, run.state.stage, run.state.plan?.text]).toEqual(['queued', 'implement', 'Do it.']);
  });

  test('a steer that waited begins its iteration at the stage that was at work', () => {
    const run = story({ stages: threeStages })
      .starts()
      .engine.takes()
      .says(bob, '/steer First this')
      .agent.finishes();
    expect([run.phase, run.state.iteration, run.state.stage]).toEqual(['queued', 1, 'tests']);
  });

  test('a check that fails is another attempt at the same stage, as often as that may be', () => {
    const stages: readonly Stage[] = [{ name: 'tests', retries: 1 }, { name: 'implement' }];
    const run = story({ stages, attempts: { max: 5 } }).starts();
    run.agent.fails('stage_check', '`npm test` passed, and was expected to fail');
    expect([run.phase, run.state.attempts.at(-1)?.stage]).toEqual(['queued', 'tests']);
    run.agent.fails('stage_check', '`npm test` passed, and was expected to fail');
    expect(run.phase).toBe('awaiting_resolution');
    run.says(bob, '/retry').agent.fails('stage_check', 'again');
    expect(run.phase).toBe('queued');
  });

  test('a lease that is lost in a later stage is taken again for that one', () => {
    const run = story({ stages: threeStages }).starts().agent.finishes().engine.takes().engine.isLost();
    expect([run.phase, run.state.stage, run.state.attempts_used]).toEqual(['queued', 'implement', 0]);
    run.engine.takes();
    expect([run.state.attempt, run.state.attempts_used]).toEqual([1, 1]);
  });

  test('an agent that asked and was stopped goes on in its stage', () => {
    const run = story({ stages: threeStages })
      .starts()
      .agent.finishes()
      .agent.wonders('Which?', ['a', 'b'])
      .agent.parks();
    run.says(bob, '/answer a');
    expect([run.phase, run.state.stage]).toEqual(['queued', 'implement']);
  });

  test('a stage that changed nothing is no reason to stop, but a whole attempt is', () => {
    const run = story({ stages: threeStages }).starts();
    run.agent.finishes({ changesNothing: true });
    expect(run.phase).toBe('queued');
    run.agent.finishes({ changesNothing: true }).agent.finishes({ changesNothing: true });
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { type: 'nothing_changed' },
    });
  });

  test('held work of a stage goes on with the next one when it is allowed', () => {
    const run = story({ stages: threeStages }).starts().agent.isHeld().says(bob, '/allow').engine.lands();
    expect([run.phase, run.state.stage]).toEqual(['queued', 'implement']);
  });

  test('a stage that the configuration no longer has is the one to which work goes back', () => {
    const run = planned().says(bob, '/approve');
    const settings = { ...run.state.settings, stages: threeStages };
    run.engine.takes('engine', { settings }).agent.finishes();
    expect(run.state.stage).toBe('docs');
  });
});

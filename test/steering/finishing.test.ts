import { describe, expect, test } from 'vitest';
import { ada, bob, mia, settingsOf, sha } from './samples.ts';
import { type Story, story } from './story.ts';

const approved = () => story().starts().works().says(bob, '/approve', { comment: 5 });

/** The one reply that says why the run was not finished. */
function reasonsIn(run: Story): readonly string[] {
  const last = run.replies.at(-1);
  return last?.say === 'finish_refused' ? last.reasons : [];
}

describe('finishing', () => {
  test.each([
    ['ready', []],
    ['merge', [{ do: 'merge', head_sha: sha(1), when: 'now' }]],
    ['auto-merge', [{ do: 'merge', head_sha: sha(1), when: 'allowed' }]],
  ] as const)('by `%s` merges exactly the commit that was approved, or not at all', (finish, merges) => {
    const run = story({ approval: { finish } }).starts().works().says(bob, '/approve').confirms();
    expect(run.state.standing).toEqual({ phase: 'approved', finish: 'finished' });
    expect(run.effects.filter((owed) => owed.do === 'merge')).toMatchObject(merges);
  });

  test('is refused when the head has moved', () => {
    const run = approved().confirms({ head_sha: sha(9) });
    expect(reasonsIn(run)).toEqual(['the head is abc0009, but abc0001 was approved']);
    expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'queued', work: 'verify_head' } });
  });

  test('is refused when the configuration changed; the run then uses the new one and is verified', () => {
    const settings = settingsOf({ digest: 'd2', approval: { by: [{ role: 'maintain' }] } });
    const run = approved().confirms({ settings });
    expect(reasonsIn(run)).toEqual(['the configuration on the default branch has changed']);
    expect(run.state.settings).toEqual(settings);
    run.verifiers.pass().says(bob, '/approve');
    expect(run.refusal).toMatchObject({ why: 'not_permitted', needs: 'maintain' });
    expect(run.says(mia, '/approve').confirms().state.standing).toMatchObject({ finish: 'finished' });
  });

  test.each([
    ['ledger_lost', /^the ledger was lost at /],
    ['unrecorded', /^something that was said or done here could not be recorded, /],
  ] as const)(
    'is refused for approvals that are not later than something that voids them (%s)',
    (why, text) => {
      const run = approved();
      const [approval] = run.state.approvals;
      const voids = [{ why, at: approval?.at ?? '' }];
      run.confirms({ voids });
      expect(reasonsIn(run)).toEqual([expect.stringMatching(text)]);
      expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'queued', work: 'verify_head' } });
      run.verifiers.pass().waits(5).says(bob, `/approve ${run.state.head}`).confirms({ voids });
      expect(run.state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
    },
  );

  test('is refused when the configuration can no longer be read', () => {
    const run = approved();
    const { settings } = run.state;
    run.confirms({ settings: null });
    expect(reasonsIn(run)).toEqual(['the configuration on the default branch cannot be used']);
    expect(run.state.settings).toEqual(settings);
  });

  test('is refused when the approving comment was edited', () => {
    const id = approved().state.approvals[0]?.id ?? '';
    const run = approved().confirms({
      approvals: [{ id, stands: false, why: 'the comment of bob was edited' }],
    });
    expect(reasonsIn(run)).toEqual(['the comment of bob was edited']);
    expect(run.phase).toBe('queued');
  });

  test('is refused when an approval could not be read again', () => {
    expect(reasonsIn(approved().confirms({ approvals: [] }))).toEqual([
      'the approval by bob could not be found',
    ]);
  });

  test('lists every reason at once', () => {
    expect(reasonsIn(approved().confirms({ head_sha: sha(9), settings: null, approvals: [] }))).toHaveLength(
      3,
    );
  });

  test('that was refused asks again, and a new approval finishes', () => {
    const run = approved().confirms({ approvals: [] }).verifiers.pass();
    expect(run.phase).toBe('awaiting_approval');
    expect(run.says(bob, '/approve').confirms().state.standing).toMatchObject({ finish: 'finished' });
  });

  test('happens once', () => {
    const run = approved().confirms();
    const { state } = run;
    expect(run.confirms().state).toBe(state);
  });

  test('is revoked when the approval no longer holds', () => {
    const run = approved()
      .confirms()
      .confirms({ head_sha: sha(9) });
    expect(reasonsIn(run)).toEqual(['the head is abc0009, but abc0001 was approved']);
    expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'queued' } });
  });

  test('is refused when the base of the pull request changed, whose rules then count', () => {
    const settings = settingsOf({ digest: 'd2', approval: { required: 2 } });
    const run = approved().confirms({ base: 'release', settings });
    expect(reasonsIn(run)).toContain('the base is release, but the approval was for main');
    expect(run.state).toMatchObject({ run: { base: 'release' }, settings: { digest: 'd2' }, approvals: [] });
  });

  test('requires as many people as the configuration says, whatever the ledger says', () => {
    const run = approved();
    const { settings } = run.state;
    const approval = { ...settings.approval, required: 2 };
    run.confirms({ settings: { ...settings, approval } });
    expect(reasonsIn(run)).toEqual(['approved by 1 of 2 people']);
  });

  test('follows the rules of the configuration, whatever the ledger says', () => {
    const run = story({ approval: { finish: 'merge' } })
      .starts()
      .works()
      .says(ada, '/steer more')
      .works()
      .says(ada, '/approve');
    const { settings } = run.state;
    const strict = { ...settings.approval, steerer_may_approve: false };
    run.confirms({ settings: { ...settings, approval: strict } });
    expect(reasonsIn(run)).toEqual(['ada may not approve this: steerer_may_approve is false']);
  });

  test('is ignored by a run that went back to work meanwhile', () => {
    const run = approved().says(ada, '/steer more');
    const { state } = run;
    expect(run.confirms().state).toBe(state);
  });
});

describe('overriding a failing verifier', () => {
  const red = () =>
    story({ attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.fail('test');

  test('requires `--despite` with its name', () => {
    expect(red().says(mia, '/approve').refusal).toEqual({
      why: 'red_verifiers',
      names: ['test'],
      has: 'maintain',
    });
  });

  test('requires `maintain`', () => {
    const run = red().says(bob, '/approve --despite test');
    expect(run.refusal).toEqual({ why: 'despite_needs_maintain', has: 'write' });
    expect(run.phase).toBe('awaiting_resolution');
  });

  test('is recorded and holds when finishing', () => {
    const run = red().says(mia, '/approve --despite test');
    expect(run.state.approvals).toMatchObject([{ by: mia, despite: ['test'] }]);
    expect(run.confirms().state.standing).toMatchObject({ finish: 'finished' });
  });

  test('is refused for a verifier that passed, and for an optional one', () => {
    expect(red().says(mia, '/approve --despite lint').refusal).toEqual({ why: 'not_red', names: ['lint'] });
  });

  test('must name every failing one', () => {
    const verifiers = settingsOf().verifiers.map((verifier) => ({ ...verifier, required: true }));
    const run = story({ verifiers, attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.fail('test', 'lint');
    expect(run.says(mia, '/approve --despite test').refusal).toEqual({
      why: 'red_verifiers',
      names: ['lint'],
      has: 'maintain',
    });
    expect(run.says(mia, '/approve --despite test --despite lint').phase).toBe('approved');
  });

  test('after a push names the commit as well, as each of the two refusals says in full', () => {
    const run = red().pushes(bob).verifiers.fail('test').waits(1);
    const { head } = run.state;
    expect(run.says(mia, '/approve --despite test').refusal).toEqual({
      ...{ why: 'pushed_while_shown', head, despite: ['test'] },
    });
    expect(run.says(mia, `/approve ${head}`).refusal).toEqual({
      ...{ why: 'red_verifiers', names: ['test'], has: 'maintain', head },
    });
    expect(run.says(mia, `/approve ${head} --despite test`).phase).toBe('approved');
  });
});

describe('an approved run', () => {
  test('loses its approval after a push, and says what was approved and what was pushed', () => {
    const run = approved().pushes(ada);
    expect(run.replies.at(-1)).toEqual({
      ...{ say: 'revoked', approved: sha(1), head: sha(2), by: 'ada' },
      approvers: ['bob'],
    });
    expect(run.state).toMatchObject({
      head: sha(2),
      shown: null,
      approvals: [],
      standing: { phase: 'queued' },
    });
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('loses it even when finished', () => {
    expect(approved().confirms().pushes(ada).state.approvals).toEqual([]);
  });

  test('keeps its approval when the verifiers pass again, and finishes again', () => {
    const run = approved().confirms().says(ada, '/verify').verifiers.pass();
    expect(run.state.standing).toEqual({ phase: 'approved', finish: 'checking' });
    expect(run.effects.filter((owed) => owed.do === 'check_finish')).toHaveLength(2);
    expect(run.state.approvals).toHaveLength(1);
  });

  test('loses it when a verifier fails on a re-run', () => {
    const run = approved().says(ada, '/verify').verifiers.fail('test');
    expect(run.state).toMatchObject({
      approvals: [],
      standing: { phase: 'awaiting_resolution', interrupt: { failure_reason: 'test failing on abc0001' } },
    });
  });

  test('asks a human, not the agent, when a re-run cannot start', () => {
    const run = approved().says(ada, '/verify').engine.takes().agent.fails('setup', 'npm ci failed');
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { failure_reason: 'npm ci failed' },
    });
    expect(run.state.approvals).toEqual([]);
  });

  test('goes back to work when it is steered', () => {
    const run = approved().says(ada, '/steer one more thing');
    expect(run.state).toMatchObject({
      iteration: 1,
      approvals: [],
      standing: { phase: 'queued', work: 'attempt' },
    });
  });

  test('that is closed before the final check has passed keeps no approval', () => {
    const { state } = approved().closes(ada);
    expect(state).toMatchObject({ standing: { phase: 'done', merged: false }, approvals: [] });
    expect(approved().confirms().closes(ada).state.approvals).toHaveLength(1);
  });

  test('is done when it is merged or closed', () => {
    expect(approved().merges(ada).state.standing).toEqual({ phase: 'done', merged: true });
    expect(approved().closes(ada).state.standing).toEqual({ phase: 'done', merged: false });
  });

  test('can still be rejected or cancelled', () => {
    expect(approved().says(ada, '/reject too late').phase).toBe('rejected');
    expect(approved().says(ada, '/cancel').phase).toBe('cancelled');
  });

  test('has no review timer', () => {
    expect(approved().waits(100).phase).toBe('approved');
  });
});

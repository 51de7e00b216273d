import { describe, expect, test } from 'vitest';
import { ada, bob, deletion, mia, rea, sha } from './samples.ts';
import { type Story, story } from './story.ts';

const shown = () => story().starts().works();

describe('an approval', () => {
  test.each([
    ['queued', () => story().starts()],
    ['working', () => story().starts().engine.takes()],
    ['verifying', () => story().starts().agent.finishes()],
    ['timed_out', () => shown().waits(25)],
    ['paused', () => shown().deletesBranch(bob)],
    ['failed', () => shown().engine.breaks()],
  ] as const)('is refused while %s: there is no commit to approve', (phase, before) => {
    const run = before().says(ada, '/approve');
    expect(run.refusal).toEqual({ why: 'nothing_to_approve', phase });
    expect(run.phase).toBe(phase);
  });

  test('settles the question and records who approved where', () => {
    const run = shown().says(bob, '/approve', { comment: 5 });
    expect(run.state.approvals).toMatchObject([
      { by: bob, head_sha: sha(1), source: { from: 'comment', comment_id: 5 }, despite: [] },
    ]);
    expect(run.state.interactions).toMatchObject([{ id: 'approval:7:4', how: 'approved', by: 'bob' }]);
    expect(run.effects).toContainEqual({ id: 'event:5:finish', do: 'check_finish' });
  });

  test('of two simultaneous people counts once; the other learns who was first', () => {
    const run = shown().says(ada, '/approve').says(bob, '/approve');
    expect(run.state.approvals).toHaveLength(1);
    expect(run.refusal).toEqual({ why: 'already_approved', by: 'ada' });
  });

  test('is not available again once it has been given', () => {
    const run = shown().says(ada, '/approve').says(bob, '/approve');
    expect(run.replies.at(-1)).toMatchObject({ possible: expect.not.arrayContaining(['approve']) });
  });

  test('names a commit by its beginning, in either case', () => {
    expect(shown().says(ada, `/approve ${sha(1).slice(0, 7).toUpperCase()}`).phase).toBe('approved');
  });

  test('for an earlier commit is refused and names the one under review', () => {
    const run = shown().says(ada, '/steer more').works();
    run.says(ada, `/approve ${sha(1)}`);
    expect(run.refusal).toEqual({ why: 'other_head', approved: sha(1), head: sha(2) });
  });

  test('by workflow dispatch counts for nothing, because nobody could read it again', () => {
    const run = shown().dispatches(ada, '/approve');
    expect(run.refusal).toEqual({ why: 'not_by_workflow', command: 'approve' });
    expect(run.phase).toBe('awaiting_approval');
  });
});

describe('reading time', () => {
  const second = () => shown().says(ada, '/steer more').works();

  /** Runs whose latest head is shown within a second of landing. */
  const quickly = (run: Story) => {
    run.agent.finishes();
    run.now = Date.parse(run.state.head_at) + 1000;
    return run.verifiers.pass();
  };

  test('is five seconds after a head replaced another', () => {
    const run = quickly(shown().says(ada, '/steer more'));
    run.says(bob, '/approve', { secondsAfterHead: 4 });
    expect(run.refusal).toEqual({ why: 'just_landed', head: sha(2) });
    expect(run.says(bob, '/approve', { secondsAfterHead: 5 }).phase).toBe('approved');
  });

  test('is none for the first head, because no other commit can have been meant', () => {
    expect(quickly(story().starts()).says(bob, '/approve', { secondsAfterHead: 1 }).phase).toBe('approved');
  });

  test('has passed once the new head was shown', () => {
    expect(second().says(bob, '/approve').phase).toBe('approved');
  });

  test('does not apply to a named commit', () => {
    expect(second().says(bob, `/approve ${sha(2)}`, { secondsAfterHead: 1 }).phase).toBe('approved');
  });

  test('starts no earlier than the head is shown, even the first', () => {
    expect(shown().says(bob, '/approve', { secondsAfterHead: 30 }).refusal).toMatchObject({
      why: 'just_landed',
    });
    expect(shown().says(bob, '/approve', { secondsAfterHead: 60 }).phase).toBe('approved');
  });

  test('also counts what an interrupt showed', () => {
    const run = story({ attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.fail('test')
      .says(ada, '/steer more')
      .works();
    run.says(ada, '/approve', { secondsAfterHead: 3 });
    expect(run.refusal).toEqual({ why: 'just_landed', head: sha(2) });
  });

  test('does not start again when the same head is verified again', () => {
    const run = shown();
    run.says(ada, '/verify').verifiers.pass();
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });
});

describe('a commit pushed while the run was on show', () => {
  /** Shown at the second commit, which bob pushed while the first one was under review. */
  const pushed = () => shown().pushes(bob).verifiers.pass();
  const refused = { why: 'pushed_while_shown', head: sha(2) };

  test('is approved only by its full name, because two commits can begin alike', () => {
    expect(pushed().says(mia, '/approve').refusal).toEqual(refused);
    expect(pushed().says(mia, `/approve ${sha(2).slice(0, 12)}`).refusal).toEqual(refused);
    expect(pushed().says(mia, `/approve ${sha(2)}`).phase).toBe('approved');
  });

  test('is approved by a review or a button as before, because these belong to a commit', () => {
    expect(pushed().reviews(mia, 'approves').phase).toBe('approved');
    expect(pushed().clicks(mia, 'approve').phase).toBe('approved');
  });

  test('is part of every later head', () => {
    const run = pushed().says(ada, '/steer more').works().waits(1);
    expect(run.says(mia, '/approve').refusal).toEqual({ ...refused, head: sha(3) });
  });

  test('counts whatever the run was doing when it arrived', () => {
    const whileIt: readonly ((run: Story) => Story)[] = [
      (run) => run.says(ada, '/steer more').pushes(bob).works(),
      (run) => run.says(ada, '/steer more').engine.takes().pushes(bob).agent.finishes().verifiers.pass(),
      (run) => run.says(ada, '/steer more').agent.finishes().pushes(bob).verifiers.pass(),
      (run) => run.says(ada, '/verify').pushes(bob).verifiers.pass(),
      (run) => run.says(ada, '/approve').pushes(bob).verifiers.pass(),
      (run) => run.waits(25).pushes(bob).verifiers.pass(),
      (run) => run.engine.breaks().pushes(bob).says(ada, '/retry').verifiers.pass(),
    ];
    for (const act of whileIt) {
      expect(act(shown()).says(mia, '/approve').refusal).toMatchObject({ why: 'pushed_while_shown' });
    }
  });

  test('counts if it is first noticed when work starts', () => {
    const run = shown().says(ada, '/steer more').engine.finds(sha(8)).works();
    expect(run.says(mia, '/approve').refusal).toMatchObject({ why: 'pushed_while_shown' });
  });

  test('makes no difference before the run was shown', () => {
    const run = story().starts().pushes(bob).works();
    expect(run.says(mia, '/approve').phase).toBe('approved');
  });

  test('is nobody’s own if it only merges the base branch', () => {
    const run = shown().pushes(bob, { merges_base: true }).verifiers.pass();
    expect(run.says(mia, '/approve').phase).toBe('approved');
  });

  test('is somebody’s own if it merges a base that is not the base any more', () => {
    const run = shown();
    const { settings } = run.state;
    run.retargets(bob, 'easy').verifiers.pass().pushes(bob, { merges_base: true }).verifiers.pass();
    expect(run.state).not.toHaveProperty('pushed_while_shown');
    run.retargets(bob, 'main', { settings }).verifiers.pass().waits(1);
    expect(run.says(mia, '/approve').refusal).toMatchObject({ why: 'other_base' });
  });

  test('and neither is it forgotten where both bases are the same for the configuration', () => {
    const run = shown().pushes(bob, { merges_base: true }).verifiers.pass();
    const { settings } = run.state;
    run.retargets(bob, 'renamed', { settings, same_commit: true });
    expect(run.says(mia, '/approve').refusal).toMatchObject({ why: 'pushed_while_shown' });
  });
});

describe('words that came through another App', () => {
  const refused = { why: 'said_by_app', app: 'helper' };

  test('are not the words of the person whose name they bear', () => {
    const run = shown().says(ada, '/approve', { via_app: 'helper' });
    expect(run.refusal).toEqual(refused);
    expect(run.says(ada, '/steer more', { via_app: 'helper' }).refusal).toEqual(refused);
    expect(run.phase).toBe('awaiting_approval');
  });

  test('are where the configuration lists the App, in any case', () => {
    const run = story({ approval: { apps: ['Helper'] } })
      .starts()
      .works();
    expect(run.says(ada, '/approve', { via_app: 'helper' }).phase).toBe('approved');
  });

  test('may ask', () => {
    expect(shown().says(ada, '/status', { via_app: 'helper' }).replies.at(-1)).toEqual({ say: 'status' });
  });

  test('of someone without the role are refused for that', () => {
    expect(shown().says(rea, '/approve', { via_app: 'helper' }).refusal).toMatchObject({
      why: 'not_permitted',
    });
  });
});

describe('a review', () => {
  test('approves the commit it belongs to', () => {
    expect(shown().reviews(bob, 'approves').phase).toBe('approved');
  });

  test('of an earlier commit is refused', () => {
    const run = shown().says(ada, '/steer more').works().reviews(bob, 'approves', sha(1));
    expect(run.refusal).toEqual({ why: 'other_head', approved: sha(1), head: sha(2) });
  });

  test('with a command approves nothing but the commit it belongs to', () => {
    const run = shown().says(ada, '/steer more').works();
    run.reviews(bob, { says: `/approve ${sha(2)}` }, sha(1));
    expect(run.refusal).toEqual({ why: 'other_head', approved: sha(1), head: sha(2) });
    run.reviews(bob, { says: `/approve ${sha(1)}` }, sha(2), 71);
    expect(run.refusal).toEqual({ why: 'other_head', approved: sha(1), head: sha(2) });
    expect(run.reviews(bob, { says: `/approve ${sha(2)}` }, sha(2), 72).phase).toBe('approved');
  });

  test('that requests changes is a steer', () => {
    const run = shown().reviews(bob, { asks: 'Use UTC.' });
    expect(run.prompts).toEqual(['', 'Use UTC.']);
    expect(run.state.iterations[1]?.steers).toMatchObject([{ author: 'bob', source: { from: 'review' } }]);
  });

  test('that is dismissed after the approval makes the run ask again', () => {
    const run = shown().reviews(bob, 'approves').dismisses(ada);
    expect(run.state).toMatchObject({ approvals: [], standing: { phase: 'queued', work: 'verify_head' } });
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('that is dismissed leaves other approvals alone', () => {
    const run = shown().says(bob, '/approve');
    const { state } = run;
    expect(run.dismisses(ada).state).toBe(state);
  });

  const half = () =>
    story({ approval: { required: 2 } })
      .starts()
      .works()
      .reviews(bob, 'approves');

  test.each([
    ['awaiting approval', half()],
    ['queued for another look', half().says(ada, '/verify')],
    ['being verified again', half().says(ada, '/verify').engine.takes()],
    ['timed out', half().waits(30)],
    ['paused', half().deletesBranch(ada)],
    ['failed', half().engine.breaks()],
  ] as const)('that is dismissed no longer counts while the run is %s', (_where, run) => {
    expect(run.state.approvals).toHaveLength(1);
    expect(run.dismisses(ada).state.approvals).toEqual([]);
  });

  test('that is dismissed no longer counts at an interrupt', () => {
    const run = story({ attempts: { max: 1 }, approval: { required: 2 } })
      .starts()
      .works()
      .says(ada, '/steer x');
    run.agent.fails().reviews(bob, 'approves');
    expect(run.state.approvals).toHaveLength(1);
    expect(run.dismisses(ada).state.approvals).toEqual([]);
  });
});

describe('a button', () => {
  test('approves, asks why and retries for its commit and its question', () => {
    expect(shown().clicks(ada, 'approve').phase).toBe('approved');
    expect(shown().clicks(ada, 'reject').phase).toBe('awaiting_approval');
    expect(shown().clicks(ada, 'retry').phase).toBe('queued');
    expect(story().starts().engine.takes().clicks(ada, 'cancel').phase).toBe('cancelled');
  });

  test('of another head is outdated', () => {
    const run = shown()
      .says(ada, '/steer more')
      .works()
      .clicks(ada, 'approve', { head_sha: sha(1) });
    expect(run.refusal).toEqual({ why: 'outdated_button' });
  });

  test('of an earlier question about the same head is outdated', () => {
    const run = shown();
    const interaction = 'approval:7:4';
    run.says(ada, '/verify').verifiers.pass().clicks(ada, 'approve', { interaction });
    expect(run.refusal).toEqual({ why: 'outdated_button' });
    expect(run.clicks(ada, 'approve').phase).toBe('approved');
  });

  test('clicked by someone without permission is refused before anything else', () => {
    const run = shown().clicks(rea, 'approve', { head_sha: sha(0) });
    expect(run.refusal).toMatchObject({ why: 'not_permitted' });
  });
});

describe('two approvers', () => {
  const two = () =>
    story({ approval: { required: 2 } })
      .starts()
      .works();

  test('must be two different people', () => {
    const run = two().says(ada, '/approve');
    expect(run.phase).toBe('awaiting_approval');
    expect(run.replies).toEqual([{ say: 'counted', have: 1, need: 2, missing: ['1 more by write'] }]);
    expect(run.says(ada, '/approve').refusal).toEqual({ why: 'already_approved', by: 'ada' });
    expect(run.says(bob, '/approve').phase).toBe('approved');
    expect(run.state.approvals.map(({ by }) => by.login)).toEqual(['ada', 'bob']);
  });

  test('keep the first approval when the same head is verified again', () => {
    const run = two().says(ada, '/approve').says(bob, '/verify').verifiers.pass();
    expect(run.phase).toBe('awaiting_approval');
    expect(run.state.approvals).toHaveLength(1);
  });

  test('lose the first approval when the head or the iteration changes', () => {
    const changesIt: readonly ((run: Story) => Story)[] = [
      (run) => run.pushes(bob),
      (run) => run.says(bob, '/steer more'),
      (run) => run.says(bob, '/retry'),
      (run) => run.says(bob, '/verify').verifiers.fail('test'),
      // What was on show when it was approved was better.
      (run) => run.says(bob, '/verify').verifiers.fail('lint'),
      (run) => run.says(bob, '/verify').verifiers.pass([deletion]),
    ];
    for (const change of changesIt) expect(change(two().says(ada, '/approve')).state.approvals).toEqual([]);
  });
});

describe('who may approve', () => {
  test('depends on `by`: a role', () => {
    const run = story({ approval: { by: [{ role: 'maintain' }] } })
      .starts()
      .works()
      .says(ada, '/approve');
    expect(run.refusal).toEqual({
      why: 'not_permitted',
      command: 'approve',
      has: 'write',
      needs: 'maintain',
    });
    expect(run.says(mia, '/approve').phase).toBe('approved');
  });

  test('or a person, but nobody without access to the repository', () => {
    const run = story({ approval: { by: [{ login: 'ada' }] } })
      .starts()
      .works()
      .says({ ...ada, role: 'none' }, '/approve');
    expect(run.refusal).toMatchObject({ why: 'not_permitted', has: 'none', needs: '@ada' });
  });

  test('or a person, whatever their role and the case of their name', () => {
    const by = [{ role: 'admin' }, { login: 'Rea' }] as const;
    const run = story({ approval: { by } }).starts().works().says(ada, '/approve');
    expect(run.refusal).toMatchObject({ needs: 'admin or @Rea' });
    expect(run.says(rea, '/approve').phase).toBe('approved');
  });

  test('excludes those who steered, if so configured', () => {
    const run = story({ approval: { steerer_may_approve: false } })
      .starts()
      .works();
    run.says(bob, '/steer more').works().says(bob, '/approve');
    expect(run.refusal).toEqual({ why: 'own_work', rule: 'steerer_may_approve' });
    expect(run.says(ada, '/approve').phase).toBe('approved');
  });

  test('excludes those who pushed, if so configured', () => {
    const run = story({ approval: { steerer_may_approve: false } })
      .starts()
      .works()
      .pushes(bob)
      .verifiers.pass()
      .says(bob, '/approve');
    expect(run.refusal).toEqual({ why: 'own_work', rule: 'steerer_may_approve' });
    expect(run.says(ada, `/approve ${sha(2)}`).phase).toBe('approved');
  });

  test('excludes the requester of the run, if so configured', () => {
    const run = story({ approval: { requester_may_approve: false } })
      .starts()
      .works()
      .says(ada, '/approve');
    expect(run.refusal).toEqual({ why: 'own_work', rule: 'requester_may_approve' });
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });
});

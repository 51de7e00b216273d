import { describe, expect, test } from 'vitest';
import { ada, bob, mia, sha } from './samples.ts';
import { story } from './story.ts';

const shown = () => story().starts().works();

describe('a base that was changed while the run was on show', () => {
  /** Shown against `easy`, which anybody may push to, and now to be merged into `main`. */
  const easyToMain = () => {
    const run = story().starts();
    const { settings } = run.state;
    run.retargets(bob, 'easy').works();
    return run.retargets(bob, 'main', { settings }).verifiers.pass();
  };
  const refused = { why: 'other_base', base: 'main', head: sha(1) };

  test('needs the full name of the commit, or the new button, if the former base was not the default branch', () => {
    expect(easyToMain().waits(1).says(mia, '/approve').refusal).toEqual(refused);
    expect(
      easyToMain()
        .waits(1)
        .says(mia, `/approve ${sha(1).slice(0, 12)}`).refusal,
    ).toEqual(refused);
    expect(easyToMain().waits(1).reviews(mia, 'approves').refusal).toEqual(refused);
    expect(
      easyToMain()
        .waits(1)
        .says(mia, `/approve ${sha(1)}`).phase,
    ).toBe('approved');
    expect(easyToMain().waits(1).clicks(mia, 'approve').phase).toBe('approved');
  });

  test('whatever else happened to the head since', () => {
    const run = easyToMain().says(ada, '/steer more').works().waits(10);
    expect(run.says(mia, '/approve').refusal).toEqual({ ...refused, head: sha(2) });
  });

  test('is no concern where everything in the former base is in the new one, or nothing was on show', () => {
    const toRelease = shown().retargets(bob, 'release').verifiers.pass().waits(10);
    expect(toRelease.says(mia, '/approve').phase).toBe('approved');
    const early = story().starts();
    const { settings } = early.state;
    early.retargets(bob, 'easy').retargets(bob, 'main', { settings }).works().waits(10);
    expect(early.says(mia, '/approve').phase).toBe('approved');
  });

  test('is not what a comment or a review from before was about, even if it names the commit', () => {
    const told = `/approve ${sha(1)}`;
    const late = easyToMain();
    late.now = Date.parse(late.state.base_at ?? '');
    expect(late.says(mia, told).refusal).toEqual(refused);
    const toRelease = shown().retargets(bob, 'release').verifiers.pass();
    toRelease.now = Date.parse(toRelease.state.base_at ?? '') - 5000;
    expect(toRelease.reviews(mia, 'approves').refusal).toMatchObject({ why: 'other_base' });
  });
});

describe('what was undone before we heard of it', () => {
  const approved = (run = shown()) => run.says(mia, '/approve');
  const later = (run: ReturnType<typeof shown>) => new Date(run.now).toISOString();

  test.each(['base_changed_at', 'returned_at'] as const)('(%s) takes the approval back once', (fact) => {
    const run = approved();
    const told = { [fact]: later(run) };
    run.confirms(told);
    expect(run.phase).not.toBe('approved');
    expect(run.state.approvals).toEqual([]);
    run.verifiers.pass().waits(5);
    expect(run.says(mia, '/approve').refusal?.why).toMatch(/other_base|pushed_while_shown/);
    expect(run.says(mia, `/approve ${run.state.head}`).confirms(told).phase).toBe('approved');
  });

  test('is no concern if it was before the run was shown, or is known', () => {
    const run = approved();
    expect(run.confirms({ base_changed_at: '2020-01-01T00:00:00Z', returned_at: null }).phase).toBe(
      'approved',
    );
    const known = shown().retargets(bob, 'release').verifiers.pass().waits(5).says(mia, '/approve');
    expect(known.confirms({ base: 'release', base_changed_at: known.state.base_at ?? '' }).phase).toBe(
      'approved',
    );
  });
});

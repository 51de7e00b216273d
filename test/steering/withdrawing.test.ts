import { describe, expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import type { PendingEffect } from '../../src/steering/state/pending-effect.ts';
import { ada, bob, sha } from './samples.ts';
import { type Story, story } from './story.ts';

/** What was to be taken back so far, oldest first. */
function withdrawals(run: Story): readonly Partial<PendingEffect>[] {
  return run.effects.flatMap((effect) =>
    effect.do === 'withdraw' ? [{ heads: effect.heads, approved: effect.approved }] : [],
  );
}

const approved = () => story().starts().works().says(bob, '/approve').confirms();

describe('a head that the run has left', () => {
  test.each([
    ['the agent', () => story().starts().agent.finishes(), [sha(0)]],
    [
      'a person',
      () =>
        story()
          .starts()
          .works()
          .pushes(ada, { head: sha(9) }),
      [sha(0), sha(1)],
    ],
  ])('has its decision taken back after a push by %s', (_, tell, left) => {
    expect(withdrawals(tell())).toEqual(left.map((head) => ({ heads: [head], approved: false })));
  });
});

test('a run that begins anew after its ledger was lost counts on, and takes auto-merge back', () => {
  const { run, task, settings } = story().starts().state;
  const anew = {
    type: 'run_started',
    run,
    task,
    settings,
    by: ada,
    source: null,
    people_unknown: true,
  } as const;
  const again = story().apply({ ...anew, lost: { how: 'vanished', seq: 40 } });
  expect(again.state).toMatchObject({ pushed_while_shown: true, people_unknown: true });
  expect(again.state.seq).toBeGreaterThan(40);
  expect(again.state.standing).toEqual({ phase: 'queued', work: 'verify_head' });
  expect(withdrawals(again)).toEqual([{ heads: [], approved: true }]);
  expect(again.replies.at(-1)).toMatchObject({ say: 'restored', lost: 'vanished' });
  expect(again.verifiers.pass().says(bob, `/approve ${run.head}`).phase).toBe('approved');
});

describe('the pull request', () => {
  const closes = ({ effects }: Story) => effects.filter((effect) => effect.do === 'close').length;

  test.each([
    ['is rejected', () => story().starts().works().says(ada, '/reject no'), 1],
    ['is cancelled', () => story().starts().says(ada, '/cancel'), 1],
    ['changed nothing', () => story().starts().agent.finishes({ changesNothing: true }).waits(24), 1],
    ['was closed by a person', () => story().starts().works().closes(ada), 0],
    ['was approved and then closed', () => approved().closes(ada), 0],
  ])('of a run that %s is closed at most once, and only by us', (_, tell, times) => {
    expect(closes(tell())).toBe(times);
  });
});

describe('an approval that falls', () => {
  test.each([
    ['a push', (run: Story) => run.pushes(ada, { head: sha(9) }), [sha(1)]],
    ['another base', (run: Story) => run.retargets(ada, 'release'), []],
    ['a steer', (run: Story) => run.says(ada, '/steer more'), []],
    ['a final check that failed', (run: Story) => run.confirms({ approvals: [] }), []],
    ['a rejection', (run: Story) => run.says(ada, '/reject no'), []],
    ['closing it', (run: Story) => run.closes(ada), []],
    ['an internal error', (run: Story) => run.engine.breaks(), []],
    ['deleting its branch', (run: Story) => run.deletesBranch(ada), []],
  ])('is taken back at once by %s', (_, end, heads) => {
    expect(withdrawals(end(approved())).at(-1)).toEqual({ heads, approved: true });
  });

  test('is not what merging is', () => {
    const before = withdrawals(approved());
    expect(withdrawals(approved().merges(ada))).toEqual(before);
  });
});

test('what the ledger keeps of it is bounded, but an approval is never forgotten', () => {
  let state = approved().state;
  for (let count = 1; count <= 40; count++) {
    const at = `2025-03-04T12:${count}:00Z`;
    const push = { before: state.head, head: sha(100 + count), forced: false, by: 'ada' };
    const verdict = decide(state, { type: 'pushed', id: `push:${count}`, at, ...push });
    if (verdict.outcome === 'next') state = verdict.state;
  }
  const kept = state.owed.filter((effect) => effect.do === 'withdraw');
  expect(kept).toHaveLength(21);
  expect(kept[0]).toMatchObject({ heads: [sha(1)], approved: true });
  expect(kept.at(-1)).toMatchObject({ heads: [sha(139)], approved: false });
});

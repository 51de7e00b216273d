import { describe, expect, test } from 'vitest';
import { holdingHits, mayKeepRemotely } from '../../src/steering/shapes/gate-rules.ts';
import { ada, automation, bob, deletion, keptRef, mia, rea, secret, sha } from './samples.ts';
import { type Story, story } from './story.ts';

/** A run whose first work is held. */
function held(...hits: Parameters<Story['agent']['isHeld']>): Story {
  return story()
    .starts()
    .agent.isHeld(...hits);
}

const remoteCode = { rule: 'runs-remote-code', severity: 'high', evidence: 'a.sh:1: curl x | sh' } as const;
const unread = { rule: 'unparsable', severity: 'high', evidence: 'src/a.ts is too large' } as const;
const production = { rule: 'changes-production', severity: 'critical', evidence: 'deploy/prod' } as const;

describe('work is held', () => {
  test.each([
    ['changes automation', [automation], true],
    ['runs downloaded code', [remoteCode], true],
    ['touches secrets', [secret], true],
    ['is critical', [production], true],
    ['cannot be read to its end', [unread], true],
    ['deletes a file', [deletion], false],
  ])('or not: it %s', (_, hits, isHeld) => {
    expect(holdingHits({}, hits)).toEqual(isHeld ? hits : []);
  });

  test('for what is critical even when its rule was allowed always', () => {
    const state = { allowed_rules: ['changes-automation', 'changes-production', 'touches-secrets'] };
    expect(holdingHits(state, [automation, production, secret])).toEqual([production, secret]);
  });

  test('here only, when it touches secrets', () => {
    expect([[automation], [automation, secret]].map(mayKeepRemotely)).toEqual([true, false]);
  });

  test('with its commit kept, and nothing on the branch', () => {
    const run = held();
    expect(run.phase).toBe('awaiting_permission');
    expect(run.tookCode).toBe(true);
    expect(run.state.head).toBe(sha(0));
    expect(run.state.standing).toMatchObject({
      interaction: { kind: 'permission', id: `permission:7:${run.state.seq}`, head_sha: sha(0) },
      held: { kept: keptRef(sha(1)), hits: [automation] },
    });
  });

  test('but not that of an attempt that is over', () => {
    const run = story().starts().engine.takes();
    const { hold } = run;
    run.engine.isLost().engine.takes('another').agent.isHeld([automation], hold);
    expect(run.phase).toBe('working');
    expect(run.tookCode).toBe(false);
  });

  test('until a deadline, after which the run times out and can be resumed', () => {
    const run = held().waits(24);
    expect(run.phase).toBe('timed_out');
    run.says(ada, '/resume').says(ada, '/allow').engine.lands();
    expect(run.state.head).toBe(sha(1));
  });

  test('and set aside when a steer was queued meanwhile', () => {
    const run = story().starts().engine.takes().says(ada, '/steer otherwise').agent.isHeld();
    expect(run.state).toMatchObject({ iteration: 1, standing: { phase: 'queued', work: 'attempt' } });
    expect(run.state.set_aside).toMatchObject({ work: { head: sha(1) }, kept: keptRef(sha(1)) });
    expect(run.tookCode).toBe(true);
  });
});

describe('/allow', () => {
  test('puts exactly the held commit on the branch, then the verifiers run', () => {
    const run = held().says(ada, '/allow');
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'land' });
    run.engine.takes();
    expect(run.state.attempt).toBe(1);
    run.engine.lands();
    expect(run.tookCode).toBe(true);
    expect(run.state).toMatchObject({
      head: sha(1),
      standing: { phase: 'verifying', work: 'verify_attempt' },
    });
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
  });

  test('counts what the work cost only once', () => {
    const run = held();
    const [before] = run.state.iterations;
    run.says(ada, '/allow').engine.lands();
    expect(run.state.iterations[0]?.duration_s).toBe(before?.duration_s);
  });

  test('once asks again, always does not', () => {
    expect(held().says(ada, '/allow').state.allowed_rules).toBeUndefined();
    const run = held([automation, remoteCode]).says(ada, '/allow always');
    expect(run.state.allowed_rules).toEqual(['changes-automation', 'runs-remote-code']);
  });

  test('always does not cover critical rules', () => {
    expect(held([secret, automation]).says(mia, '/allow always').state.allowed_rules).toEqual([
      'changes-automation',
    ]);
  });

  test.each(['/allow', '/deny'])('%s takes what an approval takes', (text) => {
    const run = held().says(rea, text);
    const command = text.slice(1);
    expect(run.refusal).toEqual({ why: 'not_permitted', command, has: 'read', needs: 'write' });
    const strict = story({ approval: { by: [{ role: 'maintain' }] } })
      .starts()
      .agent.isHeld();
    expect(strict.says(bob, text).refusal).toMatchObject({ needs: 'maintain' });
  });

  test.each(['/allow', '/deny'])('%s of critical work takes maintain', (text) => {
    const run = held([secret]).says(bob, text);
    expect(run.refusal).toMatchObject({ why: 'not_permitted', needs: 'maintain' });
    expect(run.says(mia, text).phase).toBe('queued');
  });

  test('is refused to the requester where people may not approve their own work', () => {
    const run = story({ approval: { requester_may_approve: false } })
      .starts()
      .agent.isHeld();
    expect(run.says(ada, '/allow').refusal).toEqual({
      why: 'own_work',
      rule: 'requester_may_approve',
      command: 'allow',
    });
    expect(run.says(bob, '/allow').phase).toBe('queued');
  });

  test('makes its author a steerer', () => {
    const run = story({ approval: { steerer_may_approve: false } })
      .starts()
      .agent.isHeld();
    run.says(bob, '/allow').engine.lands().verifiers.pass().says(bob, '/approve');
    expect(run.refusal).toEqual({ why: 'own_work', rule: 'steerer_may_approve' });
  });

  test('does not count for work that was held after it was written', () => {
    const run = held();
    run.now -= 120_000;
    run.says(bob, '/allow');
    expect(run.refusal).toEqual({ why: 'just_held', head: sha(1) });
  });

  test('does not count for other work that was held seconds before', () => {
    const run = held().says(ada, '/deny').agent.isHeld();
    run.now -= 58_000;
    expect(run.says(bob, '/allow').refusal).toEqual({ why: 'just_held', head: sha(2) });
    run.now += 10_000;
    expect(run.says(bob, '/allow').phase).toBe('queued');
  });

  test('by a button belongs to the work it was shown for', () => {
    const run = held();
    const { standing } = run.state;
    const interaction = 'interaction' in standing ? standing.interaction.id : '';
    run.says(ada, '/deny').agent.isHeld();
    expect(run.clicks(bob, 'allow', { interaction }).refusal).toEqual({ why: 'outdated_button' });
    expect(run.clicks(bob, 'allow').phase).toBe('queued');
  });
});

describe('allowed work', () => {
  const landing = () => held().says(ada, '/allow').engine.takes();

  test('is taken by another engine when its process is lost, without another attempt', () => {
    const run = landing().engine.isLost();
    expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'land' });
    expect(run.engine.lands().state).toMatchObject({ attempt: 1, attempts_used: 1, head: sha(1) });
  });

  test('is tried again after an internal error', () => {
    const run = landing().engine.breaks();
    expect(run.phase).toBe('failed');
    expect(run.says(ada, '/retry').engine.lands().state.head).toBe(sha(1));
  });

  test("does not fit on someone else's commit: the next attempt starts from that", () => {
    const run = landing().pushes(bob).engine.lands();
    expect(run.tookCode).toBe(false);
    expect(run.state).toMatchObject({ head: sha(2), attempts_used: 0, standing: { work: 'attempt' } });
    expect(run.state.attempts[0]?.failure?.kind).toBe('branch_moved');
  });

  test('stays held when the remote refuses it, and says why', () => {
    const run = landing().agent.fails('push_refused', 'without `workflows` permission');
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_permission',
      held: { refusal: 'without `workflows` permission', kept: keptRef(sha(1)) },
    });
    // The same work was shown before, so nobody needs time to read it.
    run.now -= 59_000;
    expect(run.says(ada, '/allow').engine.lands().state.head).toBe(sha(1));
  });

  test('that is gone is a question to people, who can have another attempt', () => {
    const run = landing().agent.fails('not_found', 'the allowed commit no longer exists');
    expect(run.state.standing).toMatchObject({
      phase: 'awaiting_resolution',
      interrupt: { failure_reason: 'the allowed commit no longer exists' },
    });
    expect(run.says(ada, '/retry').state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
  });
});

describe('held work is set aside', () => {
  test('by /deny, which fails its attempt and starts another, at the cost of the budget', () => {
    const run = held().says(bob, '/deny no new workflows');
    expect(run.state).toMatchObject({
      iteration: 0,
      attempts_used: 1,
      standing: { phase: 'queued', work: 'attempt' },
      set_aside: { denied: { by: 'bob', why: 'no new workflows' }, work: { head: sha(1) } },
    });
    expect(run.state.attempts.at(-1)?.failure).toEqual({
      kind: 'denied',
      message: 'bob denied the work (changes-automation): no new workflows',
    });
  });

  test('by /deny after the last attempt, which asks a human', () => {
    const run = story({ attempts: { max: 1 } })
      .starts()
      .agent.isHeld()
      .says(bob, '/deny');
    expect(run.phase).toBe('awaiting_resolution');
  });

  test('by a steer, a retry, a push and a deleted branch', () => {
    const work = { work: { head: sha(1) }, kept: keptRef(sha(1)) };
    expect(held().says(ada, '/steer x').state).toMatchObject({ iteration: 1, set_aside: work });
    expect(held().says(ada, '/retry').state).toMatchObject({ iteration: 0, set_aside: work });
    expect(held().pushes(bob).state).toMatchObject({ head: sha(2), set_aside: work });
    expect(held().deletesBranch(bob).state).toMatchObject({ set_aside: work });
    expect(held().waits(24).says(ada, '/steer x').state).toMatchObject({ set_aside: work });
  });

  test('until other work takes its place', () => {
    expect(held().says(ada, '/steer x').agent.finishes().state.set_aside).toBeUndefined();
    expect(held().says(ada, '/steer x').agent.isHeld().state.set_aside).toBeUndefined();
  });
});

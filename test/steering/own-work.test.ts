import { describe, expect, test } from 'vitest';
import { ada, bob, mia } from './samples.ts';
import { type Story, story } from './story.ts';

/** Who may not approve because the work is partly their own. */

const withoutSteerers = { approval: { steerer_may_approve: false } };
const ownWork = { why: 'own_work', rule: 'steerer_may_approve' };

/** Someone else who now has the login. */
const newBob = { ...bob, id: 22 };

/** The same person, who has changed their login. */
const renamedBob = { ...bob, login: 'Robert' };

/** The reasons of the last refusal to finish. */
function reasonsIn(run: Story): readonly string[] {
  const last = run.replies.at(-1);
  return last?.say === 'finish_refused' ? last.reasons : [];
}

describe('people are told apart by their ids', () => {
  test('a steerer who changed their login is still the steerer, and whoever took it is not', () => {
    const run = story(withoutSteerers).starts().works().says(bob, '/steer more').works();
    expect(run.says(renamedBob, '/approve').refusal).toEqual(ownWork);
    expect(run.says(newBob, '/approve').phase).toBe('approved');
  });

  test('so may nobody without maintain approve if it is not known who shaped the work', () => {
    const run = story(withoutSteerers).starts({}, { people_unknown: true }).works();
    const refusal = { why: 'unknown_contributors', rule: 'steerer_may_approve' };
    expect(run.says(ada, '/approve').refusal).toMatchObject(refusal);
    expect(run.says(mia, '/approve').phase).toBe('approved');
  });

  test('so is whoever said something on the issue that the agent was given', () => {
    const run = story(withoutSteerers)
      .starts()
      .works({ heard: [bob, ada] });
    expect(run.says(bob, '/approve').refusal).toEqual(ownWork);
    // Who asked for the run has a rule of their own.
    expect(run.says(ada, '/approve').phase).toBe('approved');
  });

  test('so is one whose steer was queued', () => {
    const run = story(withoutSteerers).starts().says(bob, '/steer more').works().works();
    expect(run.says(renamedBob, '/approve').refusal).toEqual(ownWork);
  });

  test('someone who pushed', () => {
    const run = story(withoutSteerers).starts().pushes(bob).works();
    expect(run.says(renamedBob, '/approve').refusal).toEqual(ownWork);
    expect(run.says(newBob, '/approve').phase).toBe('approved');
  });

  test('the requester', () => {
    const settings = { approval: { requester_may_approve: false } };
    const run = story(settings).starts({}, { by: bob }).works();
    expect(run.says(renamedBob, '/approve').refusal).toMatchObject({ rule: 'requester_may_approve' });
    expect(run.says(newBob, '/approve').phase).toBe('approved');
  });

  test('someone who already approved', () => {
    const two = () =>
      story({ approval: { required: 2 } })
        .starts()
        .works();
    expect(two().says(bob, '/approve').says(renamedBob, '/approve').refusal).toMatchObject({
      why: 'already_approved',
    });
    expect(two().says(bob, '/approve').says(newBob, '/approve').phase).toBe('approved');
    expect(two().says(bob, '/approve').says(newBob, '/approve').confirms().state.standing).toMatchObject({
      finish: 'finished',
    });
  });

  test('where an older version recorded no id, the login decides, in any case', () => {
    const run = story(withoutSteerers)
      .starts()
      .pushes({ ...bob, id: 0, login: 'Bob' })
      .works();
    expect(run.says(bob, '/approve').refusal).toEqual(ownWork);
  });
});

describe('someone who shaped the work without a command', () => {
  const adopted = () =>
    story(withoutSteerers)
      .starts({ adopted: true }, { contributors: [bob] })
      .works();

  test('may not approve it', () => {
    expect(adopted().says(renamedBob, '/approve').refusal).toEqual(ownWork);
    expect(adopted().says(ada, '/approve').phase).toBe('approved');
  });

  test('is kept when others push later', () => {
    expect(adopted().pushes(mia).verifiers.pass().says(bob, '/approve').refusal).toEqual(ownWork);
  });

  test('may approve it where the configuration allows that', () => {
    const run = story()
      .starts({ adopted: true }, { contributors: [bob] })
      .works();
    expect(run.says(bob, '/approve').phase).toBe('approved');
  });
});

describe('whom GitHub names before finishing', () => {
  const approved = (settings = withoutSteerers) => story(settings).starts().works().says(bob, '/approve');
  const named = (...people: readonly (typeof bob)[]) => ({ people, complete: true });

  test('counts, whatever the ledger says', () => {
    const run = approved().confirms({ contributors: named(renamedBob) });
    expect(reasonsIn(run)).toEqual(['bob may not approve this: steerer_may_approve is false']);
  });

  test('does not matter to others', () => {
    const run = approved().confirms({ contributors: named(ada) });
    expect(run.state.standing).toMatchObject({ finish: 'finished' });
  });

  test('does not matter where steerers may approve', () => {
    const run = approved({ approval: { steerer_may_approve: true } }).confirms({ contributors: named(bob) });
    expect(run.state.standing).toMatchObject({ finish: 'finished' });
  });

  test.each(['steerer_may_approve', 'requester_may_approve'] as const)(
    'and is incomplete, only maintain approves where %s is false',
    (rule) => {
      const settings = { approval: { [rule]: false } };
      const contributors = { people: [], complete: false };
      const unknown = `GitHub does not say who else worked on the branch and ${rule} is false, so bob's approval does not count: that requires maintain access`;
      const run = story(settings).starts().works().says(bob, '/approve').confirms({ contributors });
      expect(reasonsIn(run)).toEqual([unknown]);
      const again = story(settings).starts().works().says(mia, '/approve').confirms({ contributors });
      expect(again.state.standing).toMatchObject({ finish: 'finished' });
    },
  );

  test('and was not read at all, is incomplete', () => {
    expect(reasonsIn(approved().confirms({ contributors: null }))).toHaveLength(1);
  });

  test('the role of the approver is the one they have now', () => {
    const run = story(withoutSteerers).starts().works().says(mia, '/approve');
    const id = run.state.approvals[0]?.id ?? '';
    const approvals = [{ id, stands: true, why: '', role: 'write' as const }];
    run.confirms({ approvals, contributors: { people: [], complete: false } });
    expect(reasonsIn(run)).toHaveLength(1);
  });
});

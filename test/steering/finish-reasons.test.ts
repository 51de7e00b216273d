import { describe, expect, test } from 'vitest';
import { reasonsAgainst } from '../../src/steering/approval/finish-reasons.ts';
import type { FinishFacts } from '../../src/steering/shapes/finishing.ts';
import type { State } from '../../src/steering/state/state.ts';
import { ada, bob, mia, settingsOf, sha } from './samples.ts';
import { story } from './story.ts';

/** Why an approved run is not finished, whatever its ledger says: it could have been forged. */

const approved = () =>
  story({ approval: { required: 2 } })
    .starts()
    .works()
    .says(ada, '/approve')
    .says(bob, '/approve').state;

function factsOf({ approvals, settings, run, head }: State): FinishFacts {
  const read = approvals.map(({ id }) => ({ id, stands: true, why: '' }));
  return { head_sha: head, base: run.base, settings, approvals: read };
}

test('there is none if GitHub confirms everything', () => {
  const state = approved();
  expect(reasonsAgainst(state, factsOf(state))).toEqual([]);
});

test('one person who approved twice is one person', () => {
  const state = approved();
  const [first] = state.approvals;
  const twice = state.approvals.map((approval) => ({ ...approval, by: first?.by ?? ada }));
  expect(reasonsAgainst({ ...state, approvals: twice }, factsOf(state))).toEqual([
    'approved by 1 of 2 people',
  ]);
});

test('the higher of two required numbers counts: that of the task or that of the configuration now', () => {
  const state = approved();
  const [one] = state.approvals;
  const facts = factsOf(state);
  const settings = settingsOf({ approval: { required: 1 } });
  const lowered = { ...facts, settings };
  expect(reasonsAgainst({ ...state, approvals: one ? [one] : [] }, lowered)).toEqual([
    'approved by 1 of 2 people',
  ]);
  const raised = { ...facts, settings: settingsOf({ approval: { required: 3 } }) };
  expect(reasonsAgainst(state, raised)).toEqual(['approved by 2 of 3 people']);
});

test('an approval of another commit than the one under review does not count', () => {
  const state = approved();
  const [first, ...others] = state.approvals;
  const forged = [...(first ? [{ ...first, head_sha: sha(8) }] : []), ...others];
  expect(reasonsAgainst({ ...state, approvals: forged }, factsOf(state))).toEqual([
    'the approval by ada is for abc0008',
  ]);
});

test('each approval is looked up by its own id', () => {
  const state = approved();
  const facts = factsOf(state);
  const [one, two] = facts.approvals;
  const read = [...(one ? [one] : []), ...(two ? [{ ...two, stands: false, why: 'bob edited it' }] : [])];
  expect(reasonsAgainst(state, { ...facts, approvals: read })).toEqual(['bob edited it']);
});

test('a run with nothing under review is never finished', () => {
  const state = { ...approved(), shown: null };
  expect(reasonsAgainst(state, { ...factsOf(state), approvals: [] })).toEqual([
    'the approval by ada could not be found',
    'the approval by bob could not be found',
    'the head is abc0001, but nothing was approved',
  ]);
});

describe('a required verifier that fails', () => {
  const overridden = () =>
    story({ attempts: { max: 1 } })
      .starts()
      .agent.finishes()
      .verifiers.fail('test')
      .says(mia, '/approve --despite test').state;

  test('is a reason', () => {
    const state = overridden();
    const silent = state.approvals.map((approval) => ({ ...approval, despite: [] }));
    expect(reasonsAgainst({ ...state, approvals: silent }, factsOf(state))).toEqual([
      'required verifiers failed: test',
    ]);
  });

  test('is none if an approval names it', () => {
    const state = overridden();
    expect(reasonsAgainst(state, factsOf(state))).toEqual([]);
  });
});

describe('what happened unseen while the run was on show', () => {
  const shownAt = (state: State) => state.interactions[0]?.opened_at ?? '';

  test('is a reason from the second on in which it was first shown', () => {
    const state = approved();
    const at = shownAt(state);
    const facts = { ...factsOf(state), base_changed_at: at, returned_at: at };
    expect(reasonsAgainst(state, facts)).toEqual([
      `the base was changed at ${at}, perhaps temporarily`,
      `the branch had another head until ${at}`,
    ]);
  });

  test('is none before that, nor where GitHub says that there was nothing', () => {
    const state = approved();
    const before = new Date(Date.parse(shownAt(state)) - 1000).toISOString();
    const earlier = { ...factsOf(state), base_changed_at: before, returned_at: before };
    expect(reasonsAgainst(state, earlier)).toEqual([]);
    expect(reasonsAgainst(state, { ...earlier, base_changed_at: null, returned_at: null })).toEqual([]);
  });

  test('is none if the run was never on show', () => {
    const state = { ...approved(), interactions: [] };
    const at = state.updated_at;
    expect(reasonsAgainst(state, { ...factsOf(state), base_changed_at: at, returned_at: at })).toEqual([]);
  });

  test('is none for a change of base that is in the ledger', () => {
    const state = approved();
    const at = shownAt(state);
    const facts = { ...factsOf(state), base_changed_at: at };
    expect(reasonsAgainst({ ...state, base_at: at }, facts)).toEqual([]);
    const before = new Date(Date.parse(at) - 1000).toISOString();
    expect(reasonsAgainst({ ...state, base_at: before }, facts)).toHaveLength(1);
  });
});

test('what voids the oldest approval is a reason, the last time of each kind', () => {
  const state = approved();
  const [first] = state.approvals;
  const times = [0, 5, 3].map((minutes) =>
    new Date(Date.parse(first?.at ?? '') + minutes * 60_000).toISOString(),
  );
  const voids = times.map((at) => ({ why: 'ledger_lost', at }) as const);
  expect(reasonsAgainst(state, { ...factsOf(state), voids })).toEqual([
    `the ledger was lost at ${times[1]}, which voids every approval before that`,
  ]);
  const before = new Date(Date.parse(first?.at ?? '') - 1000).toISOString();
  const old = [{ why: 'unrecorded', at: before } as const];
  expect(reasonsAgainst(state, { ...factsOf(state), voids: old })).toEqual([]);
});

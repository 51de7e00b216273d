import { expect, test } from 'vitest';
import type { Outcome } from '../../src/steering/shapes/task.ts';
import { ada, bob } from './samples.ts';
import { type Story, story } from './story.ts';

/** What a run that has ended leaves for later ones. */

const outcomesOf = ({ effects }: Story): readonly Outcome[] =>
  effects.flatMap((effect) => (effect.do === 'record_outcome' ? [effect.outcome] : []));

const waiting = () => story().starts().works();
const approved = () => waiting().says(bob, '/approve').confirms();

test('a run that people approved and merged says so, with what it took', () => {
  const run = approved().merges(bob);
  expect(outcomesOf(run)).toEqual([
    {
      version: 1,
      repository_id: 1,
      number: 7,
      seq: run.state.seq - 1,
      event: 'event:7',
      outcome: 'merged',
      approved_by: 'people',
      agents: ['scripted'],
      iterations: 1,
      attempts: 1,
      score: 1,
      band: 'high',
      formula: run.state.shown?.confidence.formula,
      cost: {},
      worked_s: 65,
      started_at: '2025-03-03T12:00:00.000Z',
      ended_at: '2025-03-03T12:06:00.000Z',
      head: run.state.head,
      base: 'main',
    },
  ]);
});

/** Approved without people, and confirmed. */
const byPolicy = () =>
  story({ approval: { mode: 'auto', new_history: 0 } })
    .starts()
    .works()
    .confirms({
      policy: {
        ...{ sealed: true, unproven: [], gates: [], without_write: [], merged_runs: 0 },
        pushers: { people: [], complete: true },
      },
    });

const others: readonly [string, () => Story, Partial<Outcome>][] = [
  ['merged without an approval', () => waiting().merges(bob), { outcome: 'merged', approved_by: null }],
  [
    'merged before its approval was checked again',
    () => waiting().says(bob, '/approve').merges(bob),
    { outcome: 'merged', approved_by: null },
  ],
  [
    'merged into another base than it was approved for',
    () => approved().merges(bob, { base: 'release' }),
    { outcome: 'merged', approved_by: null },
  ],
  ['approved by policy and merged', () => byPolicy().merges(bob), { approved_by: 'policy' }],
  [
    'approved by policy and merged into another base',
    () => byPolicy().merges(bob, { base: 'release' }),
    { outcome: 'merged', approved_by: null },
  ],
  [
    'approved by policy and rejected by people',
    () => byPolicy().says(bob, '/reject no'),
    { outcome: 'rejected', approved_by: null },
  ],
  ['closed', () => waiting().closes(bob), { outcome: 'closed', approved_by: null }],
  ['closed when it was approved', () => approved().closes(bob), { outcome: 'closed', approved_by: 'people' }],
  ['rejected', () => waiting().says(bob, '/reject no'), { outcome: 'rejected' }],
  [
    'cancelled',
    () => story().starts().says(bob, '/cancel'),
    { outcome: 'cancelled', agents: [], attempts: 0 },
  ],
  [
    'ended because nothing was to be done',
    () => story().starts().agent.finishes({ changesNothing: true }).waits(24),
    { outcome: 'no_changes', attempts: 1, score: null, band: null },
  ],
];

test.each(others)('a run that was %s says that', (_, ended, outcome) => {
  expect(outcomesOf(ended())).toMatchObject([outcome]);
});

test('every agent that worked is named once, in their order', () => {
  const run = waiting();
  run.says(ada, '/steer go on').engine.takes('engine', {
    settings: { ...run.state.settings, agent: { use: 'codex', timeout_s: 60 } },
  });
  run.agent.finishes().verifiers.pass().says(ada, '/steer more').works().closes(bob);
  expect(outcomesOf(run)).toMatchObject([{ agents: ['scripted', 'codex'], iterations: 3, attempts: 3 }]);
});

test('a run that is reopened and ends again has a later outcome', () => {
  const run = waiting()
    .closes(bob)
    .reopens(bob)
    .says(bob, '/resume')
    .verifiers.pass()
    .says(bob, '/reject no');
  const [first, second] = outcomesOf(run);
  expect([first?.outcome, second?.outcome]).toEqual(['closed', 'rejected']);
  expect(second?.seq).toBeGreaterThan(first?.seq ?? 0);
});

test('a run that timed out has not ended, and the Action writes nothing that it could not prove', () => {
  expect(outcomesOf(waiting().waits(25))).toEqual([]);
  const run = story().starts({ presenter: 'action' }).works().says(bob, '/approve').confirms().merges(bob);
  expect(outcomesOf(run)).toEqual([]);
});

test.each([
  ['rejected', () => waiting().says(bob, '/reject no')],
  ['cancelled', () => waiting().says(bob, '/cancel')],
  ['closed when it was approved', () => approved().closes(bob)],
  ['closed', () => waiting().closes(bob)],
])('a merge that we hear of after the run was %s corrects what is kept of it', (_how, ends) => {
  const run = ends();
  const [, ...earlier] = outcomesOf(run);
  expect(earlier).toEqual([]);
  run.merges(ada);
  expect(run.state).toMatchObject({ standing: { phase: 'done', merged: true }, approvals: [] });
  expect(run.state.standing).not.toHaveProperty('ground');
  const [first, second] = outcomesOf(run);
  expect(second).toMatchObject({ outcome: 'merged', approved_by: null });
  expect(second?.seq).toBeGreaterThan(first?.seq ?? 0);
  const { seq } = run.state;
  run.merges(ada).closes(ada);
  expect(run.state.seq).toBe(seq);
});

import { expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import { usualEvents } from '../../src/steering/shapes/announced-events.ts';
import type { NotifyRule } from '../../src/steering/shapes/settings.ts';
import { isNotification } from '../../src/steering/state/pending-effect.ts';
import { ada, bob } from './samples.ts';
import { type Story, story } from './story.ts';

/** What a run owes to the targets that its settings name. */

const team: NotifyRule = { to: 'team', events: usualEvents };

function owed(run: Story): readonly string[] {
  return run.state.owed.filter(isNotification).map(({ to, event }) => `${to}: ${event}`);
}

test('what people are waited for is owed to each target that wants to hear of it', () => {
  const audit: NotifyRule = { to: 'audit', events: ['run_started', 'steer_instruction', 'run_finished'] };
  const run = story({ notify: [team, audit] })
    .starts()
    .works();
  expect(owed(run)).toEqual(['audit: run_started', 'team: approval_requested']);
  run.says(ada, '/steer also this').says(bob, '/reject no');
  expect(owed(run).slice(2)).toEqual([
    'audit: steer_instruction',
    'team: run_finished',
    'audit: run_finished',
  ]);
  expect(owed(story().starts().works())).toEqual([]);
});

test('a run with a question and a steer that people answer in time sends four messages, as the docs say', () => {
  const run = story({ notify: [team] }).starts();
  run.agent.wonders('Which one?').agent.parks().says(ada, '/answer the left one').works();
  run.says(ada, '/steer also this').works().says(bob, '/approve').confirms().merges(bob);
  expect(owed(run)).toEqual([
    'team: question_asked',
    'team: approval_requested',
    'team: approval_requested',
    'team: run_finished',
  ]);
});

test('each names the entry of the ledger that it is about, and is the same however often that is decided', () => {
  const run = story({ notify: [team] })
    .starts()
    .works();
  const [notification] = run.state.owed.filter(isNotification);
  expect(notification).toEqual({
    ...{ do: 'notify', to: 'team', event: 'approval_requested', nth: 1 },
    ...{ id: expect.stringMatching(/^\S+:notify:team:1$/), seq: 4, at: '2025-03-03T12:03:00.000Z' },
  });
});

test('what arrived is owed no longer, and its thread is kept for the next', () => {
  const run = story({ notify: [team] })
    .starts()
    .works();
  const [{ id = '' } = {}] = run.state.owed.filter(isNotification);
  run.apply({ type: 'settled', paid: [id], thread: { of: 'team', id: '17.5' } });
  expect(owed(run)).toEqual([]);
  expect(run.state.threads).toEqual({ team: '17.5' });
});

test('one that is given up is not called a refusal of GitHub', () => {
  const { state, now } = story({ notify: [team] })
    .starts()
    .works();
  const [{ id = '' } = {}] = state.owed.filter(isNotification);
  const impossible = [{ id, reason: 'team: hooks.example.org answered 500' }];
  const at = new Date(now).toISOString();
  expect(decide(state, { type: 'settled', id: 'given-up', at, paid: [id], impossible })).toMatchObject({
    subject: 'Note what was done on GitHub, and what was refused: team: hooks.example.org answered 500',
    state: { undone: [{ do: 'notify', reason: 'team: hooks.example.org answered 500' }] },
  });
});

test('a target that is away for long is owed the newest hundred, and the run says so', () => {
  const run = story({ notify: [{ to: 'team', events: ['steer_instruction'] }], max_iterations: 500 });
  run.starts().engine.takes();
  for (let count = 1; count <= 103; count++) run.says(ada, `/steer more of it, ${count}`);
  const waiting = run.state.owed.filter(isNotification);
  expect(waiting).toHaveLength(100);
  expect(run.state.undone).toEqual([
    { do: 'notify', reason: 'more than 100 waited, and the oldest were left out' },
  ]);
});

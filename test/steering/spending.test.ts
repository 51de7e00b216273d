import { expect, test } from 'vitest';
import { spentBefore } from '../../src/steering/iterations/spending.ts';
import type { BlockedHost } from '../../src/steering/shapes/attempt-result.ts';
import { ada, failureOf } from './samples.ts';
import { story } from './story.ts';

function wanted(use: BlockedHost['use'], host = 'example.com', command = 'npm test'): BlockedHost {
  return { host, use, command, why: 'unlisted' };
}

test('a run whose budget is used up asks a human at once, and a retry tries again', () => {
  const run = story().starts();
  run.agent.fails('budget', 'used its budget of 500 tokens', { budget: 'tokens', cost: { tokens: 512 } });
  expect(run.state.standing).toMatchObject({
    phase: 'awaiting_resolution',
    interrupt: { type: 'budget_exceeded', retry_count: 0, failure_reason: 'used its budget of 500 tokens' },
  });
  expect(run.state.attempts).toMatchObject([{ outcome: 'failed', failure: { budget: 'tokens' } }]);
  run.says(ada, '/retry');
  expect(run.state.standing).toMatchObject({ phase: 'queued', work: 'attempt' });
});

test('an attempt that used too much of the machine is tried again', () => {
  expect(story().starts().agent.fails('resources').state.standing).toMatchObject({ phase: 'queued' });
});

test('what a run has spent counts failed attempts, earlier iterations and late results', () => {
  const run = story().starts();
  expect(spentBefore(run.state)).toEqual({});
  run.agent.fails('exit', 'it failed', { cost: { tokens: 100, usd: 0.5 } });
  run.works({ cost: { tokens: 10 } });
  expect(run.state.iterations[0]?.cost).toEqual({ tokens: 110, usd: 0.5 });
  run.says(ada, '/steer once more').engine.takes('slow');
  const { hold } = run;
  run.engine.isLost().works({ cost: { tokens: 1, usd: 0.25 } });
  const failure = failureOf('exit');
  const late = {
    type: 'work_failed',
    hold,
    failure,
    kept: null,
    duration_s: 1,
    cost: { tokens: 5 },
  } as const;
  run.apply(late);
  expect(spentBefore(run.state)).toEqual({ tokens: 116, usd: 0.75 });
});

test('what verifiers that could not run have cost counts as well', () => {
  const run = story().starts();
  run.agent.finishes({ cost: { tokens: 10 } }).agent.fails('setup', 'npm ci failed', { cost: { tokens: 5 } });
  expect(spentBefore(run.state)).toEqual({ tokens: 15 });
});

test('what was spent and done counts also if the process stops in order', () => {
  const run = story().starts().engine.takes();
  const ran = [{ rule: 'drops-data', severity: 'critical', evidence: 'psql -c "DROP TABLE a"' }] as const;
  run.apply({ type: 'hold_lost', hold: run.hold, cost: { tokens: 5, usd: 0.5 }, ran });
  expect(spentBefore(run.state)).toEqual({ tokens: 5, usd: 0.5 });
  expect(run.works().state.shown?.gates).toEqual(ran);
});

test('held work is counted once, also when it lands', () => {
  const run = story().starts().engine.takes();
  run.agent.isHeld().says(ada, '/allow').engine.lands();
  expect(spentBefore(run.state)).toEqual({});
  expect(run.phase).toBe('verifying');
});

test('blocked hosts of an iteration are kept once each, until the program runs again', () => {
  const run = story().starts();
  run.agent.fails('setup', 'npm ci failed', { blocked: [wanted('setup'), wanted('setup')] });
  expect(run.state.blocked).toEqual([wanted('setup')]);
  run.agent.finishes({ blocked: [wanted('agent')] });
  expect(run.state.blocked).toEqual([wanted('agent')]);
  run.verifiers.pass([], { blocked: [wanted('verifiers'), wanted('agent')] });
  expect(run.state.blocked).toEqual([wanted('agent'), wanted('verifiers')]);
  run.says(ada, '/verify').verifiers.pass();
  expect(run.state.blocked).toEqual([wanted('agent')]);
});

test('a new iteration begins without blocked hosts and notices', () => {
  const run = story().starts();
  run.agent
    .finishes({ blocked: [wanted('agent')] })
    .verifiers.pass([], { notices: ['memory is not bounded'] });
  expect(run.state.notices).toEqual(['memory is not bounded']);
  run.says(ada, '/steer once more');
  expect(run.state).not.toHaveProperty('blocked');
  expect(run.state).not.toHaveProperty('notices');
});

test('no more than twenty blocked hosts are kept', () => {
  const many = Array.from({ length: 30 }, (_, n) => wanted('agent', `h${n}.example.com`));
  expect(story().starts().agent.finishes({ blocked: many }).state.blocked).toHaveLength(20);
});

import { expect, test } from 'vitest';
import { type Announcement, announcements, approvalRequestOf } from '../../src/steering/announcements.ts';
import { decide } from '../../src/steering/decide.ts';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import type { State } from '../../src/steering/state/state.ts';
import { ada, automation, bob, deletion, secret } from './samples.ts';
import { type Story, story } from './story.ts';

/** What others hear of a run. */

function heard({ events }: Story): readonly Announcement[] {
  let state: State | undefined;
  return events.flatMap((event) => {
    const verdict = decide(state, event);
    if (verdict.outcome === 'nothing') return [];
    const before = state;
    state = verdict.state;
    return announcements(before, state, event);
  });
}

const names = (run: Story) => heard(run).map(({ event }) => event);

test('a run that is steered, approved and merged is announced in that order', () => {
  const run = story().starts().works().says(ada, '/steer also this, please').works();
  run.says(bob, '/approve').confirms().merges(bob);
  expect(names(run)).toEqual([
    ...['run_started', 'attempt_started', 'attempt_finished', 'approval_requested'],
    ...['steer_instruction', 'attempt_started', 'attempt_finished', 'approval_requested'],
    ...['approval_received', 'run_finished'],
  ]);
  expect(heard(run)[4]).toEqual({
    ...{ event: 'steer_instruction', length: 17, actor: 'ada', run: 'acme/service#7' },
    time: expect.stringMatching(/^2025-03-03T12:/),
  });
  expect(JSON.stringify(heard(run))).not.toContain('also this');
});

test('what people decide about interrupts, held work and tool calls is announced', () => {
  const failing = story({ attempts: { max: 1 } })
    .starts()
    .agent.finishes()
    .verifiers.fail('test');
  expect(names(failing.says(ada, '/retry')).slice(2)).toEqual([
    'attempt_finished',
    'interrupt_raised',
    'interrupt_resolved',
  ]);
  const held = story().starts().agent.isHeld().says(ada, '/allow');
  expect(names(held).slice(-2)).toEqual(['permission_requested', 'permission_settled']);
  const asking = story().starts().engine.takes().agent.asks().says(ada, '/deny');
  expect(heard(asking).slice(-2)).toMatchObject([
    { event: 'permission_requested', request: { risk_level: 'high', proposed_action: 'rm -rf build' } },
    { event: 'permission_settled', how: 'denied', actor: 'ada' },
  ]);
});

test('an approval that falls, a deadline and a rejection are announced; a refused steer is not', () => {
  const revoked = story().starts().works().says(ada, '/approve').confirms().pushes(bob);
  expect(names(revoked).slice(-2)).toEqual(['approval_received', 'approval_revoked']);
  expect(names(story().starts().works().waits(25)).at(-1)).toBe('approval_timed_out');
  const rejected = story().starts().works().says(bob, '/reject no');
  expect(names(rejected).slice(-2)).toEqual(['approval_rejected', 'run_finished']);
  const limited = story({ max_iterations: 0 }).starts().works().says(ada, '/steer more');
  expect(names(limited)).not.toContain('steer_instruction');
});

test('people are reminded twice of what they are asked, and anew after one of them has said something', () => {
  const run = story().starts().works();
  const reminders = () => heard(run).filter(({ event }) => event === 'reminder');
  const asked = heard(run).find(({ event }) => event === 'approval_requested');
  const timePasses = () => {
    const due = deadlines(run.state).find(({ kind }) => kind === 'reminder');
    if (due === undefined) throw new Error('nobody is to be reminded');
    run.now = Date.parse(due.at);
    run.apply({ type: 'timer_due', timer: 'reminder', deadline: due.at });
  };
  timePasses();
  timePasses();
  const facts = { ...asked, event: 'reminder', actor: null, time: expect.any(String) };
  expect(reminders()).toEqual([50, 90].map((percent) => ({ ...facts, percent })));
  expect(names(run).at(-1)).toBe('reminder');
  run.says(ada, '/pause').says(ada, '/resume');
  expect(reminders()).toHaveLength(2);
  timePasses();
  expect(reminders().at(-1)).toMatchObject({ percent: 50, request: { risk_level: 'low' } });
});

test('work that people stop is announced as stopped, and its question when they are asked again', () => {
  const run = story().starts().engine.takes().says(ada, '/pause').says(ada, '/resume');
  run.works().says(ada, '/pause').says(ada, '/resume');
  expect(heard(run).filter(({ event }) => event === 'attempt_finished')).toMatchObject([
    { outcome: 'stopped', attempt: 1 },
    { outcome: 'green', attempt: 1 },
  ]);
  expect(names(run).filter((event) => event === 'approval_requested')).toHaveLength(2);
});

test('a request has the risk of what the rules found, whatever the confidence', () => {
  const calm = story().starts().works();
  expect(approvalRequestOf(calm.state)).toEqual({
    task_id: 'acme/service#1',
    subtask_id: 'implement',
    reason: 'iteration 0 is verified with high confidence',
    proposed_action: `mark #7 as ready for review at ${calm.state.head.slice(0, 7)}`,
    risk_level: 'low',
    details: {
      summary: '1 file changed, +3, -1',
      files: [{ path: 'src/clock.ts', status: 'modified', additions: 3, deletions: 1 }],
      commands: [],
      verifiers: [
        { name: 'test', success: true, required: true },
        { name: 'lint', success: true, required: false },
      ],
      gates: [],
    },
    auto_approve_timeout: null,
    created_at: calm.state.shown?.at,
  });
  const gated = story({ approval: { finish: 'merge' } })
    .starts()
    .agent.finishes()
    .verifiers.pass([deletion, secret]);
  expect(approvalRequestOf(gated.state)).toMatchObject({
    risk_level: 'critical',
    proposed_action: expect.stringMatching(/^merge #7 into main at /),
    details: {
      gates: expect.arrayContaining([
        { rule: 'touches-secrets', severity: 'critical', evidence: '.env is added' },
      ]),
    },
  });
  expect(approvalRequestOf(story().starts().agent.isHeld([automation]).state)).toMatchObject({
    reason: 'rules found changes-automation',
    risk_level: 'high',
  });
  expect(approvalRequestOf(story().starts().state)).toBeNull();
});

test('a request says after how many seconds the run goes on by itself', () => {
  const auto = {
    mode: 'auto',
    auto_proceed_after_s: 90,
    on_timeout: 'proceed',
    on_timeout_written: true,
  } as const;
  const timed = story({ approval: { ...auto, new_history: 3 } })
    .starts()
    .works();
  expect(approvalRequestOf(timed.state)).toMatchObject({ auto_approve_timeout: 90 });
  const held = story({ approval: { ...auto, on_timeout: 'hold' } })
    .starts()
    .works();
  expect(approvalRequestOf(held.state)?.auto_approve_timeout).toBeNull();
});

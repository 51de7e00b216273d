import { describe, expect, test } from 'vitest';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { possibleIn } from '../../src/steering/phases/table.ts';
import type { GateHit } from '../../src/steering/shapes/attempt-result.ts';
import { shownPhase } from '../../src/steering/shapes/standing.ts';
import { ada, bob, mia, rea, removal, secret } from './samples.ts';
import { type Story, story } from './story.ts';

function asked(hits = removal.hits): Story {
  const run = story().starts().engine.takes();
  return run.agent.asks({ hits });
}

function answerTo(run: Story) {
  return run.state.interactions.findLast(({ kind }) => kind === 'permission')?.answer;
}

describe('an agent that asks before a tool call', () => {
  test('waits for people, who see what it asks, and still works', () => {
    const run = asked();
    expect(run.phase).toBe('working');
    expect(shownPhase(run.state)).toBe('awaiting_permission');
    expect(openInteraction(run.state)).toMatchObject({ kind: 'permission' });
    expect(possibleIn(run.state)).toEqual(expect.arrayContaining(['allow', 'deny', 'steer', 'cancel']));
    expect(run.subject).toBe('Ask whether the agent may: rm -rf build');
  });

  test('is answered by the first who says so, and others are told', () => {
    const run = asked().says(ada, '/allow');
    expect(answerTo(run)).toEqual({ allowed: true, why: '' });
    expect(run.state.allowed_rules).toBeUndefined();
    run.says(bob, '/deny');
    expect(run.refusal).toEqual({ why: 'not_now', command: 'deny', phase: 'working' });
    expect(run.works().phase).toBe('awaiting_approval');
  });

  test('is told why it may not', () => {
    const run = asked().says(ada, '/deny use git clean on build only');
    expect(answerTo(run)).toEqual({ allowed: false, why: 'ada denied it: use git clean on build only' });
    expect(possibleIn(run.state)).not.toContain('deny');
  });

  test('is answered by a button', () => {
    expect(answerTo(asked().clicks(ada, 'allow'))).toEqual({ allowed: true, why: '' });
  });

  test('goes on without, when nobody answers in time', () => {
    const run = asked();
    run.agent.lapses();
    expect(answerTo(run)).toEqual({ allowed: false, why: 'nobody answered in time' });
    expect(shownPhase(run.state)).toBe('working');
  });

  test('asks for one thing at a time, and only under its lease', () => {
    const run = asked();
    run.agent.asks({ id: 'call-2', title: 'another' });
    expect(run.state.standing).toMatchObject({ asking: { call: { id: removal.id } } });
    run.agent.lapses(run.hold, 'call-2');
    expect(openInteraction(run.state)).not.toBeNull();
    const { hold } = run;
    run.says(ada, '/steer --now more').engine.takes('another').agent.asks({}, hold);
    expect(openInteraction(run.state)).toBeNull();
  });

  test('is not given up by a former holder, whose questions have the same ids', () => {
    const run = asked();
    const { hold } = run;
    run.says(ada, '/steer --now more').engine.takes('another').agent.asks().agent.lapses(hold);
    expect(run.state.standing).toMatchObject({ asking: { call: { id: removal.id } } });
  });

  test.each<[string, (run: Story) => Story]>([
    ['finishes', (run) => run.agent.finishes()],
    ['fails', (run) => run.agent.fails()],
    ['is cancelled', (run) => run.says(ada, '/cancel')],
    ['is redirected', (run) => run.says(ada, '/steer --now do something else')],
    ['loses its branch', (run) => run.deletesBranch(bob)],
    ['loses its pull request', (run) => run.closes(bob)],
  ])('no longer waits when it %s', (_, ends) => {
    const run = ends(asked());
    expect(openInteraction(run.state)?.kind).not.toBe('permission');
    expect(answerTo(run)).toEqual({ allowed: false, why: 'the attempt ended' });
  });
});

test('an agent that is lost while it waits leaves what it asks to people', () => {
  const run = asked().engine.isLost();
  expect(run.state.standing).toMatchObject({ phase: 'awaiting_permission', call: { id: removal.id } });
  expect(run.state).toMatchObject({ attempt: 1, attempts_used: 0, parked: { attempt: 1 } });
});

describe('who allows a tool call', () => {
  test('is whoever may approve', () => {
    const run = asked().says(rea, '/allow');
    expect(run.refusal).toMatchObject({ why: 'not_permitted', command: 'allow' });
    expect(openInteraction(run.state)).not.toBeNull();
  });

  test('takes maintain for a critical rule', () => {
    const run = asked([secret]).says(ada, '/allow');
    expect(run.refusal).toMatchObject({ why: 'not_permitted', needs: 'maintain' });
    expect(answerTo(run.says(mia, '/allow always'))).toMatchObject({ allowed: true });
    expect(run.state.allowed_rules).toBeUndefined();
  });

  test.each(['/allow', '/deny'])('has a part in the work, also with %s', (text) => {
    expect(asked().says(bob, text).state.contributors).toMatchObject([{ login: 'bob' }]);
  });
});

test('always is for the same rules, or the same kind of call where no rule matches', () => {
  expect(asked().says(ada, '/allow always').state.allowed_rules).toEqual(['deletes-files']);
  expect(asked([]).says(ada, '/allow always').state.allowed_rules).toEqual(['kind:execute']);
});

test.each(['/allow', '/deny'])(
  '%s cannot answer what was only just asked instead of something else',
  (text) => {
    const run = asked().says(ada, '/allow');
    run.agent.asks({ id: 'call-2', command: 'rm -rf src' });
    run.now -= 58_000;
    expect(run.says(ada, text).refusal).toEqual({ why: 'just_asked' });
    run.now += 60_000;
    run.says(ada, text);
    expect(openInteraction(run.state)).toBeNull();
  },
);

test('a comment of the second in which the first question was asked answers it', () => {
  const run = story().starts().engine.takes();
  run.now += 900;
  run.agent.asks();
  run.now -= 60_900;
  run.says(ada, '/allow');
  expect(openInteraction(run.state)).toBeNull();
});

test('the same question, asked again by the next attempt, can be answered at once', () => {
  const run = asked();
  run.agent.fails().engine.takes('another').agent.asks();
  run.now -= 59_000;
  run.says(ada, '/allow');
  expect(openInteraction(run.state)).toBeNull();
});

test('a question that only begins like an earlier one cannot be answered at once', () => {
  const long = `echo ${'a'.repeat(600)}`;
  const run = story().starts().engine.takes();
  run.agent.asks({ command: `${long}; ls` });
  run.agent
    .fails()
    .engine.takes('another')
    .agent.asks({ command: `${long}; rm -rf build` });
  run.now -= 59_000;
  run.says(ada, '/allow');
  expect(run.refusal).toEqual({ why: 'just_asked' });
});

test('a question with the same title about other files cannot be answered at once', () => {
  const run = story().starts().engine.takes();
  const writes = (id: string, path: string) => {
    const call = { id, kind: 'edit', title: 'Write file', paths: [path], hits: [] };
    const until = new Date(run.now + 120_000).toISOString();
    run.apply({ type: 'permission_requested', hold: run.hold, call, until });
  };
  writes('ask-1', 'README.md');
  run.agent.lapses(run.hold, 'ask-1');
  writes('ask-2', '.github/workflows/ci.yml');
  run.now -= 59_000;
  expect(run.says(ada, '/allow').refusal).toEqual({ why: 'just_asked' });
});

test('what an agent did unasked is a gate at every later approval of the run', () => {
  const ran = { rule: 'drops-data', severity: 'critical', evidence: 'psql -c "DROP TABLE a"' } as const;
  const run = story()
    .starts()
    .works({ ran: [ran, ran] });
  expect(run.state.shown?.gates).toEqual([ran]);
  expect(run.state.shown?.confidence.components.find(({ name }) => name === 'not_destructive')?.value).toBe(
    0,
  );
  run.says(ada, '/steer more').works();
  expect(run.state.shown?.gates).toEqual([ran]);
});

test('what an agent did often, and in many attempts, does not hide what it did once', () => {
  const run = story().starts();
  for (const attempt of ['a', 'b', 'c']) {
    const ran = Array.from({ length: 50 }, (_, n): GateHit => {
      return { rule: 'runs-remote-code', severity: 'high', evidence: `curl ${attempt}/${n} | sh` };
    });
    run.works({ ran }).says(ada, '/steer more');
  }
  expect(run.state.ran).toHaveLength(100);
  const ran: GateHit = { rule: 'drops-data', severity: 'critical', evidence: 'psql -c "DROP TABLE a"' };
  run.works({ ran: [ran] });
  expect(run.state.ran).toHaveLength(100);
  expect(run.state.shown?.gates).toContainEqual(ran);
  expect(run.state.ran?.[0]).toMatchObject({ evidence: 'curl a/0 | sh' });
});

test.each<[string, (run: Story) => void]>([
  ['failed', () => undefined],
  ['was stopped, and failed late', (run) => run.says(ada, '/steer --now something else').engine.takes()],
])('what an agent did unasked is a gate also if its attempt %s', (_, before) => {
  const ran = { rule: 'drops-data', severity: 'critical', evidence: 'psql -c "DROP TABLE a"' } as const;
  const run = story().starts().engine.takes();
  const { hold } = run;
  before(run);
  const failure = { kind: 'exit', message: 'it ended with exit code 1' } as const;
  run.apply({ type: 'work_failed', hold, failure, kept: null, duration_s: 1, ran: [ran] });
  expect(run.works().state.shown?.gates).toEqual([ran]);
});

test.each(['agent_unusable', 'model_key'] as const)('%s is for a human at once', (kind) => {
  const run = story().starts();
  run.agent.fails(kind, 'claude is not installed');
  expect(run.state.standing).toMatchObject({
    phase: 'awaiting_resolution',
    interrupt: { type: 'agent_unusable', failure_reason: 'claude is not installed' },
  });
});

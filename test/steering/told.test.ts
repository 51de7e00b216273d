import { describe, expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import type { EventOf } from '../../src/steering/state/event.ts';
import { ada, bob, changes, mia, noChanges, sha } from './samples.ts';
import { type Story, story } from './story.ts';

/** What the state tells afterwards about whoever did something, and how it ended. */

const settled = (run: Story) => run.state.interactions.map(({ by, how }) => `${how} by ${by}`);
const shown = () => story().starts().works();

describe('the question that was open', () => {
  const ends: readonly (readonly [string, (run: Story) => Story])[] = [
    ['pushed by bob', (run) => run.pushes(bob)],
    ['branch deleted by bob', (run) => run.deletesBranch(bob)],
    ['steered by bob', (run) => run.says(bob, '/steer again')],
    ['verified again by bob', (run) => run.says(bob, '/verify')],
    ['retried by bob', (run) => run.says(bob, '/retry')],
    ['merged by bob', (run) => run.merges(bob)],
    ['closed by bob', (run) => run.closes(bob)],
    ['failed by coxswain', (run) => run.engine.breaks()],
    ['retargeted by bob', (run) => run.retargets(bob, 'release')],
  ];
  test.each(ends)('is settled as %s', (how, end) => {
    expect(settled(end(shown()))).toEqual([how]);
  });

  test('is the only one that is settled', () => {
    const run = shown().says(bob, '/verify');
    expect(settled(run.says(mia, '/reject no'))).toEqual(['verified again by bob']);
  });
});

describe('a commit of the ledger', () => {
  test('says what somebody asked for, and why', () => {
    const red = story({ attempts: { max: 1 } }).starts();
    red.agent.finishes().verifiers.fail('test');
    const asking = story().starts().engine.takes().agent.asks();
    const subjects = [
      red.says(mia, '/approve --despite test').subject,
      shown().says(bob, '/reject the wrong place\nSee the other module').subject,
      shown().says(bob, '/pause we release today').subject,
      asking.says(bob, '/deny not that one').subject,
    ];
    expect(subjects).toEqual([
      `Approved by mia at ${sha(1).slice(0, 7)}, despite test`,
      'Rejected by bob: the wrong place',
      'Paused by bob: we release today',
      'bob denied it: not that one',
    ]);
  });

  test('says why an attempt failed', () => {
    const run = story().starts();
    run.agent.fails('exit', 'The agent ended with exit code 1');
    expect(run.subject).toBe('Attempt 1 failed: The agent ended with exit code 1; trying again');
  });
});

describe('a reply', () => {
  const to = (run: Story) => run.effects.flatMap((effect) => (effect.do === 'reply' ? [effect.to] : []));

  test('is addressed to whoever spoke or acted', () => {
    expect(to(shown().says(bob, '/status'))).toEqual(['bob']);
    expect(to(shown().says(bob, '/approve').pushes(mia))).toEqual(['mia']);
  });

  test('is addressed to nobody if GitHub does not say who it was', () => {
    expect(
      to(
        shown()
          .says(bob, '/approve')
          .pushes({ ...mia, login: 'somebody', id: 0 }),
      ),
    ).toEqual([null]);
  });

  test('to a misspelt command names that command, and one to another command that one', () => {
    const subjects = (text: string) => shown().says(bob, text).subject;
    expect(subjects('/steer')).toBe('Refuse /steer from bob: misspoken');
    expect(subjects('/resume')).toBe('Refuse /resume from bob: not now');
  });

  test('gets its reaction on the comment that it answers', () => {
    const run = shown().says(bob, '/approve', { comment: 77 });
    expect(run.reacted).toEqual([{ comment_id: 77, as: 'rocket' }]);
  });
});

describe('an iteration', () => {
  test('has its files, its verifiers and the agent’s own summary', () => {
    const { iterations, attempts } = shown().state;
    const names = [
      { name: 'test', success: true },
      { name: 'lint', success: true },
    ];
    expect(iterations).toMatchObject([
      { files_modified: ['src/clock.ts'], output: 'Pinned the clock.', verifiers: names, landed: true },
    ]);
    expect(attempts).toMatchObject([
      { summary: 'Pinned the clock.', verifiers: names.map((each) => ({ ...each, exit_code: 0 })) },
    ]);
  });

  test('has only the files that it changed, and says so where these are all files of the run', () => {
    const run = shown().says(bob, '/steer say what time it is').agent.finishes();
    const found = { head: run.state.head, verifiers: [], changes, gates: [], duration_s: 5 };
    const own_files = ['src/time.ts'];
    run.apply({ type: 'verified', hold: run.hold, ...found, own_files });
    expect(run.state.iterations[1]).toMatchObject({ files_modified: own_files, files_of: 'iteration' });
    run.says(bob, '/verify').engine.takes();
    run.apply({ type: 'verified', hold: run.hold, ...found });
    expect(run.state.iterations[1]).toMatchObject({ files_modified: ['src/clock.ts'], files_of: 'run' });
  });

  test('has no output of the agent if only people worked on it', () => {
    expect(shown().pushes(bob).verifiers.pass().state.iterations).toMatchObject([{ output: '' }]);
  });

  test('is in progress again after /retry', () => {
    expect(shown().says(bob, '/retry').state.iterations).toMatchObject([{ landed: false }]);
  });

  test('says that it changed nothing', () => {
    const run = story().starts().agent.finishes({ changesNothing: true, summary: 'All is well.' });
    expect(run.state.iterations).toMatchObject([{ landed: true, output: 'All is well.', attempts: 1 }]);
  });

  test('starts without queue, approvals or attempts of the former one', () => {
    const run = story({ approval: { required: 2 } })
      .starts()
      .works()
      .says(bob, '/approve')
      .says(mia, '/steer again');
    expect(run.state).toMatchObject({ approvals: [], queue: [], attempts: [], attempts_used: 0, attempt: 0 });
  });

  test('costs only what is known', () => {
    expect(story().starts().works().state.iterations[0]?.cost).toEqual({});
    const both = story()
      .starts()
      .works({ cost: { tokens: 5, usd: 0.5 } });
    expect(both.state.iterations[0]?.cost).toEqual({ tokens: 5, usd: 0.5 });
  });
});

describe('what is under review', () => {
  const verified = (fields: Partial<EventOf<'verified'>>) => {
    const run = story().starts().agent.finishes();
    const event = {
      type: 'verified',
      hold: run.hold,
      head: run.state.head,
      verifiers: [],
      gates: [],
    } as const;
    return run.apply({ ...event, changes, duration_s: 1, ...fields }).state.shown;
  };

  test('lists the commits if they are known', () => {
    const commits = { count: 1, newest: [{ sha: sha(1), subject: 'Pin the clock' }] };
    expect(verified({ commits })).toMatchObject({ commits });
    expect(verified({})).not.toHaveProperty('commits');
  });

  test('waits for a human however confident we are, if a gate was hit', () => {
    const run = story({ approval: { mode: 'auto' } })
      .starts()
      .agent.finishes();
    expect(run.verifiers.pass().phase).toBe('awaiting_approval');
    expect(run.state.shown?.decision).toBe('proceed');
    const gated = story({ approval: { mode: 'auto' } })
      .starts()
      .agent.finishes();
    gated.verifiers.pass([{ rule: 'weakens-tests', severity: 'high', evidence: 'a test is skipped' }]);
    expect(gated.state.shown?.decision).toBe('wait');
  });

  test('can be empty', () => {
    expect(verified({ changes: noChanges })).toMatchObject({ changes: noChanges });
  });
});

describe('people who work on the branch', () => {
  test('are known once each', () => {
    const run = shown().pushes(bob).pushes(mia).pushes(bob);
    expect(run.state.contributors).toEqual([
      { login: 'bob', id: 2 },
      { login: 'mia', id: 3 },
    ]);
  });

  test('are absent until there are any', () => {
    expect(story().starts().state).not.toHaveProperty('contributors');
    expect(story().starts().state).not.toHaveProperty('people_unknown');
  });
});

test('another key of the ledger is recorded, and changes nothing else', () => {
  const { state } = shown();
  const verdict = decide(state, { type: 'sealed', id: 'sealed:k2', at: state.updated_at, key: 'k2' });
  const subject = 'Seal the ledger with the key k2';
  expect(verdict).toMatchObject({ subject, state: { ...state, seq: state.seq + 1 }, refuses: false });
});

test('a run that somebody asks for by a comment gets a rocket there, a label has none', () => {
  const text = { text_sha256: '', written_at: '2025-03-03T12:00:00Z' };
  const source = { from: 'comment', comment_id: 4, ...text } as const;
  expect(story().starts({}, { source }).reactions).toEqual(['rocket']);
  expect(story().starts().reactions).toEqual([]);
});

test('a timer that fires for an earlier deadline does nothing', () => {
  const run = shown();
  const deadline = run.deadline ?? '';
  run.waits(1).says(ada, '/status');
  expect(run.deadline).not.toBe(deadline);
  run.waits(30);
  expect(run.phase).toBe('timed_out');
  const other = shown();
  other.now = Date.parse(other.deadline ?? '') + 3_600_000;
  other.apply({ type: 'timer_due', timer: 'review', deadline: '2025-03-03T13:00:00.000Z' });
  expect(other.phase).toBe('awaiting_approval');
});

test('what somebody said before the last answer does not bring the deadline forward', () => {
  const run = shown().waits(3).says(ada, '/status');
  const { deadline } = run;
  run.now -= 2 * 3_600_000;
  run.says(bob, '/why');
  expect(run.deadline).toBe(deadline);
});

test('the review that was dismissed no longer counts, any other approval does', () => {
  const run = story({ approval: { required: 3 } })
    .starts()
    .works();
  run.reviews(ada, 'approves', run.state.head, 70).reviews(mia, 'approves', run.state.head, 71);
  run.says(bob, '/approve').dismisses(bob, 71);
  expect(run.state.approvals.map(({ by }) => by.login)).toEqual(['ada', 'bob']);
});

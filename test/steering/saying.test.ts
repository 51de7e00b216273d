import { describe, expect, test } from 'vitest';
import { isSame } from '../../src/steering/shapes/people.ts';
import { ada, automation, bob, mia, secret, sha } from './samples.ts';
import { type Story, story } from './story.ts';
import { commandIn } from './story-words.ts';

/** How commands are read, and which of them are refused for what was on show. */

describe('a commit in /approve', () => {
  test.each(['abc0001', 'ABC0001', sha(1)])('is 7 to 40 hexadecimal digits: %s', (named) => {
    expect(commandIn(`/approve ${named}`)).toMatchObject({ type: 'approve', sha: named.toLowerCase() });
  });

  test.each(['abc001', `${sha(1)}0`, 'xabc0001', 'abc0001x', 'abc0001 abc0002'])(
    'is nothing else: %s',
    (text) => {
      expect(commandIn(`/approve ${text}`)).toMatchObject({ type: 'misspoken', name: 'approve' });
    },
  );

  test('can be followed by a verifier, with any spaces between them', () => {
    expect(commandIn('/approve  abc0001   --despite   test')).toEqual({
      ...{ type: 'approve', sha: 'abc0001', despite: ['test'] },
    });
  });
});

describe('/steer --now', () => {
  test('is followed by its text', () => {
    expect(commandIn('/steer --now   stop that ')).toEqual({ type: 'steer', prompt: 'stop that', now: true });
  });

  test.each(['wait, --now is too early', '--nowhere to go'])('is meant only in front: %s', (prompt) => {
    expect(commandIn(`/steer ${prompt}`)).toEqual({ type: 'steer', prompt, now: false });
  });
});

test('/diff takes one path, wherever its option is', () => {
  expect(commandIn('/diff   src  --full ')).toEqual({ type: 'diff', path: 'src', full: true });
  expect(commandIn('/diff  --full')).toEqual({ type: 'diff', path: null, full: true });
  expect(commandIn('/diff src test')).toMatchObject({ problem: 'expected one path, got 2' });
});

test('what does not take arguments names the first of them', () => {
  expect(commandIn('/cancel   it   now')).toMatchObject({
    problem: '`/cancel` takes no arguments, got `it`',
  });
});

describe('two accounts', () => {
  test('are the same by their ids, whatever their logins', () => {
    expect(isSame({ login: 'ada', id: 1 }, { login: 'lovelace', id: 1 })).toBe(true);
    expect(isSame({ login: 'ada', id: 1 }, { login: 'ada', id: 2 })).toBe(false);
  });

  test('are the same by their logins if one of the ids is unknown', () => {
    expect(isSame({ login: 'ada', id: 1 }, { login: 'Ada', id: 0 })).toBe(true);
    expect(isSame({ login: 'ada', id: 0 }, { login: 'bob', id: 2 })).toBe(false);
    expect(isSame({ login: 'ada', id: 1 }, { login: 'bob', id: 0 })).toBe(false);
  });
});

describe('an approval is refused', () => {
  const pushed = () => story().starts().works().pushes(bob).verifiers.pass().waits(1);

  test('with a short name of another commit once somebody has pushed: only the full name will do', () => {
    expect(pushed().says(ada, '/approve abc0009').refusal).toMatchObject({
      why: 'other_head',
      in_full: true,
    });
    const quiet = story().starts().works().says(ada, '/approve abc0009');
    expect(quiet.refusal).toEqual({ why: 'other_head', approved: 'abc0009', head: quiet.state.head });
  });

  test('without a name once somebody has pushed, but not by a review or a button', () => {
    const run = pushed();
    expect(run.says(ada, '/approve').refusal).toEqual({ why: 'pushed_while_shown', head: run.state.head });
    expect(pushed().reviews(ada, 'approves').phase).toBe('approved');
    expect(pushed().clicks(ada, 'approve').phase).toBe('approved');
  });

  test('of a base that was changed later, at the latest in the second before', () => {
    const moved = story().starts().works().retargets(bob, 'release').verifiers.pass();
    const at = Date.parse(moved.state.base_at ?? '');
    const said = (ms: number) => {
      const head = Date.parse(moved.state.head_at);
      const seconds = (at + ms - head) / 1000;
      const run = story().starts().works().retargets(bob, 'release').verifiers.pass();
      return run.says(ada, `/approve ${run.state.head}`, { secondsAfterHead: seconds });
    };
    expect(said(-1000).refusal).toMatchObject({ why: 'other_base', base: 'release' });
    expect(said(0).phase).toBe('approved');
  });
});

describe('a base that somebody changes', () => {
  const told = (run: Story) => run.retargets(mia, 'release').replies.at(-1);

  test('is told to those whose approvals fall, also if there were too few of them', () => {
    const expected = { say: 'retargeted', from: 'main', base: 'release', by: 'mia', approvers: ['bob'] };
    expect(told(story().starts().works().says(bob, '/approve'))).toEqual(expected);
    const one = story({ approval: { required: 2 } })
      .starts()
      .works()
      .says(bob, '/approve');
    expect(told(one)).toEqual(expected);
  });

  test('is not told if nothing was approved', () => {
    expect(told(story().starts().works())).toBeUndefined();
  });
});

describe('held work is decided about by a comment', () => {
  const held = () => story().starts().agent.isHeld();
  const saidAfter = (run: Story, ms: number, text: string) => {
    const { standing } = run.state;
    if (!('held' in standing)) throw new Error('nothing is held');
    const seconds = (Date.parse(standing.held?.held_at ?? '') + ms - Date.parse(run.state.head_at)) / 1000;
    return run.says(bob, text, { secondsAfterHead: seconds });
  };

  test('from the second on in which it was shown', () => {
    expect(saidAfter(held(), -1000, '/allow').refusal).toMatchObject({ why: 'just_held' });
    expect(saidAfter(held(), -1000, '/deny').refusal).toMatchObject({ why: 'just_held' });
    expect(saidAfter(held(), 0, '/allow').phase).toBe('queued');
  });

  test('after five seconds if it has replaced other held work', () => {
    const again = () => held().says(mia, '/deny').agent.isHeld();
    expect(saidAfter(again(), 4000, '/allow').refusal).toMatchObject({ why: 'just_held' });
    expect(saidAfter(again(), 5000, '/allow').phase).toBe('queued');
  });

  test('whatever was approved before, and by a button at any time', () => {
    const after = () => story().starts().works().says(mia, '/steer more').agent.isHeld();
    expect(saidAfter(after(), 0, '/allow').phase).toBe('queued');
    expect(held().clicks(bob, 'allow').phase).toBe('queued');
  });

  test('of a maintainer if any of its gates is critical', () => {
    const critical = story().starts().agent.isHeld([automation, secret]);
    expect(critical.says(bob, '/allow').refusal).toMatchObject({ why: 'not_permitted', needs: 'maintain' });
    expect(critical.says(mia, '/allow').phase).toBe('queued');
  });
});

test('what one listed App writes for a person counts, what another writes does not', () => {
  const run = story({ approval: { apps: ['Helper'] } })
    .starts()
    .works();
  expect(run.says(bob, '/retry', { via_app: 'other' }).refusal).toEqual({ why: 'said_by_app', app: 'other' });
  expect(run.says(bob, '/retry', { via_app: 'helper' }).phase).toBe('queued');
});

describe('by a workflow that somebody starts by hand', () => {
  test('everything counts but what is read again before it does', () => {
    const run = () => story().starts().works();
    expect(run().dispatches(mia, '/steer more').phase).toBe('queued');
    const approved = run().dispatches(mia, '/approve');
    expect(approved.refusal).toEqual({ why: 'not_by_workflow', command: 'approve' });
    const held = story().starts().agent.isHeld();
    expect(held.dispatches(mia, '/allow').refusal).toMatchObject({ command: 'allow' });
  });

  test('nothing critical is denied', () => {
    const critical = story().starts().agent.isHeld([automation, secret]);
    expect(critical.dispatches(mia, '/deny').refusal).toEqual({ why: 'not_by_workflow', command: 'deny' });
    expect(story().starts().agent.isHeld().dispatches(mia, '/deny').phase).toBe('queued');
  });
});

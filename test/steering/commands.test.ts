import { describe, expect, test } from 'vitest';
import { mayStart } from '../../src/steering/approval/authorization.ts';
import { commandNames, commandSpecs } from '../../src/steering/commands/index.ts';
import { possibleIn } from '../../src/steering/phases/table.ts';
import { allPhases, ends, runIn } from './phases.ts';
import { ada, bob, rea, robot } from './samples.ts';
import { commandIn } from './story-words.ts';

describe('a read-only command', () => {
  test.each(allPhases)('is answered while %s, and changes only the count of commits', (phase) => {
    for (const text of ['/status', '/diff src', '/logs test', '/why', '/help']) {
      const run = runIn[phase]();
      const { standing } = run.state;
      run.says(rea, text);
      expect(run.replies.at(-1)).toMatchObject({ say: text.slice(1).split(' ')[0] });
      expect(run.phase).toBe(standing.phase);
    }
  });

  test('passes on its arguments', () => {
    expect(runIn.queued().says(ada, '/diff src --full').replies).toEqual([
      { say: 'diff', path: 'src', full: true },
    ]);
    expect(runIn.queued().says(rea, '/logs').replies).toEqual([{ say: 'logs', verifier: null }]);
  });

  test('still requires a role', () => {
    const run = runIn.queued().says({ login: 'eve', id: 6, role: 'none', bot: false }, '/status');
    expect(run.refusal).toEqual({ why: 'not_permitted', command: 'status', has: 'none', needs: 'read' });
  });
});

describe('after the end', () => {
  test.each(ends)('of a run that is %s every command is refused with those still available', (phase) => {
    for (const text of ['/steer x', '/approve', '/reject no', '/cancel', '/retry', '/verify', '/resume']) {
      const run = runIn[phase]().says(bob, text);
      const isResolved = phase === 'abandoned' && text === '/retry';
      const resolved = {
        why: 'already_resolved',
        by: 'bob',
        how: 'abandoned',
        phase,
        at: expect.any(String),
      };
      expect(run.refusal).toEqual(isResolved ? resolved : { why: 'over', phase });
      expect(run.replies.at(-1)).toMatchObject({ possible: ['status', 'diff', 'logs', 'why', 'help'] });
    }
  });
});

describe('a command', () => {
  test.each(allPhases.filter((phase) => !ends.includes(phase)))(
    'is refused while %s unless it is available',
    (phase) => {
      const { state } = runIn[phase]();
      for (const name of commandNames) {
        const run = runIn[phase]().says(ada, `/${name} ${commandSpecs[name].example}`);
        const whys = [
          'not_now',
          'nothing_to_undo',
          'already_paused',
          'nothing_to_approve',
          'already_approved',
          'no_limit',
          'no_question',
          'no_such_concern',
          'already_resolved',
        ];
        const refused = whys.includes(run.refusal?.why ?? '');
        expect([name, refused]).toEqual([name, !possibleIn(state).includes(name)]);
      }
    },
  );

  test('is recognized in any letter case; other words are ignored', () => {
    expect(commandIn('/STATUS')).toEqual({ type: 'status' });
    expect(commandIn('/deploy now')).toBeUndefined();
    expect(commandIn('/constructor')).toBeUndefined();
  });

  test('has a usage that starts with its name', () => {
    for (const [name, { usage }] of Object.entries(commandSpecs))
      expect(usage.split(' ')[0]).toBe(`/${name}`);
  });

  test.each([
    ['steer use UTC\n\nand `code`', { type: 'steer', prompt: 'use UTC\n\nand `code`', now: false }],
    ['steer --now use UTC', { type: 'steer', prompt: 'use UTC', now: true }],
    ['steer --nowhere', { type: 'steer', prompt: '--nowhere', now: false }],
    ['steer \n use UTC', { type: 'steer', prompt: 'use UTC', now: false }],
    ['approve', { type: 'approve', sha: null, despite: [] }],
    ['approve ABCDEF1', { type: 'approve', sha: 'abcdef1', despite: [] }],
    ['approve --despite lint abcdef1', { type: 'approve', sha: 'abcdef1', despite: ['lint'] }],
    ['approve\nThanks!', { type: 'approve', sha: null, despite: [] }],
    ['verify', { type: 'verify' }],
    ['verify --ci', { type: 'verify', ci: true }],
    ['allow', { type: 'allow', scope: 'once' }],
    ['allow Always', { type: 'allow', scope: 'always' }],
    ['deny', { type: 'deny', reason: '' }],
    ['deny no\nworkflows', { type: 'deny', reason: 'no\nworkflows' }],
    ['reject too big', { type: 'reject', reason: 'too big' }],
    ['diff src/a.ts', { type: 'diff', path: 'src/a.ts', full: false }],
    ['logs', { type: 'logs', verifier: null }],
    ['run fix it', { type: 'run', task: 'fix it' }],
  ])('%j is parsed', (text, command) => {
    expect(commandIn(`/${text}`)).toEqual(command);
  });

  test.each([
    ['steer', 'it contains no instructions'],
    ['steer --now', 'it contains no instructions'],
    ['approve looks good', '`looks` is neither a commit SHA nor an option'],
    ['approve abcdef', '`abcdef` is neither a commit SHA nor an option'],
    ['approve --despite', '`--despite` needs the name of a verifier'],
    ['verify it', 'expected `--ci` or nothing, got `it`'],
    ['allow it', 'expected `once` or `always`, got `it`'],
    ['reject', 'a reason is required'],
    ['diff a b', 'expected one path, got 2'],
    ['logs a b', 'expected one verifier, got 2'],
    ['cancel now', '`/cancel` takes no arguments, got `now`'],
    ['status please', '`/status` takes no arguments, got `please`'],
  ])('%j is refused with its mistake', (text, problem) => {
    expect(commandIn(`/${text}`)).toEqual({ type: 'misspoken', name: text.split(' ')[0], problem });
  });
});

test('a run is started by people with write access, never by a bot', () => {
  expect([ada, rea, robot].map(mayStart)).toEqual([true, false, false]);
});

test.each(commandNames)('%s has an example that is understood', (name) => {
  expect(commandIn(`/${name} ${commandSpecs[name].example}`)).toMatchObject({ type: name });
});

import { expect, test } from 'vitest';
import { described, merged, saidOf } from '../../../src/agent/acp/tool-call.ts';
import { profileOf } from '../../../src/profiles/index.ts';
import { usualExitCode, writtenExitCode } from '../../../src/profiles/profile.ts';
import type { ProtocolAgent } from '../../../src/steering/shapes/settings.ts';

const of = (use: ProtocolAgent['use'], raw: object) =>
  described(saidOf(raw), { ...profileOf({ use, timeout_s: 1 }), workspace: '/repo' });

test.each([
  [{ command: 'npm test' }, 'npm test'],
  [{ cmd: 'npm test' }, 'npm test'],
  [{ command: ['bash', '-lc', 'npm test && ls'] }, 'npm test && ls'],
  [{ command: ['git', 'commit', '-m', "it's done; rm -rf /"] }, "git commit -m 'it'\\''s done; rm -rf /'"],
  [{ command: ['sh', '-c', 'a', 'b'] }, 'sh -c a b'],
  [{ command: 'rm', args: ['-rf', 'a b'] }, "rm -rf 'a b'"],
  [{ command: 'npm test', cmd: 'rm -rf /' }, 'npm test\nrm -rf /'],
  [{ command: [...Array(1_500).fill('a'), 'end'] }, expect.stringMatching(/ a end$/)],
])('a command is read from %j', (rawInput, command) => {
  expect(of('acp', { kind: 'execute', title: 'Run', rawInput })).toMatchObject({ kind: 'execute', command });
});

test('a command under any kind is still a command', () => {
  const raw = { kind: 'terminal', title: 'Run', rawInput: { command: 'rm -rf /' } };
  expect(of('acp', raw)).toEqual({ kind: 'execute', title: 'Run', command: 'rm -rf /' });
  for (const kind of ['read', 'search', 'think', 'fetch', 'edit', 'delete', 'move', 'switch_mode'])
    expect(of('acp', { ...raw, kind })).toEqual({ kind: 'execute', title: 'Run', command: 'rm -rf /' });
  const edit = { kind: 'edit', title: 'Look', rawInput: { command: 'view', path: 'a.txt' } };
  expect(of('acp', edit)).toEqual({ kind: 'edit', title: 'Look', paths: ['a.txt'] });
});

test('a call that has a name keeps it where its input is repeated for a title, as Qwen Code does', () => {
  const rawInput = { greeting: 'ciao' };
  const named = saidOf({ title: 'greet (docs MCP Server)', rawInput });
  const asked = saidOf({ title: JSON.stringify(rawInput), rawInput });
  const place = { ...profileOf({ use: 'qwen', timeout_s: 1 }), workspace: '/repo' };
  expect(described(merged(named, asked), place).title).toBe('greet (docs MCP Server)');
});

test.each([
  ['npm test', 'npm test'],
  ['`npm test`', 'npm test'],
  ['npm test [current working directory /repo] (Runs the tests)', 'npm test'],
  ['npm test [in packages/a] [background]', 'npm test'],
  ['echo [in a] (b); rm -rf / [in /repo] (Says b)', 'echo [in a] (b); rm -rf /'],
])('of %s, which Gemini CLI shows, the command is read whole', (title, command) => {
  expect(of('gemini', { kind: 'execute', title })).toMatchObject({ command });
});

test('paths are those of the workspace, as rules know them, and others as they are', () => {
  const raw = {
    kind: 'read',
    title: 'Read',
    rawInput: { filePath: '/repo/a.txt' },
    locations: [{ path: '/repo/a.txt' }, { path: '/etc/passwd' }, { path: '/repos/b' }, { line: 3 }, null],
    content: [{ type: 'diff', path: 'c.txt' }],
  };
  expect(of('acp', raw).paths).toEqual(['a.txt', '/etc/passwd', '/repos/b', 'c.txt']);
});

test.each([null, 3, 'x', [], {}, { title: 3, rawInput: 'x', locations: 'y', content: 4 }])(
  'anything can be a tool call (%j)',
  (raw) => {
    expect(
      described(saidOf(raw), { ...profileOf({ use: 'acp', timeout_s: 1 }), workspace: '/repo' }),
    ).toEqual({
      kind: 'other',
      title: 'a tool call without a title',
    });
  },
);

const nothing = { rawOutput: undefined, content: undefined, meta: undefined };

test('an exit code is read wherever an agent may write it, and never guessed', () => {
  expect(usualExitCode({ ...nothing, rawOutput: { metadata: { exit: 3 } } })).toBe(3);
  expect(usualExitCode({ ...nothing, meta: { terminal_exit: { exit_code: 0 } } })).toBe(0);
  expect(usualExitCode({ ...nothing, rawOutput: { exitCode: '3' } })).toBeUndefined();
  expect(writtenExitCode({ ...nothing, rawOutput: 'Exit code 3\nfailed' })).toBe(3);
  expect(writtenExitCode({ ...nothing, content: [{ content: { text: '```\nExit code 127\n```' } }] })).toBe(
    127,
  );
  expect(writtenExitCode({ ...nothing, rawOutput: 'it said Exit code 3' })).toBeUndefined();
});

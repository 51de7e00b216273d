import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCommand, slashCommandsIn } from '../../../src/github/markdown/command-parser.ts';
import { mayContainCommand } from '../../../src/github/markdown/command-words.ts';

const approve = { type: 'approve', sha: null, despite: [] };

describe('a command is', () => {
  test.each([
    ['a comment by itself', '/approve'],
    ['a paragraph among others', 'Thanks, this is it.\n\n/approve\n\nSee you tomorrow.'],
    ['indented by up to three spaces', '   /approve'],
    ['ended by Windows line ends', 'Thanks.\r\n\r\n/approve\r\n'],
    ['said in capitals', '/Approve'],
    ['addressed to us', '/coxswain approve'],
    ['after a word of another bot', '/lgtm\n\n/approve'],
    ['after a heading', '# Review\n/approve'],
    ['after a quote', '> /reject no\n\n/approve'],
    ['on a later line of a paragraph, which GitHub shows as a line', 'Looks good!\n/approve'],
  ])('%s', (_, text) => {
    expect(parseCommand(text)).toEqual(approve);
  });
});

describe('it is not a command', () => {
  test.each([
    ['in a quote', '> /approve'],
    ['in a quote that goes on lazily', '> they said\n/approve'],
    ['in a fenced block', '```\n/approve\n```'],
    ['in a fenced block that never ends', '~~~\n\n/approve'],
    ['in an indented block', '    /approve'],
    ['in code', '`/approve`'],
    ['in an HTML comment', '<!--\n\n/approve\n\n-->'],
    ['in an HTML comment of one line', '<!-- /approve -->'],
    ['in an HTML block', '<div>\n/approve\n</div>'],
    ['in a list', '- /approve\n- /reject no'],
    ['in a numbered list', '1. /approve'],
    ['in a list item that goes on lazily', '- look\n/approve'],
    ['in a link', '[/approve](https://example.com)'],
    ['in a link definition', '[a]:\n/approve'],
    ['in bold letters', '**/approve**'],
    ['in a heading', '# /approve'],
    ['in the middle of a line', 'I would /approve this'],
    ['in code over two lines', '`see\n/approve`'],
    ['in an HTML comment inside a paragraph', 'see <!--\n/approve\n--> this'],
    ['in a link over two lines', '[see\n/approve](https://example.com)'],
    ['in bold letters over two lines', '**see\n/approve**'],
    ['that is escaped', '\\/approve'],
    ['that is written as an entity', '&#47;approve'],
    ['that goes on', '/approved'],
    ['that is a path', '/approve/me'],
    ['that is not ours', '/lgtm'],
    ['beyond the beginning of a very long comment', `${'word '.repeat(4000)}\n\n/approve`],
  ])('%s', (_, text) => {
    expect(parseCommand(text)).toBeUndefined();
  });
});

test('invisible characters neither hide nor create a command', () => {
  expect(parseCommand('\u200B/app\u200Drove\u2060')).toEqual(approve);
  expect(parseCommand('/approve \u{E0061}\u{E0062}')).toEqual(approve);
  expect(parseCommand('\u202E/approve')).toEqual(approve);
  expect(parseCommand('>\u200B /approve')).toBeUndefined();
});

test('a steer takes everything that follows, including code blocks and slash commands', () => {
  const text = '/steer Rename it.\n\n```ts\nconst a = `b`;\n```\n\n/status must answer 200\n';
  expect(parseCommand(text)).toEqual({
    type: 'steer',
    prompt: 'Rename it.\n\n```ts\nconst a = `b`;\n```\n\n/status must answer 200',
    now: false,
  });
});

test('an underlined steer is still a steer', () => {
  expect(parseCommand('/steer Rename it\n---\nand test it')).toMatchObject({ type: 'steer' });
});

test('an empty steer gets its usage back', () => {
  expect(parseCommand('/steer')).toMatchObject({ type: 'misspoken', name: 'steer' });
});

test.each(['/approve\n/cancel', '/approve\n\n/cancel', '/reject too slow\n\n/steer faster'])(
  'a second command in %j is reported, and neither is executed',
  (text) => {
    expect(parseCommand(text)).toMatchObject({
      type: 'misspoken',
      problem: expect.stringContaining('one command'),
    });
  },
);

test('a second command in a quote or in code does not count', () => {
  expect(parseCommand('/approve\n\n> /cancel\n\n```\n/cancel\n```')).toEqual(approve);
});

test('`/coxswain` alone asks for help', () => {
  expect(parseCommand('/coxswain')).toEqual({ type: 'help' });
  expect(parseCommand('/coxswain\n\napprove')).not.toEqual(approve);
});

test('a slash command has its name, the rest of its line, and the rest of the comment', () => {
  expect(slashCommandsIn('/approve  abc1234 \r\nmore\r\n\r\nlast')).toEqual([
    { word: 'approve', line: 'abc1234', body: 'abc1234 \r\nmore\r\n\r\nlast', isForUs: false },
  ]);
});

test.each(['*a_ ', '> ', '=\n', '> - ', '[', '![](', '```\n', '- a\n  '])(
  'a malicious comment of 64 KiB of %j is parsed quickly',
  { timeout: 10_000 },
  (unit) => {
    const text = `/approve\n\n${unit.repeat(65_000 / unit.length)}`;
    expect(parseCommand(text)?.type).toBe('approve');
  },
);

test('the invisible characters of this test are written as escapes', () => {
  expect(readFileSync(import.meta.filename, 'utf8')).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
});

test.each([
  ['/aprove', 'approve'],
  ['/approv abc1234', 'approve'],
  ['/apporve', 'approve'],
  ['/Appprove', 'approve'],
  ['/stear the tests', 'steer'],
  ['/coxswain aprove', 'approve'],
  ['/hepl', 'help'],
  ['/lgos', 'logs'],
  ['/satus', 'status'],
])('%j is told what was meant, and does nothing', (text, name) => {
  expect(mayContainCommand(text)).toBe(true);
  expect(parseCommand(text)).toEqual({
    ...{ type: 'misspoken', name },
    problem: expect.stringMatching(new RegExp(`^there is no command .*if you mean \`/${name}\``)),
  });
});

test.each([
  '/merge',
  '/rebase',
  '/lgtm',
  '/close',
  '/retest',
  '/hold',
  '/test all',
  '/assign @ada',
  '/rn',
  '/helm',
  '/approvals',
  '/label bug',
])("%j is somebody else's", (text) => {
  expect(mayContainCommand(text)).toBe(false);
  expect(parseCommand(text)).toBeUndefined();
});

test('every word after the name of the App gets an answer', () => {
  expect(parseCommand('/coxswain dance')).toMatchObject({
    ...{
      type: 'misspoken',
      name: 'help',
      problem: 'there is no command `/dance`; `/help` lists all of them',
    },
  });
  expect(parseCommand('please /coxswain dance')).toBeUndefined();
});

test('settings beside a retry are taken or refused, and not dropped', () => {
  expect(parseCommand('/retry\n\n```yaml\nagent: codex\n```\n')).toEqual({
    ...{ type: 'retry', changes: { overrides: { agent: { use: 'codex' } } } },
  });
  expect(parseCommand('/retry\n\n```yaml\ncolour: red\n```\n')).toMatchObject({
    ...{ type: 'misspoken', name: 'retry', problem: expect.stringContaining('unknown key "colour"') },
  });
  expect(parseCommand('/retry\n\nThe registry is up again.')).toEqual({ type: 'retry' });
});

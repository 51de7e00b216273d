import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composed, Unsayable } from '../../src/doors/speech/compose-comment.ts';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { type Command, commandNames, commandSpecs } from '../../src/steering/commands/index.ts';

const head = 'abcdef0123456789abcdef0123456789abcdef01';

/** The comment, or the sentence that says why there is none. */
function said(command: Command): string {
  try {
    return composed(command);
  } catch (fault) {
    if (fault instanceof Unsayable) return `Unsayable: ${fault.message}`;
    throw fault;
  }
}

describe('the comment for a command', () => {
  const steer = { type: 'steer', now: false } as const;
  const approve = { type: 'approve', sha: head, despite: [] } as const;
  test.each<[Command, string]>([
    [approve, `/approve ${head}`],
    [{ ...approve, despite: ['unit', 'lint'] }, `/approve ${head} --despite unit --despite lint`],
    [{ ...steer, prompt: '/approve' }, '/steer /approve'],
    [{ ...steer, prompt: 'One\n\n/reject no\n```\n/run' }, '/steer One\n\n/reject no\n```\n/run'],
    [{ ...steer, now: true, with: 'codex', prompt: 'Go' }, '/steer --now --with codex Go'],
    [
      { type: 'reject', reason: 'Why `not`?\n\n```\n/approve\n```' },
      '/reject Why `not`?\n\n```\n/approve\n```',
    ],
    [{ type: 'answer', question: 'question:7:12', text: '2' }, '/answer question:7:12 2'],
    [{ type: 'undo', to: null }, '/undo'],
    [{ type: 'retry' }, '/retry'],
    [
      { type: 'retry', interrupt: 'interrupt:7:4', changes: { description: 'Do\n/approve' } },
      '/retry\n\n```yaml coxswain\ninterrupt: interrupt:7:4\ndescription: |-\n  Do\n  /approve\n```',
    ],
  ])('%o', (command, body) => {
    expect(said(command)).toBe(body);
    expect(parseCommand(body)).toEqual(command);
  });
});

describe('a command that no comment says', () => {
  const readAsOption = 'A part of it would be read as another option of /steer: use other words.';
  const hidden = 'There are characters in it that nobody can see: leave them out.';
  const steer = { type: 'steer', now: false } as const;
  test.each<[Command, string]>([
    [{ ...steer, prompt: '--now Go' }, readAsOption],
    [{ ...steer, prompt: '--with codex Go' }, readAsOption],
    [{ ...steer, prompt: ' Go' }, readAsOption],
    [{ ...steer, prompt: '' }, 'As a comment, /steer would not be understood: it contains no instructions.'],
    [{ ...steer, prompt: 'a\u0000b' }, hidden],
    [{ ...steer, prompt: 'a\u200bb' }, hidden],
    [{ ...steer, prompt: 'a\ud800b' }, hidden],
    [
      { type: 'approve', sha: 'abc1234 --despite test', despite: [] },
      'A part of it would be read as another option of /approve: use other words.',
    ],
    [
      { type: 'approve', sha: null, despite: ['unit tests'] },
      'As a comment, /approve would not be understood: `tests` is neither a commit SHA nor an option.',
    ],
    [
      { type: 'reject', reason: 'no\n/approve' },
      'As a comment, /reject would not be understood: only one command per comment, but another follows `/reject`.',
    ],
    [
      { type: 'misspoken', name: 'logs', problem: 'expected one verifier, got 2' },
      'As a comment, /logs would not be understood: expected one verifier, got 2.',
    ],
  ])('%o', (command, sentence) => {
    expect(said(command)).toBe(`Unsayable: ${sentence}`);
  });
});

describe('whatever is in the fields', () => {
  const nasty = [
    '--now ',
    '--despite x',
    '/approve',
    '\n/reject no',
    '```\n',
    '<!--',
    '-->',
    '\n',
    ' ',
    '\u200b',
  ];
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.oneof(fc.constantFrom(...nasty), fc.string()), { maxLength: 5 })
      .map((parts) => parts.join('')),
  );
  const optional = { requiredKeys: [] };
  const number = fc.oneof(fc.nat(), fc.double());
  const task = fc.record(
    {
      ...{ title: text, description: text, component: text, worker_profile: text },
      ...{ acceptance_criteria: fc.array(text), depends_on: fc.array(text) },
      kind: fc.constantFrom('plan', 'build', 'test'),
      overrides: fc.record({ approval: fc.record({ mode: fc.constantFrom('manual', 'auto') }) }),
    },
    optional,
  );
  const about = { task_id: text, interrupt: text };
  const reasoned = fc.constantFrom('deny', 'reject', 'pause', 'interrupt', 'abandon');
  const commands = fc.oneof(
    fc.record({ type: fc.constant('run'), task: text }),
    fc.record({ type: fc.constant('steer'), prompt: text, now: fc.boolean(), with: text }),
    fc.record({ type: fc.constant('steer'), prompt: text, now: fc.boolean() }),
    fc.record({ type: fc.constant('approve'), sha: fc.option(text), despite: fc.array(text) }),
    fc.record({ type: fc.constant('answer'), text, question: text }, { requiredKeys: ['type', 'text'] }),
    fc.record({ type: reasoned, reason: text }),
    fc.record({ type: fc.constant('dismiss'), concern: text, reason: text }),
    fc.record({ type: fc.constant('diff'), path: fc.option(text), full: fc.boolean() }),
    fc.record({ type: fc.constant('logs'), verifier: fc.option(text) }),
    fc.record({ type: fc.constant('budget'), more: number, limit: fc.constantFrom(null, 'tokens', 'usd') }),
    fc.record({ type: fc.constantFrom('extend'), more: number }),
    fc.record({ type: fc.constantFrom('undo'), to: number }),
    fc.record({ type: fc.constant('retry'), ...about, changes: task }, { requiredKeys: ['type'] }),
    fc.record(
      { type: fc.constant('spawn'), ...about, tasks: fc.array(fc.record({ name: text, description: text })) },
      { requiredKeys: ['type', 'tasks'] },
    ),
    fc.record({ type: fc.constantFrom('cancel', 'resume', 'help', 'status', 'why') }),
  );

  test('the comment is read as exactly the command, or there is none', () => {
    fc.assert(
      fc.property(commands, (fields) => {
        // Also those that no command can have.
        const command = fields as Command;
        const body = said(command);
        if (!body.startsWith('Unsayable: ')) expect(parseCommand(body)).toEqual(command);
      }),
      { numRuns: 2000, seed: 38 },
    );
  });
});

describe('what a person can write', () => {
  const words = [
    ...['--now', '--full', '--ci', '--despite', '--with', 'codex', 'lint', 'once', 'always', 'c2', '7'],
    ...['+5', 'usd', 'tokens', 'src/a.ts', 'abcdef1', 'question:7:12', 'use UTC', '\n\nand `code`', '1. no'],
    ...[head, '\n```coxswain\ntitle: One\ndescription: Do it\nkind: test\n```', '\ndescription: Less'],
  ];

  test.each(commandNames)('can be said again: /%s', (name) => {
    const isSame = (parts: readonly string[]) => {
      const command = parseCommand(`/${name} ${parts.join(' ')}`);
      if (command === undefined || command.type === 'misspoken') return;
      // Words without a letter give a task a name that nobody may write.
      if (command.type === 'spawn' && command.tasks.some(({ name: own }) => /^\d+$/.test(own))) return;
      expect(parseCommand(composed(command))).toEqual(command);
    };
    isSame([commandSpecs[name].example]);
    const parts = fc.array(fc.constantFrom('lint', ...words), { maxLength: 4 });
    fc.assert(fc.property(parts, isSame), { numRuns: 500, seed: 37 });
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { overrideGroups, withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { readTaskDocuments, taskBlock, taskDocument } from '../../src/config/tasks/task-documents.ts';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { commandSpecs } from '../../src/steering/commands/index.ts';
import type { Task } from '../../src/steering/shapes/task.ts';

test('of very many mistakes the first ones are told, and in no time', () => {
  const keys = Array.from({ length: 5000 }, (_, index) => `k${index}: 1`).join('\n');
  const began = process.cpuUsage();
  for (const text of [
    keys,
    `limits:\n${keys.replaceAll(/^/gm, '  ')}`,
    `verifiers: [${'1,'.repeat(30_000)}]`,
    `acceptance_criteria: [${'1,'.repeat(30_000)}]`,
    `verifiers:\n  - ${keys.replaceAll('\n', '\n    ')}`,
    `${keys.slice(0, 6000)}\n---\n`.repeat(9),
  ]) {
    const problems = problemsIn(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThan(22);
  }
  expect(problemsIn(keys).at(-1)).toBe('and more');
  const { user, system } = process.cpuUsage(began);
  expect(user + system).toBeLessThan(8_000_000);
});

const task: Task = {
  id: 'issue-1',
  title: 'Fix the clock',
  description: 'Take the clock of the server.',
  acceptance_criteria: ['npm test passes'],
  repository: 'acme/api',
  base: 'main',
  component: '',
  kind: 'build',
  worker_profile: '',
  depends_on: [],
};

function tasksIn(text: string) {
  const read = readTaskDocuments(text);
  if ('problem' in read) throw new Error(read.problem);
  return read.tasks;
}

function problemsIn(text: string): readonly string[] {
  const read = readTaskDocuments(text);
  return 'problem' in read ? read.problem.split('\n') : [];
}

test('every key is read, and numbers of issues become references', () => {
  const text = `task_id: issue-1
title: Net prices
description: Without tax.
acceptance_criteria: [one, two]
component: billing
kind: plan
worker_profile: careful
depends_on: [12, '#13', '014', net]
require_approval: true
critical: true
agent: codex
verifiers: [{ name: e2e, run: npm run e2e }]
limits: { minutes: 10 }
`;
  expect(tasksIn(text)).toEqual([
    {
      ...{ task_id: 'issue-1', title: 'Net prices', description: 'Without tax.' },
      ...{
        acceptance_criteria: ['one', 'two'],
        component: 'billing',
        kind: 'plan',
        worker_profile: 'careful',
      },
      depends_on: ['#12', '#13', '#14', 'net'],
      overrides: {
        ...{ agent: { use: 'codex' }, critical: true, limits: { minutes: 10 }, approval: { mode: 'manual' } },
        verifiers: [{ name: 'e2e', run: 'npm run e2e', required: true }],
      },
    },
  ]);
});

test('the fields of a resolution are other words for the same keys, and null is absent', () => {
  const text = `task_id: null
new_description: Do it otherwise.
modified_criteria: [one]
new_component: null
new_phase: test
new_worker_profile: careful
new_dependencies: [3]
`;
  expect(tasksIn(text)).toEqual([
    {
      ...{ description: 'Do it otherwise.', acceptance_criteria: ['one'], kind: 'test' },
      ...{ worker_profile: 'careful', depends_on: ['#3'] },
    },
  ]);
  expect(problemsIn('description: a\nnew_description: b\nnew_phase: later')).toEqual([
    'new_description (line 2): expected one word for description, which is written too; received "b"',
    'new_phase (line 3): expected plan, build or test; received "later", such as `kind: build`',
  ]);
});

test('every problem of several documents is told at once, each with its own line', () => {
  const text = `name: one
descripton: a
---
name: Two
description: ' '
kind: deploy
network: { agent: [open] }
base: release
---
depends_on: [acme/web#3, https://github.com/acme/web/issues/3, '', null]
`;
  expect(problemsIn(text)).toEqual([
    expect.stringMatching(
      /^task 1, descripton \(line 2\): expected description \(did you mean that\?\), or one of task_id, interrupt, name, .*; received the unknown key "descripton", such as `description: Take the clock of the server\.`$/,
    ),
    'task 2, name (line 4): expected a name of small letters, digits and hyphens, at most 40, that is no number; received "Two", such as `name: parser`',
    'task 2, description (line 5): expected a text that says what to do, at most 20,000 characters, that is not empty; received " ", such as `description: Take the clock of the server.`',
    'task 2, kind (line 6): expected plan, build or test; received "deploy", such as `kind: build`',
    'task 2, network (line 7): expected no network: a task only tightens what the configuration says; received {"agent":["open"]}',
    'task 2, base (line 8): expected no base: a task only tightens what the configuration says; received "release"',
    ...['"acme/web#3"', '"https://github.com/acme/web/issues/3"'].map((received) =>
      expect.stringMatching(new RegExp(`line 10.*one in another repository; received ${received}`)),
    ),
    expect.stringContaining('received ""'),
    expect.stringContaining(
      '(in quotes, because YAML takes # for a comment), or the name of another task in the same block; received an empty value',
    ),
  ]);
});

const bomb = [...'bcdefgh'].reduce(
  (text, key, at) => `${text}\n${key}: &${key} [${`*${'abcdefgh'[at]}, `.repeat(4)}]`,
  'a: &a [x, x, x, x]',
);

test.each<[string, string, RegExp]>([
  [
    'nothing',
    '# only a remark\n',
    /^the block: expected a task; received a block without one, such as `description: Take the clock of the server\.`$/,
  ],
  [
    'a list',
    '- a\n',
    /^the task: expected a mapping of keys; received \["a"\], such as `description: Fix the clock`$/,
  ],
  [
    'a tab',
    'limits:\n\tminutes: 3\n',
    /^the block \(line 2, column 1\): expected spaces for indentation; received a tab, such as ` {2}minutes: 3`$/,
  ],
  [
    'a colon in a text',
    'description: a: b',
    /^the block \(line 1, column 15\): expected valid YAML \(a text with a colon and a space in it needs quotes\); .* such as `description: 'a: b'`$/,
  ],
  [
    'a text that begins as an alias does',
    "title: *bold* isn't",
    /\(a text that begins with \* needs quotes\); .* such as `title: '\*bold\* isn''t'`$/,
  ],
  ['a backtick', 'title: `a`', /such as ``title: '`a`'``$/],
  ['a number with #', 'depends_on: [#12]', /\(a number with # needs quotes: '#12'\)/],
  [
    'a hyphen without a space',
    'acceptance_criteria:\n-a\n-b',
    /a space follows the hyphen of an item.* such as `- b`$/,
  ],
  [
    '1 MB',
    `description: ${'x'.repeat(1_000_000)}`,
    /^the block: expected at most 65536 bytes; received 1000013 bytes/,
  ],
  [
    'anchors that explode',
    bomb,
    /^the block \(line \d+, column \d+\): expected at most 20 aliases such as \*a; received more aliases$/,
  ],
  [
    '200 criteria',
    `acceptance_criteria:\n${'  - a\n'.repeat(200)}`,
    /^acceptance_criteria \(line 1\): expected at most 100 criteria; received a list of 200, /,
  ],
  [
    'a long criterion',
    `acceptance_criteria: ['${'x'.repeat(1001)}']`,
    /^acceptance_criteria\[0\] .*at most 1,000 characters.*\(1,001 characters\)/,
  ],
  ['a long description', `description: '${'x'.repeat(20_001)}'`, /^description .*at most 20,000 characters/],
  ['a wrong type', 'description: [a]', /^description \(line 1\): expected a text that says what to do/],
  ['a prototype', '__proto__: { description: a }', /unknown key "__proto__"/],
  [
    '11 tasks',
    `${'description: a\n---\n'.repeat(10)}description: a`,
    /^the block: expected at most 10 tasks, between `---`; received 11 tasks$/,
  ],
  [
    'both words for people',
    'require_approval: true\napproval: { mode: manual }',
    /^require_approval \(line 1\): expected this or `approval.mode`/,
  ],
])('%s is refused with words', (_, text, problem) => {
  const problems = problemsIn(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});

test.each(['task_id: issue-1', 'interrupt: i', 'name: a', 'carry: branch'])(
  '%s is told to belong elsewhere where a run is asked for',
  (line) => {
    const [key = ''] = line.split(':');
    const read = readTaskDocuments(`description: a\n${line}\nfoo: b`, true);
    const [misplaced, unknown] = 'problem' in read ? read.problem.split('\n') : [];
    expect(misplaced).toMatch(
      new RegExp(`^${key} \\(line 2\\): expected no ${key}: .*\`/spawn\`.*; received "[\\w-]+"$`),
    );
    expect(unknown).toContain('expected one of title, description,');
    expect(tasksIn(`description: a\n${line}`)).toHaveLength(1);
  },
);

const part = fc.oneof(
  fc.constantFrom(
    '---',
    '```',
    '~~~~',
    '````yaml coxswain',
    '\r\n',
    '\n',
    '\t',
    '  ',
    ' ',
    '# a',
    '- b',
    ': ',
    '\r',
  ),
  fc.constantFrom(
    '👩‍💻',
    '😀',
    '\u200b',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '\0',
    '\ud800',
    '<!-- x -->',
    '/approve\n',
    '> '.repeat(14),
  ),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
const words = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));

test('what is printed is read back as it was, whatever it says and however its lines end', () => {
  const tasks = fc.record({
    ...{ title: words, description: words, acceptance_criteria: fc.array(words, { maxLength: 4 }) },
    ...{ component: words, worker_profile: words, kind: fc.constantFrom('plan', 'build', 'test' as const) },
    depends_on: fc.uniqueArray(
      fc.integer({ min: 1, max: 99 }).map((number) => `#${number}`),
      { maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(tasks, fc.boolean(), fc.string(), (written, isCrLf, run) => {
      const printed: Task = { ...task, ...written };
      const overrides = { critical: true, verifiers: [{ name: 'e2e', run: `true ${run}`, required: true }] };
      const comment = `/retry\n\n${taskBlock(printed, overrides)}\n`;
      const command = parseCommand(isCrLf ? comment.replace(/\r\n?|\n/g, '\r\n') : comment);
      if (command?.type !== 'retry') throw new Error(JSON.stringify([command, comment]));
      const { overrides: again, ...changes } = command.changes ?? {};
      expect({ ...printed, ...changes }).toEqual(printed);
      expect(again).toEqual(overrides);
      for (const key of ['title', 'description'] as const)
        if (/\S/.test(printed[key]) && (key !== 'title' || !/[\r\n]/.test(printed[key])))
          expect(changes).toHaveProperty(key);
    }),
    { numRuns: 400 },
  );
});

test('a text that is redacted or long is left out, and the block says that it stays', () => {
  const text = taskDocument({
    ...task,
    description: 'Use [REDACTED].',
    acceptance_criteria: ['x'.repeat(999), 'y'.repeat(999), 'z'.repeat(999), 'w'.repeat(999), 'v'],
  });
  expect(text).toBe(`# description stays as it is: a secret was removed from it
# acceptance_criteria stays as it is: it is too long to be shown here
title: Fix the clock
kind: build
`);
  expect(tasksIn(text)).toEqual([{ title: 'Fix the clock', kind: 'build' }]);
});

test('overrides as they were checked are printed and read as the same', () => {
  const reading = readConfig('version: 1\nagent: claude\n', { path: 'coxswain.yml', ref: 'main' });
  if (reading.outcome === 'misconfigured') throw new Error('is valid');
  const written = {
    agent: 'codex',
    approval: { by: ['maintain'], required: 2 },
    limits: { tokens: 9 },
    verifiers: [{ name: 'docs', run: 'true', timeout: '90s' }],
    ask_level: 3,
    questions: { on_timeout: 'fail' },
  };
  const { overrides, problems } = withOverrides(reading.settings, written);
  expect(problems).toEqual([]);
  const [read] = tasksIn(taskDocument(task, overrides));
  expect(withOverrides(reading.settings, read?.overrides)).toEqual(
    withOverrides(reading.settings, overrides),
  );
  expect(tasksIn(taskDocument(task, read?.overrides))).toEqual([read]);
});

const siblings = (text: string) => parseCommand(`/spawn\n\`\`\`yaml coxswain\n${text}\`\`\``);

test.each([
  [
    'a name that is not there',
    'name: a\ndescription: x\ndepends_on: [lexer]\n',
    /`a` depends on `lexer`, and no task in the same block has that name/,
  ],
  ['itself', 'name: a\ndescription: x\ndepends_on: [a]\n', /`a` depends on itself/],
  [
    'a way back',
    'name: a\ndescription: x\ndepends_on: [c]\n---\nname: b\ndescription: x\ndepends_on: [a]\n---\nname: c\ndescription: x\ndepends_on: [b]\n',
    /they depend on each other: `a` → `c` → `b` → `a`/,
  ],
])('tasks that depend on %s are refused', (_, text, problem) => {
  expect(siblings(text)).toEqual({
    type: 'misspoken',
    name: 'spawn',
    problem: expect.stringMatching(problem),
  });
});

test('a single task depends on numbers only', () => {
  expect(parseCommand('/retry\n```yaml coxswain\ndepends_on: [parser]\n```')).toMatchObject({
    type: 'misspoken',
    name: 'retry',
    problem: expect.stringContaining('`parser`'),
  });
  expect(commandSpecs.spawn.takesRest).toBe(true);
});

test('each key of these mappings of a task counts by itself', () => {
  expect(overrideGroups).toEqual(['flaky', 'approval', 'questions', 'limits']);
});

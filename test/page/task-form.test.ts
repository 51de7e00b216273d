import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import type { TaskAction, TaskSource } from '../../src/page/tasks/task-fields.ts';
import { emptyForm, sentForm, writtenComment } from '../../src/page/tasks/task-form.ts';
import { task } from '../steering/samples.ts';

const source: TaskSource = {
  id: 'acme/api#7',
  task: {
    ...task,
    title: 'Fix the clock',
    description: 'It is late.',
    acceptance_criteria: ['npm test passes'],
  },
  overrides: { critical: true },
  about: 'interrupt:7:9',
};

/** The form as a browser sends it, with what somebody wrote in each task. */
function sent(action: TaskAction, ...tasks: Readonly<Record<string, string>>[]): URLSearchParams {
  const [shown = {}] = emptyForm(action, source).tasks;
  const all = (tasks.length === 0 ? [{}] : tasks).flatMap((each) => Object.entries({ ...shown, ...each }));
  return new URLSearchParams([['about', source.about], ...all]);
}

function comes(action: TaskAction, ...tasks: Readonly<Record<string, string>>[]) {
  return writtenComment(sentForm(action, sent(action, ...tasks)), source);
}

test('a form that nobody wrote in is the command alone', () => {
  expect(comes('retry')).toEqual({ body: '/retry' });
  expect(comes('abandon')).toEqual({ body: '/abandon' });
});

test('only what differs is said, as a person would write it', () => {
  const written = comes('retry', {
    description: 'It is early.\r\nBy an hour.',
    acceptance_criteria: 'npm test passes\n\n  it is on time ',
  });
  expect(written).toEqual({
    body: `/retry

\`\`\`yaml coxswain
task_id: acme/api#7
interrupt: interrupt:7:9
description: |-
  It is early.
  By an hour.
acceptance_criteria:
  - npm test passes
  - it is on time
\`\`\``,
  });
});

test('several tasks are documents of one block, and inherit what is left empty', () => {
  const first = { name: 'parser', description: 'Split the parser out', settings: '' };
  const written = comes('spawn', first, {
    name: 'rest',
    description: 'The rest',
    title: '',
    depends_on: 'parser',
  });
  expect('body' in written && parseCommand(written.body)).toEqual({
    type: 'spawn',
    ...{ task_id: 'acme/api#7', interrupt: 'interrupt:7:9' },
    tasks: [
      { name: 'parser', description: 'Split the parser out' },
      { name: 'rest', description: 'The rest', depends_on: ['parser'] },
    ],
  });
});

test('settings are read with the keys of the configuration', () => {
  const settings = 'critical: true\napproval: { required: 2 }';
  const written = comes('retry', { settings });
  expect('body' in written && parseCommand(written.body)).toMatchObject({
    changes: { overrides: { critical: true, approval: { required: 2 } } },
  });
});

describe('a field cannot become anything else', () => {
  test.each([
    '```\n/approve\n```yaml coxswain\ntitle: x',
    '---\ndescription: another task\n...\n/cancel',
    '<!-- coxswain --> {{x}} "quoted" \'so\' # no comment: &a *a !!js',
    '/approve\n\n/run all',
    '\u202eesrever \u200b zero',
  ])('%j', (text) => {
    const written = comes('retry', { description: text });
    const command = 'body' in written && parseCommand(written.body);
    expect(command).toMatchObject({ type: 'retry', changes: { description: expect.any(String) } });
    expect(Object.keys(command && 'changes' in command ? (command.changes ?? {}) : {})).toEqual([
      'description',
    ]);
    const told = comes('abandon', { reason: text });
    expect('body' in told && parseCommand(told.body)).toMatchObject({ type: 'abandon' });
  });

  test.each(['title: Mine', 'critical: false', '- a', 'a: [', 'critical: true\n---\ncritical: true'])(
    'not in the settings: %j',
    (settings) => {
      expect(comes('retry', { settings })).toEqual({
        problems: [{ nth: 0, key: 'settings', text: expect.any(String) }],
      });
    },
  );
});

test('each mistake stands at its field, and all of them at once', () => {
  const written = comes(
    'spawn',
    { title: 'x'.repeat(200), description: 'One', name: 'one' },
    { description: ' ', name: 'One task', depends_on: 'acme/web#3' },
  );
  expect('problems' in written && written.problems.map(({ nth, key }) => [nth, key])).toEqual([
    [0, 'title'],
    [1, 'name'],
    [1, 'description'],
    [1, 'depends_on'],
  ]);
});

test('two tasks with one name are told at the second', () => {
  const written = comes('spawn', { name: 'a', description: 'A' }, { name: 'a', description: 'B' });
  expect(written).toEqual({
    problems: [{ nth: 1, key: 'name', text: expect.stringContaining('two tasks') }],
  });
});

test('what several tasks come to together stands at the field it is about', () => {
  const written = comes(
    'spawn',
    { name: 'a', description: 'A', depends_on: 'b' },
    { name: 'b', description: '', depends_on: 'c\n#12' },
    { name: 'd', description: 'D', depends_on: 'd' },
  );
  expect('problems' in written && written.problems.map(({ nth, key }) => [nth, key]).toSorted()).toEqual([
    [1, 'depends_on'],
    [1, 'description'],
    [2, 'depends_on'],
  ]);
  expect(comes('retry', { depends_on: 'parser' })).toMatchObject({
    problems: [{ nth: 0, key: 'depends_on' }],
  });
});

test('a task may depend on one that follows it', () => {
  const written = comes(
    'spawn',
    { name: 'a', description: 'A', depends_on: 'b' },
    { name: 'b', description: 'B' },
  );
  expect(written).toEqual({ body: expect.stringContaining('depends_on') });
});

test('a retry without a description is told so', () => {
  expect(comes('retry', { description: '' })).toEqual({
    problems: [{ nth: 0, key: 'description', text: expect.any(String) }],
  });
});

test('a task can be added and left out, and nothing typed is lost', () => {
  const add = sent('spawn', { description: 'One' }, { description: 'Two', component: 'billing' });
  add.append('add', '1');
  const added = sentForm('spawn', add);
  expect(added.tasks.map(({ description }) => description)).toEqual(['One', 'Two', '']);
  add.delete('add');
  add.append('leave_out', '1');
  expect(sentForm('spawn', add).tasks.map(({ description }) => description)).toEqual(['One']);
});

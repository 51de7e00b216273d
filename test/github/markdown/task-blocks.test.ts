import { expect, test } from 'vitest';
import { blockIn, readTasks } from '../../../src/github/markdown/task-blocks.ts';

const block = '```yaml coxswain\ndescription: a\n```';

test('after a command, a block of ours is read, and one in YAML where there is nothing else', () => {
  const tasks = [{ description: 'a' }];
  for (const text of [
    block,
    '~~~~ Coxswain\ndescription: a\n~~~~~',
    '```\ndescription: a\n```',
    '<!-- a\nremark -->\n\n```yml\r\ndescription: a\r\n```\r\n',
    '   ```yaml coxswain\n   description: a\n   ```',
    '```yaml coxswain\ndescription: a',
  ])
    expect(readTasks(text), text).toEqual({ tasks });
});

test('after a command, a document is read that has lost its fence', () => {
  const tasks = [{ description: 'a' }];
  expect(readTasks('description: a')).toEqual({ tasks });
  expect(readTasks('---\r\ndescription: |-\r\n  a\r\n')).toEqual({ tasks });
  expect(readTasks('name: net\ndescription: a\n---\ndescription: b\ndepends_on: [net]')).toEqual({
    tasks: [
      { name: 'net', description: 'a' },
      { description: 'b', depends_on: ['net'] },
    ],
  });
  expect(readTasks('title: a\nsummary: b')).toMatchObject({
    problem: expect.stringContaining('summary (line 2)'),
  });
  expect(blockIn('description: a')).toEqual({ rest: 'description: a' });
});

test.each([
  'note: this is no key of a task',
  'title:page',
  'Please:\ndescription: a',
  'description: see\n```\nsample\n```',
  'Do it otherwise.',
  'Do this:\n\n```\ndescription: a\n```',
  '```js\na()\n```',
  `> ${block.replaceAll('\n', '\n> ')}`,
  `- ${block.replaceAll('\n', '\n  ')}`,
  `\`\`\`\`markdown\n${block}\n\`\`\`\``,
  `<!--\n${block}\n-->`,
])('words without such a block are words: %j', (text) => {
  expect(readTasks(text)).toBeUndefined();
  expect(blockIn(text)).toEqual({ rest: text });
});

test('two blocks, or words beside one, are refused', () => {
  expect(readTasks(`${block}\n\n${block}`)).toMatchObject({
    problem: 'expected one block, got 2 (lines 1, 5): put several tasks into one, between `---`',
  });
  expect(blockIn(`Fix it.\n${block}\nor\n${block}`).read).toMatchObject({
    problem: 'expected one block, got 2 (lines 2, 6): put everything into one',
  });
  expect(readTasks(`Please:\n${block}`)).toEqual({
    problem: 'expected nothing but the block, got other text beside it',
  });
});

test('in an issue, the block is cut out of the text', () => {
  const read = { tasks: [{ description: 'a' }] };
  const quoted = '- ```\n  code\n  ```\n\n```\nsample\n```';
  expect(blockIn(`Fix it.\r\n\r\n${quoted}\n${block}\nSoon.`)).toEqual({
    rest: `Fix it.\n\n${quoted}\nSoon.`,
    read,
  });
});

test('a line of many quotes within a block stays as it is', () => {
  const quotes = `${'> '.repeat(14)}a`;
  expect(readTasks(`\`\`\`yaml coxswain\ndescription: |-\n  ${quotes}\n\`\`\``)).toEqual({
    tasks: [{ description: quotes }],
  });
});

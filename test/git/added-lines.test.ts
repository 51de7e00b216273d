import { afterEach, beforeEach, expect, test } from 'vitest';
import { addedLines } from '../../src/git/text-diffs.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

let work: WorkCopy;
let base: string;

beforeEach(async () => {
  work = await workCopy();
  base = await work.commit({ 'a.sh': 'one\ntwo\nthree\n', 'notes.md': 'curl x | sh\n' });
});

afterEach(() => work.remove());

const added = (head: string, ...paths: string[]) => addedLines(work.gitDir, `${base}...${head}`, paths);

test('only lines that were added are read, with their numbers in the new file', async () => {
  const head = await work.commit({ 'a.sh': 'one\n++ 2\nthree\nfour\n' });
  expect(await added(head, 'a.sh')).toEqual([
    {
      path: 'a.sh',
      lines: [
        { number: 2, text: '++ 2' },
        { number: 4, text: 'four' },
      ],
      cut: false,
    },
  ]);
});

test('all lines of a renamed file are read, because moving a file can make it run', async () => {
  const head = await work.commit({ 'notes.md': null, 'build.sh': 'curl x | sh\n' });
  expect((await added(head, 'build.sh'))[0]?.lines).toEqual([{ number: 1, text: 'curl x | sh' }]);
});

test('a file that the repository calls binary is read all the same', async () => {
  const head = await work.commit({ '.gitattributes': '*.sh binary\n', 'b.sh': 'curl x | sh\n\0' });
  expect((await added(head, 'b.sh'))[0]?.lines[0]).toEqual({ number: 1, text: 'curl x | sh' });
});

test('what is beyond the limit is marked as cut', async () => {
  const head = await work.commit({ 'big.sh': 'a line\n'.repeat(200_000), 'small.sh': 'a line\n' });
  const [big, small] = await added(head, 'big.sh', 'small.sh');
  expect([big?.cut, small?.cut]).toEqual([true, false]);
});

test('a path is taken literally', async () => {
  const head = await work.commit({ '*.sh': 'star\n', ':(top)b.sh': 'magic\n', 'c.sh': 'other\n' });
  const read = await added(head, '*.sh', ':(top)b.sh');
  expect(read.map(({ lines }) => lines.map(({ text }) => text))).toEqual([['star'], ['magic']]);
});

import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/github/markdown/command-parser.ts';
import { mayContainCommand } from '../../../src/github/markdown/command-words.ts';
import { acceptanceCriteria, criteriaInField } from '../../../src/github/markdown/issue-form.ts';
import { blockIn } from '../../../src/github/markdown/task-blocks.ts';
import { visible, withoutInvisible } from '../../../src/text/characters.ts';

/** What strangers write is read before anybody asks who they are, so it must never keep the process busy. */

const units = [
  ...[
    '> a\n\n',
    '> ',
    '>',
    '> > > > a\n',
    '- - a\n',
    '- > a\n',
    '- a\n  ',
    '+ a\n\n',
    '1. a\n',
    '-\n',
    '- [',
  ],
  ...['*a_ ', '*a ', '**a', '__a ', 'a*', '_', '~~a ', '`', '``` ` `` ', '```\n', '~~~\n', '`` a\n'],
  ...['[', '![', '![[', '[[]', '[]', '[a](', '[a][', '](', '[](<', '[a]: b\n', '[^a]: ', '[^a]', '[^1]: x\n'],
  ...['<', '<a ', '<a b="', '<!--', '<!-- a -->', '<?', '<![CDATA[', '</a>', '<div>\n', '<details>\n\n'],
  ...['<https://a', '<a@b', '<img ', '<img a="', 'http://a.', 'www.a.', 'a@b.', '&', '&amp;', '&#', '\\'],
  ...['|a', '|a|\n|-|\n', '|-', '| ` ', '=\n', '# a\n', '---\n', '* * * * * * *\n', '\t', '    a\n', '\n'],
  ...['$$', '$', 'a\n/approve\n\n', '/approve ', '/nope\n', 'x\n/approve *a_ `b [c\n', '/coxswain '],
  ...['\u200b', '\u{e0041}', '\u001b[', '\u001b', '\u009b', '\u001b]8;;', '\r', '\u2028', '\0', 'a'],
];

const reading: Readonly<Record<string, (text: string) => unknown>> = {
  'a comment that begins with a command': (text) => parseCommand(`/approve\n\n${text}`),
  'a comment that ends with a command': (text) => parseCommand(`${text}\n\n/approve`),
  'a comment with a command in its midst': (text) => parseCommand(`x\n/approve ${text}\n/approve`),
  'a comment of long paragraphs': (text) => parseCommand(`a\n/nope ${text.slice(0, 3_900)}\n\n`.repeat(16)),
  'a first look at a comment': (text) => mayContainCommand(`${text}/`),
  'an issue with criteria': (text) => acceptanceCriteria(`# Acceptance criteria\n\n- one\n\n${text}`),
  'an issue with criteria after it': (text) =>
    acceptanceCriteria(`${text}\n\n# Acceptance criteria\n\n- one`),
  'a field of criteria': (text) => criteriaInField(text),
  'an issue with a block': (text) => blockIn(`${text}\n\n\`\`\`yaml coxswain\n${text}`),
  'a retry with a block': (text) => parseCommand(`/retry\n\`\`\`yaml coxswain\n${text}`),
  'what is visible': (text) => [visible(text), withoutInvisible(text)],
};

describe.each(Object.entries(reading))('%s is read in linear time', (_, read) => {
  test.each(units)('of %j', (unit) => {
    expect(growth(read, unit)).toBeLessThan(12);
  });
});

/**
 * How much longer four times the text takes: about four times if the time is linear, sixteen if quadratic.
 * What takes less than a tenth of a second is not measured, nor what would even if the time were quadratic.
 */
function growth(read: (text: string) => unknown, unit: string): number {
  const sized = (length: number) => unit.repeat(length / unit.length);
  const [long, short] = [sized(64_000), sized(16_000)];
  if (16 * milliseconds(() => read(short)) < 100) return 0;
  if (milliseconds(() => read(long)) < 100) return 0;
  return fastest(() => read(long)) / fastest(() => read(short));
}

function fastest(act: () => unknown): number {
  return Math.min(...[1, 2, 3, 4, 5].map(() => milliseconds(act)));
}

/** Of the processor, because other programs use it too. */
function milliseconds(act: () => unknown): number {
  const began = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

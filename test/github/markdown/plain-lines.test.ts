import fc from 'fast-check';
import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { linesOf, plainLines } from '../../../src/github/markdown/plain-lines.ts';

/** A parser of GitHub's Markdown agrees on every line that we take for plain text. */

const fragments = [
  ...[
    'a',
    '/approve',
    'b c',
    '`',
    '``',
    '```',
    '~~~',
    '    ',
    '  ',
    ' ',
    '\t',
    '> ',
    '- ',
    '* ',
    '1. ',
    '2. ',
  ],
  ...[
    '[^1]: ',
    '[^1]',
    '[a]: ',
    '[a]',
    '[',
    '](',
    ')',
    '"',
    '*',
    '**',
    '_',
    '~~',
    '\\',
    '|',
    '|-|',
    ':-',
    '-',
  ],
  ...['---', '===', '# ', '<div>', '</div>', '<br>', '<details>', '</details>', '<!--', '-->', '<img ', '>'],
  ...[
    '<https://a>',
    '<?',
    '$$',
    '$',
    '&lt;',
    '\n',
    '\n',
    '\n',
    '\n',
    '\n\n',
    '\n\n',
    '\n/approve\n',
    '\n\n/approve\n',
    '\r\n',
    '\r',
  ],
] as const;

const documents = fc
  .array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 24 })
  .map((parts) => parts.join(''));

test('a line of plain text is in a paragraph at the top level, outside of code, links, tables and HTML', () => {
  fc.assert(
    fc.property(documents, (text) => {
      const lines = linesOf(text);
      const isPlain = plainLines(lines);
      const commands = lines.flatMap((line, index) =>
        isPlain[index] && line.text.trimStart().startsWith('/') ? [index + 1] : [],
      );
      expect(commands.flatMap((line) => placesOf(text, line))).toEqual([]);
    }),
    { numRuns: Number(process.env['COXSWAIN_RUNS'] ?? 3000) },
  );
});

/** What surrounds the first character of a line, except for a paragraph. */
function placesOf(text: string, line: number): readonly string[] {
  const source = lineOf(text, line);
  const column = source.length - source.trimStart().length + 1;
  const events = postprocess(
    parse({ extensions: [gfm()] })
      .document()
      .write(preprocess()(text, undefined, true)),
  );
  const open: string[] = [];
  let around: readonly string[] | undefined;
  for (const [kind, { type, start, end }] of events) {
    if (kind === 'enter') open.push(type);
    else open.pop();
    const holds = start.line === line && start.column <= column && (end.line > line || end.column > column);
    if (kind === 'enter' && holds) around ??= [...open];
    if (kind === 'enter' && holds && type === 'data') around = [...open];
  }
  const found = around ?? ['nowhere'];
  const harmless = ['content', 'paragraph', 'data', 'emphasis', 'strong', 'lineEnding', 'setextHeading'];
  return found.filter((type) => !harmless.some((each) => type.startsWith(each)));
}

function lineOf(text: string, line: number): string {
  return linesOf(text)[line - 1]?.text ?? '';
}

import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, test } from 'vitest';
import {
  addressed,
  code,
  codeInCell,
  cut,
  fenced,
  mention,
  plain,
  quoted,
  tame,
} from '../../src/words/index.ts';

const seen = (text: string): string => text.replaceAll('\u200b', '·');

test('a quote keeps its Markdown but loses mentions, links and HTML', () => {
  const summary = [
    '## Done',
    '- `a<T>` renewed, cc @acme/core and @ada, fixes #12 and GH-13',
    '<!-- coxswain:end --> <img src=x> &#64;ada [here](https://evil.example) ![x](y) [a][b]',
    '',
    '[b]: https://evil.example',
    '```',
    'never closed',
  ].join('\r\n');
  expect(seen(quoted(summary))).toMatchInlineSnapshot(`
    "> ## Done
    > - \`a<·T>\` renewed, cc @·acme/core and @·ada, fixes #·12 and GH·-13
    > <·!-- coxswain:end --> <·img src=x> &#·64;ada [here]·(https:·//evil.example) ![x]·(y) [a]·[b]
    >
    > [b]·: https:·//evil.example
    > \`\`\`
    > never closed"
  `);
});

test('plain text shows every character, and none of it is Markdown', () => {
  expect(
    seen(plain('*a* _b_ snake_case [x](y) <b> & `c` | @ada #1 https://x.y www.z.y\n# no')),
  ).toMatchInlineSnapshot(
    `"\\*a\\* \\_b\\_ snake_case \\[x\\](y) &lt;b&gt; &amp; \\\`c\\\` \\| @·ada #·1 https:·//x.y www·.z.y # no"`,
  );
});

test('text cannot break out of code, fences and cells', () => {
  expect(code('a`b``c')).toBe('```a`b``c```');
  expect(code('`')).toBe('`` ` ``');
  expect(codeInCell('a|b')).toBe('`a\\|b`');
  expect(fenced('a\n````\nb\n', 'text')).toBe('`````text\na\n````\nb\n`````');
  expect(seen(fenced('<!-- coxswain:end -->'))).toBe('```\n<·!-- coxswain:end -->\n```');
  expect(seen(tame('`/approve @ada` is\nnot [x](y)'))).toBe('`/approve @·ada` is not [x]·(y)');
});

test('invisible characters are removed', () => {
  expect(plain('a\u202eb\u0000c\u001b[31md\u001b[0m\u{e0041}e\ud800')).toBe('abcde\ufffd');
});

test('only a login is mentioned', () => {
  expect(mention('ada-l')).toBe('@ada-l');
  expect(seen(mention('acme/core'))).toBe('acme/core');
  expect(seen(mention('dependabot[bot]'))).toBe('dependabot\\[bot\\]');
});

test('a cut counts characters and never splits one', () => {
  expect(cut('😀😀😀', 3)).toBe('😀😀😀');
  expect(cut('😀😀😀😀', 3)).toBe('😀😀…');
  expect(cut('ab👩‍👩‍👧‍👦cd', 5)).toBe('ab…');
  expect(cut('🇫🇷🇩🇪🇮🇹', 4)).toBe('🇫🇷…');
  expect(cut('e\u0301'.repeat(4), 4)).toBe('e\u0301…');
});

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '\n',
        '\r',
        '@ada',
        '<!--',
        '-->',
        '<b>',
        '](x)',
        '[a]: y',
        '`',
        '```',
        '|',
        '&#64;',
        '\\',
        '> ',
        '#1',
        '~~~',
      ),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

function nodesOf(node: Node): readonly Node[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}

test('any text stays within its quote, without HTML, links or mentions', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const tree: Node = fromMarkdown(`${quoted(text)}\n\nafter`);
      expect(tree.children?.map(({ type }) => type)).toEqual(['blockquote', 'paragraph']);
      const nodes = nodesOf(tree);
      const acting = ['html', 'link', 'linkReference', 'image', 'imageReference', 'definition'];
      expect(nodes.filter(({ type }) => acting.includes(type))).toEqual([]);
      const words = nodes.filter(({ type }) => type === 'text').map(({ value }) => value);
      expect(words.filter((value) => /@\w|#\d/.test(value ?? ''))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('any plain text is one paragraph with nothing but text', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const nodes = nodesOf(fromMarkdown(`x ${plain(text)} y`));
      expect(nodes.map(({ type }) => type)).toEqual(['root', 'paragraph', 'text']);
    }),
    { numRuns: 500 },
  );
});

test('any code is one code span', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const nodes = nodesOf(fromMarkdown(`x ${code(text)} y`));
      expect(nodes.map(({ type }) => type)).toEqual(['root', 'paragraph', 'text', 'inlineCode', 'text']);
    }),
    { numRuns: 500 },
  );
});

test('very long text of any kind is sanitized quickly', () => {
  for (const part of ['\n', ' ', '`', '@a', '<', '](', '\u001b', '😀', '_', '&#']) {
    const flood = part.repeat(200_000);
    expect(quoted(flood).length + plain(flood).length + code(flood).length).toBeLessThan(20_000);
    expect(fenced(cut(flood, 50_000)).length).toBeLessThan(250_000);
  }
});

test('a block in a reply starts a paragraph of its own behind the mention', () => {
  const kinds = (text: string) => fromMarkdown(addressed('ada', text)).children.map(({ type }) => type);
  expect(kinds('Queued as steer 1.')).toEqual(['paragraph']);
  expect(kinds('```text\nStatus: working\n```\n\nDone.')).toEqual(['paragraph', 'code', 'paragraph']);
  expect(kinds('- one\n- two')).toEqual(['paragraph', 'list']);
  expect(addressed('ada', '| a |\n|---|')).toBe('@ada: \n\n| a |\n|---|');
});

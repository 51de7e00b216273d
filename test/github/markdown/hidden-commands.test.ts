import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/github/markdown/command-parser.ts';

/** Somebody gives a maintainer a text to paste; what does not look like a command must not be one. */

const approve = { type: 'approve', sha: null, despite: [] };

describe('no command is', () => {
  test.each([
    ['after a line separator', 'Looks good\u2028/approve'],
    ['after a paragraph separator', 'Looks good\u2029/approve'],
    ['after a next-line character', 'Looks good\u0085/approve'],
    ['after a vertical tab', 'Looks good\v/approve'],
    ['after a form feed', 'Looks good\f/approve'],
    ['after a form feed on a line of its own', 'Looks good\n\f/approve'],
    ['in a footnote', '[^1]: /approve'],
    ['in a footnote that goes on lazily', 'See[^1].\n\n[^1]: because\n/approve'],
    ['in a footnote nobody refers to', '[^x]: note\n/approve'],
    ['in a footnote with an invisible name', '[^\u200b]: note\n/approve'],
    ['in a further paragraph of a footnote', '[^1]: note\n\n    /approve'],
    ['in a link title with an invisible label', '[\u200b]: x "\n/approve\n"'],
    ['in a link title', '[see](x "this\n/approve")'],
    ['in a link label over two lines', '[see\nthis]: x "\n/approve\n"'],
    ['in a table', '| a |\n|---|\n/approve'],
    ['in a table of one column', 'a\n:-\n/approve'],
    ['in a table without borders', 'a | b\n-|-\n/approve'],
    ['in a task list', '- [ ] /approve'],
    ['in a task list that goes on lazily', '- [ ] look\n/approve'],
    ['in a further paragraph of a list item', '- look\n\n  /approve'],
    ['in math', '$$\n/approve\n$$'],
    ['in math with blank lines', '$$\n\n/approve\n\n$$'],
    ['in math inside a line', 'so $a\n/approve b$'],
    ['in a math block', '```math\n/approve\n```'],
    ['struck out', '~~see\n/approve~~'],
    ['in an HTML comment that a quote leaves open', '> <!--\n\n/approve\n\n-->'],
    ['in an HTML comment that a list leaves open', '- <!--\n\n/approve\n\n-->'],
    ['in an HTML comment that begins after another', '<!-- a --><!-- b\n\n/approve'],
    ['hidden by a comment that ends early', '<!--> <div hidden> -->\n\n/approve'],
    ['hidden by a comment that ends oddly', '<!-- --!><div hidden>\n-->\n\n/approve'],
    ['in <details>', '<details>\n\n/approve\n\n</details>'],
    ['in <details> with a summary', '<details><summary>Log</summary>\n\n/approve\n\n</details>'],
    ['in <DETAILS>', 'Hi\n\n<DETAILS open>\n\n/approve'],
    ['in a hidden <div>', '<div hidden>\n\n/approve\n\n</div>'],
    ['in a <div> that never ends', '<div\n\n/approve'],
    ['in a hidden <span>', '<span hidden>\n\n/approve\n\n</span>'],
    ['in a hidden <span> inside a paragraph', 'Hi <span hidden>you\n\n/approve'],
    ['in a hidden <span> of the same paragraph', 'Hi <span hidden>you\n/approve</span>'],
    ['in a <div> that a quote leaves open', '> <div hidden>\n\n/approve'],
    ['in a <div> that a list leaves open', '- a\n\n  <div hidden>\n\n/approve'],
    ['in a <div> after code that is none', '` x\n` <div hidden> `\n\n/approve'],
    ['in a <div> after an escaped backtick', '\\`<div hidden>`\n\n/approve'],
    ['in a <div> in a table', '| ` | <div hidden> ` |\n|---|---|\n\n/approve'],
    ['in <details> whose end is in a table', '<details>\n\n| a |\n|---|\n| </details> |\n\n/approve'],
    ['in a <div> in an HTML block that looks like code', '<br>\n`<div hidden>`\n\n/approve'],
    ['in a <div> in an HTML block that looks like a fence', '<br>\n```\n<div hidden>\n```\n\n/approve'],
    ['in a <table>', '<table><tr><td hidden>\n\n/approve'],
    ['in a <template>', '<template>\n\n/approve'],
    ['after an instruction', '<?php\n\n/approve\n\n?>'],
    ['after a declaration', '<!X\n\n/approve\n\n>'],
    ['in CDATA', '<![CDATA[\n\n/approve\n\n]]>'],
    ['in <pre>', '<pre>\n\n/approve\n\n</pre>'],
    ['in a fence after a list that looks numbered', 'text\n2. foo\n```\n\n/approve\n```'],
    ['in a fence after a list', '- a\n```\n\n/approve\n```'],
    ['in a fence whose start could be in a list', '- a\n  ```\nb\n  ```\n\n/approve'],
    ['in a fence inside an HTML block', 'text\n<img src="x">\n```\n\n/approve'],
    ['in code over several lines', 'so `a\nb\n/approve` c'],
  ])('%s', (_, text) => {
    expect(parseCommand(text)).toBeUndefined();
  });
});

describe('honest people are heard', () => {
  test.each([
    ['after code in a sentence', 'The `<Foo>` is right now.\n\n/approve'],
    [
      'after code in the same paragraph',
      'Yes, `a < b` and *that* is [right](https://a.example/b).\n/approve',
    ],
    ['after a name with underscores', 'I like my_new_name!\n/approve'],
    ['after a picture', '<img width="106" height="10" alt="Image" src="https://a.example/b" />\n\n/approve'],
    ['after a folded log', '<details><summary>Log</summary>\n\n```\n<b>\n```\n\n</details>\n\n/approve'],
    [
      'after a folded log with a list',
      '<details>\n<summary>Log</summary>\n\n- a\n- b\n</details>\n\n/approve',
    ],
    ['after a hidden hint of a template', '<!--\n- [ ] Thanks!\n-->\n\n/approve'],
    ['after a hidden hint of one line', '<!-- Thanks! -->\n/approve'],
    ['after a list', '- nice\n- good\n\n/approve'],
    ['after a list with code', '- nice\n  ```\n  - code\n  ```\n\n/approve'],
    ['after code with a list', '```yaml\n- a: b\n```\n\n/approve'],
    ['after a diff', '~~~diff\n- a\n+ b\n~~~\n/approve'],
    ['after a table', '| a |\n|---|\n| b |\n\n/approve'],
    ['after a footnote', 'See[^1].\n\n[^1]: That.\n\n/approve'],
    ['after an address', 'Ada <ada@example.com> and <https://a.example> wrote it.\n\n/approve'],
    ['after a smaller number', 'It is <3 and 1 < 2.\n\n/approve'],
    ['after a price', 'It costs $5, not $$.\n\n/approve'],
    ['after an indented block', '    <div>\n\n/approve'],
    ['after a rule', 'Fine.\n\n---\n/approve'],
    ['after a command of another bot', '/lgtm\n/approve'],
  ])('%s', (_, text) => {
    expect(parseCommand(text)).toEqual(approve);
  });

  test('a later HTML block does not hide what stands before it', () => {
    expect(parseCommand('/approve\n\n<details>\n\nLog\n\n</details>')).toEqual(approve);
  });
});

test('the invisible characters of this test are written as escapes', () => {
  expect(readFileSync(import.meta.filename, 'utf8')).not.toMatch(/\p{Default_Ignorable_Code_Point}|\p{Zl}/u);
});

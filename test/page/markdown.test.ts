import { expect, test } from 'vitest';
import { html, trusted } from '../../src/html/html.ts';
import { markdown, markdownAsOnGitHub } from '../../src/html/markdown.ts';
import { expectInProportion } from '../setup/in-proportion.ts';
import { hostile } from './samples.ts';

test('every value in HTML is escaped, in lists and in attributes too', () => {
  const list = ['<b>', html`<i>${'&'}</i>`];
  expect(html`<p title="${'"\'>'}">${list}${0}${undefined}${false}${null}</p>`.text).toBe(
    '<p title="&quot;&#39;&gt;">&lt;b&gt;<i>&amp;</i>0</p>',
  );
});

test('only trusted HTML is not escaped', () => {
  expect(html`${trusted('<hr>')}${'<hr>'}`.text).toBe('<hr>&lt;hr&gt;');
});

test('a value has no characters that deceive readers', () => {
  expect(html`${'a\u202eb\u0000c\u200e\n'}`.text).toBe('abc\n');
});

test('headings in a text stand below those of its page, and skip no level', () => {
  expect(markdown('# A\n\n#### B\n\n# C').text.match(/<h\d>/g)).toEqual(['<h3>', '<h4>', '<h3>']);
});

test('tags that only GitHub knows are shown as text on our page', () => {
  expect(markdown('<sub>small</sub>').text).toBe('<p>&lt;sub&gt;small&lt;/sub&gt;</p>');
  expect(markdownAsOnGitHub('<sub>small</sub>').text).toBe('<p><sub>small</sub></p>');
});

test('Markdown is rendered as GitHub does', () => {
  const text = '| a | b |\n|---|---|\n| 1 | ~~2~~ |\n\n- [x] done';
  expect(markdown(text).text).toContain('<td><del>2</del></td>');
  expect(markdown(text).text).toContain('type="checkbox"');
});

test('HTML in a comment is shown as text everywhere', () => {
  const rendered = markdown(`${hostile}\n\nand inline ${hostile}\n\n> ${hostile}`).text;
  expect(rendered).not.toMatch(/<(script|img)/);
  expect(rendered.match(/&lt;script&gt;/g)).toHaveLength(3);
});

test('HTML comments are hidden, both inline and as blocks', () => {
  expect(markdown('<!-- coxswain:reply 1 -->\nDone <!-- hidden -->now.').text.trim()).toBe(
    '<p>Done now.</p>',
  );
});

test('an HTML comment cannot smuggle in other HTML', () => {
  expect(markdown('<!-- a --><script>b</script>').text).not.toContain('<script>');
});

test('links with unsafe protocols are disabled', () => {
  const rendered = markdown('[a](javascript:alert(1)) [b](https://example.com) [c](data:text/html,x)').text;
  expect(rendered).toContain('<a href="">a</a> <a href="https://example.com">b</a> <a href="">c</a>');
});

test('an image is shown as a link, so that nothing is loaded from other sites', () => {
  expect(markdown('![alt](https://example.com/a.png)').text).toBe(
    '<p>!<a href="https://example.com/a.png">alt</a></p>',
  );
});

test('a <details> of our own comments works, and its summary is text', () => {
  const rendered = markdown('<details><summary>What <b>was</b> asked</summary>\n\n**A**\n\n</details>').text;
  expect(rendered).toContain('<details><summary>What &lt;b&gt;was&lt;/b&gt; asked</summary>');
  expect(rendered).toContain('<strong>A</strong>');
  expect(rendered).toContain('</details>');
});

test('a closing </details> without its start is text', () => {
  expect(markdown('</details>\n\n</div>').text).not.toMatch(/<\/(details|div)>/);
});

test('invisible characters are removed', () => {
  expect(markdown('a\u202eb\u0000c').text).toBe('<p>abc</p>');
});

test.each(['[a](', '*a_ ', '[^a]', '|a', '> '])('%s without end is shown as text, at once', (beginning) => {
  const text = markdown(beginning.repeat(65_536 / beginning.length)).text;
  expect(text).not.toContain('<em>');
  expect(text.length).toBeGreaterThan(1000);
});

test.each([
  '> a\n\n',
  '- - a\n',
  '- > a\n',
  '=\n',
  'a=\n=\n',
  '* * * * * * *\n',
  '[^1]: x\n',
  'a <!--<!--<!--<!--<!--<!--<!--<!--\n',
  'a <?<?<?<?<?<?<?<?\n',
  'a <![CDATA[<![CDATA[<![CDATA[<![CDATA[\n',
  '[a]: b\n',
  '```\n> a\n\n',
])('a hostile comment of %j does not keep the page busy', (unit) => {
  const rendered = (size: number) => markdown(`${unit.repeat(size / unit.length)}<script>`).text;
  // Longer ones GitHub does not take.
  expectInProportion((size) => expect(rendered(size)).not.toContain('<script>'), { largest: 65_000 });
});

test('code between texts stays code, however much there is', () => {
  const diff = `\`\`\`diff\n${'- a\n+ b\n'.repeat(600)}\`\`\``;
  const rendered = markdown(
    `**Before**\n\n${diff}\n\n<details><summary>More</summary>\n\n${diff}\n\n</details>`,
  ).text;
  expect(rendered).toContain('<strong>Before</strong>');
  expect(rendered.match(/<pre tabindex="0"><code class="language-diff">- a\n/g)).toHaveLength(2);
  expect(rendered).toContain('</details>');
});

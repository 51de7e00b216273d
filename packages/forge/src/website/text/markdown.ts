import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type Html, html, trusted } from '../html.ts';

/**
 * Renders what somebody wrote. Of HTML only a few tags without attributes have a meaning (see `knownTags`);
 * the rest is shown as text, and HTML comments are left out. Images are links, because pages load nothing
 * from elsewhere.
 */
export function markdown(text: string | null, links: Links): Html {
  if (text === null || text.trim() === '') return html``;
  return trusted(withLinks(rendered(text), links));
}

/** Pages are read again and again, and texts hardly ever change. */
const cache = new Map<string, string>();
const maxCached = 300;

function rendered(text: string): string {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const fresh = render(text.replace(/\r\n?/g, '\n').replace(hidden, ''));
  const [oldest] = cache.keys();
  if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);
  cache.set(text, fresh);
  return fresh;
}

/** Text direction marks, and control characters but line ends and tabs. */
const hidden = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Code between fences costs next to nothing, so each piece is rendered on its own. */
function render(text: string): string {
  const parts = betweenFences(text);
  if (isTooComplex(parts)) return html`<pre tabindex="0">${text}</pre>`.text;
  const tags = knownTags();
  return withOutline(parts.map(({ text: part }) => compiled(part, tags)).join('\n'));
}

type Extension = ReturnType<typeof gfm>;

/** Footnotes have ids, of which a page with several texts could have two. */
const footnotes = ['gfmFootnoteCall', 'gfmPotentialFootnoteCall', 'gfmFootnoteDefinition'];
const reduced: Extension = { disable: { null: ['labelStartImage', ...footnotes] } };

/** Inline markup takes quadratic time in its delimiters: one comment could take a minute. */
const maxDelimiters = 2000;
const blocksOnly: Extension = {
  disable: {
    null: [
      ...['labelStartImage', ...footnotes],
      ...['attention', 'codeText', 'labelEnd', 'labelStartLink', 'strikethrough', 'table'],
    ],
  },
};

function compiled(text: string, tags: ReturnType<typeof knownTags>): string {
  const isCostly = (text.match(/[*_~[\]|`]/g) ?? []).length > maxDelimiters;
  const output = micromark(text, {
    extensions: [gfm(), isCostly ? blocksOnly : reduced],
    htmlExtensions: [gfmHtml(), tags],
  });
  return reachable(output);
}

/** What may be wider than its place can be scrolled with the keyboard, and boxes of tasks have a name. */
function reachable(output: string): string {
  return output
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replace(/<th((?: align="\w+")?)><\/th>/g, '<td$1></td>')
    .replaceAll('<input ', '<input aria-label="Task" ');
}

/** Headings stand below one of the page (h2) and skip no level, whatever the text begins with. */
function withOutline(output: string): string {
  const above: number[] = [];
  let level = 2;
  return output.replace(/<(\/?)h([1-6])(?=[ >])/g, (_, end: string, written: string) => {
    if (end !== '') return `</h${level}`;
    while ((above.at(-1) ?? 0) >= Number(written)) above.pop();
    above.push(Number(written));
    level = Math.min(2 + above.length, 6);
    return `<h${level}`;
  });
}

const maxParts = 100;
const maxLines = 1000;
const maxNested = 200;
const nested = /^[ \t]*=+[ \t]*$|>|(?:^|[ \t])(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/gm;

/** Quotes, lists and underlined headings take quadratic time, too. */
function isTooComplex(parts: readonly Part[]): boolean {
  const prose = parts.filter(({ isCode }) => !isCode);
  const count = (pattern: RegExp) =>
    prose.reduce((sum, { text }) => sum + (text.match(pattern) ?? []).length, 0);
  return parts.length > maxParts || count(/\n/g) > maxLines || count(nested) > maxNested;
}

interface Part {
  readonly text: string;
  readonly isCode: boolean;
}

/** Fenced code that is not indented, and the text around it, in order. */
function betweenFences(text: string): readonly Part[] {
  const parts: { lines: string[]; end: RegExp | undefined }[] = [{ lines: [], end: undefined }];
  for (const line of text.split('\n')) {
    const part = parts.at(-1);
    const marks = part?.end === undefined ? /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line) : null;
    const opening = marks?.[1] ?? marks?.[2];
    if (opening !== undefined) {
      const end = new RegExp(`^ {0,3}${opening[0]}{${opening.length},}[ \\t]*$`);
      parts.push({ lines: [line], end });
      continue;
    }
    part?.lines.push(line);
    if (part?.end?.test(line)) parts.push({ lines: [], end: undefined });
  }
  const texts = parts.map(({ lines, end }) => ({ text: lines.join('\n'), isCode: end !== undefined }));
  return texts.filter(({ text: each }) => each.trim() !== '');
}

type HtmlExtension = ReturnType<typeof gfmHtml>;

/** Tags that mean the same as on GitHub. Left open, none of them changes what comes after its parent. */
const paired = ['details', 'summary', 'sub', 'sup', 'kbd', 'ins'];
const tag = /&lt;(?<end>\/?)(?<name>[a-z]+)(?<open> open)?\s*(?<closed>\/?)&gt;/g;
const comment = /&lt;!--[\s\S]*?--&gt;/g;

/** Writes known tags of one text again, without attributes, and closes none that it has not opened. */
function knownTags(): HtmlExtension {
  const write = writer();
  return {
    enter: {
      htmlFlow() {
        this.lineEndingIfNeeded();
        this.buffer();
      },
      htmlText() {
        this.buffer();
      },
    },
    exit: {
      htmlFlow() {
        this.raw(write(this.resume()));
      },
      htmlText() {
        this.raw(write(this.resume()));
      },
    },
  };
}

/** What is written for each piece of escaped HTML in one text, in order. */
function writer(): (escaped: string) => string {
  const open: string[] = [];
  return (escaped) =>
    escaped.replace(comment, '').replace(tag, (whole: string, ...matched: unknown[]) => {
      // The last argument of a pattern with named groups is an object with them.
      const groups = matched.at(-1) as { end: string; name: string; open?: string; closed: string };
      if (groups.name === 'br' && groups.end === '') return '<br>';
      if (!paired.includes(groups.name) || groups.closed !== '') return whole;
      if (groups.end === '') {
        open.push(groups.name);
        return `<${groups.name}${groups.name === 'details' && groups.open ? ' open' : ''}>`;
      }
      const opened = open.lastIndexOf(groups.name);
      if (opened === -1) return whole;
      open.length = opened;
      return `</${groups.name}>`;
    });
}

/** The addresses of what texts only name; undefined for what does not exist. */
export interface Links {
  issue(number: number): string | undefined;
  commit(sha: string): string | undefined;
}

/** Not within a word, an address or a character that is written as a number. */
const reference = /(?<![\w/&#])(?:#(?<number>[1-9]\d{0,8})|(?<sha>[0-9a-f]{40}))(?!\w)/g;

/** Turns `#12` and commit ids in rendered text into links, except in code and in other links. */
function withLinks(rendered: string, links: Links): string {
  let inside = 0;
  return rendered
    .split(/(<[^>]*>)/)
    .map((piece, index) => {
      if (index % 2 === 0) return inside > 0 ? piece : linked(piece, links);
      if (/^<(?:a|code|pre)[\s>]/.test(piece)) inside += 1;
      if (/^<\/(?:a|code|pre)>/.test(piece)) inside -= 1;
      return piece;
    })
    .join('');
}

function linked(text: string, links: Links): string {
  return text.replace(reference, (whole: string, ...matched: unknown[]) => {
    // The last argument of a pattern with named groups is an object with them.
    const { number, sha = '' } = matched.at(-1) as { number?: string; sha?: string };
    const shown = number === undefined ? `<code>${sha.slice(0, 7)}</code>` : whole;
    const address = number === undefined ? links.commit(sha) : links.issue(Number(number));
    return address === undefined ? whole : `<a href="${address}">${shown}</a>`;
  });
}

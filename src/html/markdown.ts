import { LRUCache } from 'lru-cache';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { visible } from '../text/characters.ts';
import { type Html, html, trusted } from './html.ts';

/** Renders what somebody wrote, of whose HTML only `<br>` and foldable parts mean something. */
export const markdown = rendererWith(['details', 'summary']);

/** Renders it for pages that stand in for GitHub's, with more of what means the same there. */
export const markdownAsOnGitHub = rendererWith(['details', 'summary', 'sub', 'sup', 'kbd', 'ins']);

/**
 * A renderer of Markdown that knows these tags, without attributes. Other HTML is shown as text, and HTML
 * comments are left out; images are links, because pages load nothing from other sites.
 */
function rendererWith(tags: readonly string[]): (text: string) => Html {
  // Pages are rendered every second, and comments hardly ever change.
  const rendered = new LRUCache<string, Html>({ max: 300 });
  return (text) => {
    const known = rendered.get(text);
    if (known !== undefined) return known;
    const fresh = trusted(render(visible(text), tags));
    rendered.set(text, fresh);
    return fresh;
  };
}

type HtmlExtension = ReturnType<typeof gfmHtml>;

/** Footnotes have ids, of which a page with several texts could have two. */
const unused = ['labelStartImage', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall', 'gfmFootnoteDefinition'];

/** Inline markup takes quadratic time in its delimiters: one comment could take a minute. */
const maxDelimiters = 2000;
const inline = ['attention', 'codeText', 'labelEnd', 'labelStartLink', 'strikethrough', 'table'];

/** Code in between costs next to nothing, and our own comments contain much of it. */
function render(text: string, tags: readonly string[]): string {
  const parts = betweenFences(text);
  if (isTooComplex(parts)) return html`<pre tabindex="0">${text}</pre>`.text;
  const htmlExtensions = [gfmHtml(), knownTags(tags)];
  return withOutline(parts.map((part) => compile(part.text, htmlExtensions)).join('\n'));
}

/** Quotes and lists nested deeper than this in one line take quadratic time. */
const deepLine = /^((?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){12})(.+)$/gm;

function compile(text: string, htmlExtensions: HtmlExtension[]): string {
  const isCostly = (text.match(/[*_~[\]|`]/g) ?? []).length > maxDelimiters;
  const disabled = { disable: { null: isCostly ? [...unused, ...inline] : unused } };
  const compiled = micromark(text.replace(deepLine, '$1\\$2'), {
    extensions: [gfm(), disabled],
    htmlExtensions,
  });
  return reachable(compiled);
}

/**
 * What may be too wide for its place scrolls by itself, also by keyboard, and the boxes of tasks have a name.
 * Tags in a text are escaped.
 */
function reachable(compiled: string): string {
  return compiled
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replace(/<th((?: align="\w+")?)><\/th>/g, '<td$1></td>')
    .replaceAll('<input ', '<input aria-label="Task" ');
}

/** Headings stand below one of the page (h2) and skip no level, whatever the text begins with. */
function withOutline(compiled: string): string {
  const above: number[] = [];
  let level = 2;
  return compiled.replace(/<(\/?)h([1-6])(?=[ >])/g, (_, end: string, written: string) => {
    if (end !== '') return `</h${level}`;
    while ((above.at(-1) ?? 0) >= Number(written)) above.pop();
    above.push(Number(written));
    level = Math.min(2 + above.length, 6);
    return `<h${level}`;
  });
}

/** Quotes, lists and underlined headings take quadratic time: one comment could take a minute. */
const maxParts = 100;
const maxLines = 1000;
const maxNested = 200;
const nested = /^[ \t]*=+[ \t]*$|>|<[!?]|(?:^|[ \t])(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/gm;

/** Then its text is shown as it was written. */
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

/** A piece of HTML as the compiler escapes it: a comment, or a tag that may be known. */
const comment = /&lt;!--[\s\S]*?--&gt;/g;
const tag = /&lt;(?<end>\/?)(?<name>[a-z]+)(?<open> open)?\s*(?<closed>\/?)&gt;/g;

/** Writes known tags of one text again, without attributes, and closes none that it has not opened. */
function knownTags(tags: readonly string[]): HtmlExtension {
  const write = tagWriter(tags);
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
function tagWriter(tags: readonly string[]): (escaped: string) => string {
  const open: string[] = [];
  return (escaped) =>
    escaped.replace(comment, '').replace(tag, (whole: string, ...matched: unknown[]) => {
      // The last argument of a pattern with named groups is an object with them.
      const groups = matched.at(-1) as { end: string; name: string; open?: string; closed: string };
      if (groups.name === 'br' && groups.end === '') return '<br>';
      if (!tags.includes(groups.name) || groups.closed !== '') return whole;
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

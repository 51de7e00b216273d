import { LRUCache } from 'lru-cache';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { visible } from '../text/visible.ts';
import { type Html, html, trusted } from './html.ts';

/** Pages are rendered every second, and comments hardly ever change. */
const rendered = new LRUCache<string, Html>({ max: 300 });

/**
 * Renders a comment. HTML in it is shown as text, and HTML comments are left out;
 * images are links, because the page loads nothing from other sites.
 */
export function markdown(text: string): Html {
  const known = rendered.get(text);
  if (known !== undefined) return known;
  const fresh = trusted(render(visible(text)));
  rendered.set(text, fresh);
  return fresh;
}

type Extension = ReturnType<typeof gfm>;
type HtmlExtension = ReturnType<typeof gfmHtml>;

const withoutImages: Extension = { disable: { null: ['labelStartImage'] } };

/** Inline markup takes quadratic time in its delimiters: one comment could take a minute. */
const maxDelimiters = 2000;
const blocksOnly: Extension = {
  disable: {
    null: [
      ...['attention', 'codeText', 'labelEnd', 'labelStartLink', 'strikethrough', 'table'],
      ...['gfmFootnoteCall', 'gfmPotentialFootnoteCall', 'gfmFootnoteDefinition'],
    ],
  },
};

/** Code in between costs next to nothing, and our own comments contain much of it. */
function render(text: string): string {
  const parts = betweenFences(text);
  if (isTooComplex(parts)) return html`<pre tabindex="0">${text}</pre>`.text;
  const htmlExtensions = [gfmHtml({ clobberPrefix: 'footnote-' }), detailsOnly()];
  return parts.map((part) => compile(part.text, htmlExtensions)).join('\n');
}

/** Quotes and lists nested deeper than this in one line take quadratic time. */
const deepLine = /^((?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){12})(.+)$/gm;

function compile(text: string, htmlExtensions: HtmlExtension[]): string {
  const isCostly = (text.match(/[*_~[\]|`]/g) ?? []).length > maxDelimiters;
  const compiled = micromark(text.replace(deepLine, '$1\\$2'), {
    extensions: [gfm(), withoutImages, ...(isCostly ? [blocksOnly] : [])],
    htmlExtensions,
  });
  return withReachableScrolling(compiled);
}

/** What may be too wide for its place scrolls by itself, also by keyboard. Tags in a comment are escaped. */
function withReachableScrolling(compiled: string): string {
  return compiled
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
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

/** A piece of HTML as the compiler escapes it: a comment, or a `<details>` as in our own comments. */
const comment = /^&lt;!--[\s\S]*?--&gt;\s*/;
const detailsStart = /^&lt;details(?: open)?&gt;&lt;summary&gt;(?<summary>[^\n]{0,200})&lt;\/summary&gt;\s*$/;
const detailsEnd = /^&lt;\/details&gt;\s*$/;

/** Allows little HTML, written again: `<br>`, and a `<details>` with its summary, and its end once it has begun. */
function detailsOnly(): HtmlExtension {
  const write = detailsWriter();
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
        this.raw(
          this.resume()
            .replace(comment, '')
            .replace(/^&lt;br&gt;$/, '<br>'),
        );
      },
    },
  };
}

/** What is written for each piece of escaped HTML in one text, in order. */
function detailsWriter(): (escaped: string) => string {
  let open = 0;
  return (escaped) => {
    const piece = escaped.replace(comment, '');
    const summary = detailsStart.exec(piece)?.groups?.['summary'];
    if (summary !== undefined) {
      open += 1;
      return `<details><summary>${summary}</summary>`;
    }
    if (!detailsEnd.test(piece) || open === 0) return piece;
    open -= 1;
    return '</details>';
  };
}

import { LRUCache } from 'lru-cache';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { deepLine } from '../github/markdown/blocks.ts';
import { visible } from '../github/markdown/visible.ts';
import { type Html, trusted } from './html.ts';

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

function render(text: string): string {
  const isCostly = (text.match(/[*_~[\]|`]/g) ?? []).length > maxDelimiters;
  return micromark(text.replace(deepLine, '$1\\$2'), {
    extensions: [gfm(), withoutImages, ...(isCostly ? [blocksOnly] : [])],
    htmlExtensions: [gfmHtml({ clobberPrefix: 'footnote-' }), detailsOnly()],
  });
}

/** A piece of HTML as the compiler escapes it: a comment, or a `<details>` as in our own comments. */
const comment = /^&lt;!--[\s\S]*?--&gt;\s*/;
const detailsStart = /^&lt;details&gt;&lt;summary&gt;(?<summary>[^\n]{0,200})&lt;\/summary&gt;\s*$/;
const detailsEnd = /^&lt;\/details&gt;\s*$/;

/** Allows one kind of HTML, written again: a `<details>` with its summary, and its end once it has begun. */
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
        this.raw(this.resume().replace(comment, ''));
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

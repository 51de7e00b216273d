import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

/** The block structure: paragraphs, lists, headings and so on. Inline Markdown is not parsed. */
export function blocksIn(text: string): RootContent[] {
  return fromMarkdown(shallow(text), { extensions: [blocksOnly] }).children;
}

/**
 * Inline Markdown and setext headings do not matter here, and parsing them takes quadratic time:
 * 64 KiB of `*a_ ` would keep the process busy for 40 s.
 */
const blocksOnly = {
  disable: {
    null: [
      ...['attention', 'autolink', 'characterEscape', 'characterReference', 'codeText', 'hardBreakEscape'],
      ...['htmlText', 'labelEnd', 'labelStartImage', 'labelStartLink', 'setextUnderline'],
    ],
  },
};

/** Quotes and lists nested deeper than this in one line are just as costly and never contain a command. */
export const deepLine = /^((?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){12})(.+)$/gm;
const rule = /^[ \t]*([-*])(?:[ \t]*\1)*[ \t]*$/;

/** The same text with every offset unchanged, but without what is nested too deeply. */
function shallow(text: string): string {
  return text.replace(deepLine, (line: string, outer: string, inner: string) =>
    rule.test(line) ? line : outer + 'x'.repeat(inner.length),
  );
}

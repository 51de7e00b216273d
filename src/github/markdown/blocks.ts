import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

/** Paragraphs, lists, headings and the like; what stands inside them stays as it was written. */
export function blocksIn(text: string): RootContent[] {
  return fromMarkdown(shallow(text), { extensions: [blocksOnly] }).children;
}

/**
 * What stands inside a paragraph does not matter here, nor whether it is underlined, and reading it takes
 * time that grows with the square of the text: 64 KiB of `*a_ ` would keep the process busy for 40 s.
 */
const blocksOnly = {
  disable: {
    null: [
      ...['attention', 'autolink', 'characterEscape', 'characterReference', 'codeText', 'hardBreakEscape'],
      ...['htmlText', 'labelEnd', 'labelStartImage', 'labelStartLink', 'setextUnderline'],
    ],
  },
};

/** Quotes and lists nested deeper than this in one line are as costly; nothing in there is ours. */
export const deepLine = /^((?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){12})(.+)$/gm;
const rule = /^[ \t]*([-*])(?:[ \t]*\1)*[ \t]*$/;

/** The same text, every character in its place, with what is nested too deep made plain. */
function shallow(text: string): string {
  return text.replace(deepLine, (line: string, outer: string, inner: string) =>
    rule.test(line) ? line : outer + 'x'.repeat(inner.length),
  );
}

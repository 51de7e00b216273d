import type { gfmHtml } from 'micromark-extension-gfm';

type HtmlExtension = ReturnType<typeof gfmHtml>;

/** Tags that mean the same as on GitHub. Left open, none of them changes what comes after its parent. */
const paired = ['details', 'summary', 'sub', 'sup', 'kbd', 'ins'];
const tag = /&lt;(?<end>\/?)(?<name>[a-z]+)(?<open> open)?\s*(?<closed>\/?)&gt;/g;
const comment = /&lt;!--[\s\S]*?--&gt;/g;

/** Writes known tags of one text again, without attributes, and closes none that it has not opened. */
export function knownTags(): HtmlExtension {
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

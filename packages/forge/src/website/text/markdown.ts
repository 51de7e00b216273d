import { markdownAsOnGitHub } from '../../../../../src/html/markdown.ts';
import { type Html, html, trusted } from '../html.ts';

/** Renders what somebody wrote, with links to what it names. */
export function markdown(text: string | null, links: Links): Html {
  if (text === null || text.trim() === '') return html``;
  return trusted(withLinks(markdownAsOnGitHub(text).text, links));
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

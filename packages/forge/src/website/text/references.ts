/** The addresses of what texts only name; undefined for what does not exist. */
export interface Links {
  issue(number: number): string | undefined;
  account(login: string): string | undefined;
  commit(sha: string): string | undefined;
}

const kinds = [
  '#(?<number>[1-9]\\d{0,8})',
  '@(?<login>[A-Za-z\\d][A-Za-z\\d-]{0,38})',
  '(?<sha>[0-9a-f]{40})',
];
/** Not within a word, an address or a character that is written as a number. */
const reference = new RegExp(`(?<![\\w/&#])(?:${kinds.join('|')})(?!\\w)`, 'g');

/** Turns `#12`, `@ada` and commit ids in rendered text into links, except in code and in other links. */
export function withLinks(rendered: string, links: Links): string {
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
    const { number, login, sha } = matched.at(-1) as { number?: string; login?: string; sha?: string };
    const shown = sha === undefined ? whole : `<code>${sha.slice(0, 7)}</code>`;
    const address =
      number !== undefined
        ? links.issue(Number(number))
        : login !== undefined
          ? links.account(login)
          : links.commit(sha ?? '');
    return address === undefined ? whole : `<a href="${address}">${shown}</a>`;
  });
}

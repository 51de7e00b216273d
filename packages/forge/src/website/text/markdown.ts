import { markdownAsOnGitHub } from '../../../../../src/html/markdown.ts';
import { type Html, html, trusted } from '../html.ts';
import type { RepositoryVisit } from '../visit.ts';

/** Renders what somebody wrote, with links to the issues and commits of the repository that it names. */
export function markdown(text: string | null, visit: RepositoryVisit): Html {
  if (text === null || text.trim() === '') return html``;
  return trusted(withLinks(markdownAsOnGitHub(text).text, visit));
}

/** Not within a word, an address or a character that is written as a number. */
const reference = /(?<![\w/&#])(?:#(?<number>[1-9]\d{0,8})|(?<sha>[0-9a-f]{40}))(?!\w)/g;

/** Turns `#12` and commit ids in rendered text into links, except in code and in other links. */
function withLinks(rendered: string, visit: RepositoryVisit): string {
  let inside = 0;
  return rendered
    .split(/(<[^>]*>)/)
    .map((piece, index) => {
      if (index % 2 === 0) return inside > 0 ? piece : linked(piece, visit);
      if (/^<(?:a|code|pre)[\s>]/.test(piece)) inside += 1;
      if (/^<\/(?:a|code|pre)>/.test(piece)) inside -= 1;
      return piece;
    })
    .join('');
}

function linked(text: string, { context, repository, at }: RepositoryVisit): string {
  return text.replace(reference, (whole: string, ...matched: unknown[]) => {
    // The last argument of a pattern with named groups is an object with them.
    const { number, sha } = matched.at(-1) as { number?: string; sha?: string };
    if (sha !== undefined) return `<a href="${at}/commit/${sha}"><code>${sha.slice(0, 7)}</code></a>`;
    const issue = context.store.issue(repository, Number(number));
    return issue ? `<a href="${at}/${issue.pull ? 'pull' : 'issues'}/${number}">${whole}</a>` : whole;
  });
}

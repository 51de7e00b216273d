import type { GitHubEventOf } from '../events/github-event.ts';
import { editsOf, otherEditor } from '../read/edits.ts';
import { readPages } from '../read/pages.ts';
import { accountOf, repoParams } from '../read/repository.ts';
import type { TranslateContext } from './run-event.ts';

/**
 * The first 500 inline comments of a review that nobody but the review's author wrote or edited, each with
 * the code it refers to. Undefined if anyone else edited the review's own text.
 */
export async function remarksIn(
  { repository, pull, review, author }: GitHubEventOf<'review'>,
  { octokit }: TranslateContext,
): Promise<readonly string[] | undefined> {
  const place = { pull_number: pull.number, review_id: review.id, per_page: 100 };
  const { found, complete } = await readPages(
    octokit.paginate.iterator(octokit.rest.pulls.listCommentsForReview, {
      ...repoParams(repository),
      ...place,
    }),
    maxPages,
  );
  const own = found.filter(({ user }) => user !== null && accountOf(user).id === author.id);
  const edits = await editsOf(octokit, [review.node_id, ...own.map(({ node_id }) => node_id)]);
  if (otherEditor(edits.get(review.node_id), author) !== undefined) return undefined;
  const untouched = own.filter(({ node_id }) => otherEditor(edits.get(node_id), author) === undefined);
  return [...untouched.map(remarkText), ...(complete ? [] : [unread])];
}

const maxPages = 5;

const unread = 'The review has more inline comments, which were not read.';

interface Remark {
  readonly path: string;
  readonly line?: number | null | undefined;
  readonly original_line?: number | undefined;
  readonly diff_hunk: string;
  readonly body: string;
}

function remarkText({ path, line, original_line, diff_hunk, body }: Remark): string {
  const where = line ?? original_line;
  const title = where === undefined ? path : `${path}, line ${where}`;
  return [`#### ${title}`, fenced(lastLines(diff_hunk)), body.trim()].join('\n\n');
}

/** An inline comment refers to the last line of its hunk, so the end of a long hunk matters. */
function lastLines(hunk: string): string {
  return hunk.split('\n').slice(-20).join('\n');
}

function fenced(hunk: string): string {
  const longest = Math.max(2, ...[...hunk.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${hunk}\n${fence}`;
}

import type { Octokit } from '@octokit/rest';
import { at } from '../app/person.ts';

/** What says that something went wrong. */
const complaint = /GitHub (refus|answer|did not|does not)|permission|could not|no longer counts|`failed`/i;

/** Reads what one account has written, for somebody who looks at the repository. */
export interface Reader {
  readonly octokit: Octokit;
  /** The account. */
  readonly login: string;
}

/**
 * What was written anywhere about something that went wrong, line by line. `usual` is what is also written
 * when nothing goes wrong: a story may be about a permission.
 */
export async function complaintsIn(
  { octokit, login }: Reader,
  usual: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { data } = await octokit.rest.issues.listCommentsForRepo({ ...at, per_page: 100 });
  const { data: pulls } = await octokit.rest.pulls.list({ ...at, state: 'all' });
  const texts = [...data, ...pulls].filter(({ user }) => user?.login === login).map(({ body }) => body ?? '');
  return texts.flatMap(linesOf).filter((line) => complaint.test(line) && !usual.has(plain(line)));
}

/** All lines of texts, as `complaintsIn` compares them. */
export function usualIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap(linesOf).map(plain));
}

function linesOf(text: string): readonly string[] {
  return text.replaceAll(/<!--[\s\S]*?-->/g, '').split('\n');
}

/** Without what differs between sessions: numbers, commits and times. */
function plain(line: string): string {
  return line.replaceAll(/\b[0-9a-f]{7,64}\b|\d+/g, '#').trim();
}

import type { Octokit } from '../octokit/connect.ts';
import { timeIn } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/** A page of a list, as GitHub answers with it. */
interface Page<T> {
  readonly data: readonly T[];
  readonly headers: { readonly date?: string | undefined; readonly link?: string | undefined };
}

/** The results of at most so many pages: anyone may make a list long, and a sweep has to come to an end. */
export async function firstPages<T>(pages: AsyncIterable<Page<T>>, max: number): Promise<readonly T[]> {
  return (await readPages(pages, max)).found;
}

/** Part of a list, or all of it. */
interface Found<T> {
  readonly found: readonly T[];
  readonly complete: boolean;
}

/** The results of at most so many pages, whether they are all, and when GitHub answered first (ISO 8601). */
export async function readPages<T>(
  pages: AsyncIterable<Page<T>>,
  max: number,
): Promise<Found<T> & { readonly read_at: string | undefined }> {
  const found: T[] = [];
  let count = 0;
  let date: string | undefined;
  for await (const { data, headers } of pages) {
    found.push(...data);
    date ??= headers.date;
    count += 1;
    if (count >= max) return { found, read_at: timeIn(date), complete: !hasNext(headers.link) };
  }
  return { found, read_at: timeIn(date), complete: true };
}

/** The results of the last pages of a list that begins with the oldest, at most so many, oldest first. */
export async function newestPages<T>(
  read: (page: number) => Promise<Page<T>>,
  max: number,
): Promise<Found<T>> {
  const first = await read(1);
  const { link = '' } = first.headers;
  const last = lastPageIn(link);
  const from = Math.max(2, last - max + 2);
  const complete = from === 2 && (last > 1 || !hasNext(link));
  const found: T[] = from === 2 ? [...first.data] : [];
  for (let page = from; page <= last; page++) found.push(...(await read(page)).data);
  return { found, complete };
}

/** How many pages a list has, as the first of them says. */
export function lastPageIn(link = ''): number {
  return Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(link)?.[1] ?? 1);
}

/** Reads the newest events of an issue or a pull request, oldest first. */
export async function newestEvents(octokit: Octokit, where: RepositoryRef, number: number, max: number) {
  const place = { ...repoParams(where), issue_number: number, per_page: 100 };
  return (await newestPages((page) => octokit.rest.issues.listEvents({ ...place, page }), max)).found;
}

/** Reads the newest 5,000 reviews of a pull request, oldest first. */
export function newestReviews(octokit: Octokit, where: RepositoryRef, number: number) {
  const place = { ...repoParams(where), pull_number: number, per_page: 100 };
  return newestPages((page) => octokit.rest.pulls.listReviews({ ...place, page }), 50);
}

function hasNext(link = ''): boolean {
  return link.includes('rel="next"');
}

/** Not everything was read, so nobody knows what else was said. */
export function tooMany(
  { repository, number }: { readonly repository: RepositoryRef; readonly number: number },
  what: 'comments' | 'reviews',
): Error {
  return new Error(
    `there are more ${what} on ${repository.owner}/${repository.name}#${number} than were read`,
  );
}

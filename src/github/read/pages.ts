import { timeIn } from '../octokit/date.ts';

/** A page of a list, as GitHub answers with it. */
interface Page<T> {
  readonly data: readonly T[];
  readonly headers: { readonly date?: string | undefined };
}

/** The results of at most so many pages: anyone may make a list long, and a sweep has to come to an end. */
export async function firstPages<T>(pages: AsyncIterable<Page<T>>, max: number): Promise<readonly T[]> {
  return (await readPages(pages, max)).found;
}

/** The same, with when GitHub answered first, ISO 8601; undefined if the list is not complete. */
export async function readPages<T>(
  pages: AsyncIterable<Page<T>>,
  max: number,
): Promise<{ readonly found: readonly T[]; readonly read_at: string | undefined }> {
  const found: T[] = [];
  let count = 0;
  let date: string | undefined;
  for await (const { data, headers } of pages) {
    found.push(...data);
    date ??= headers.date;
    count += 1;
    if (count >= max) return { found, read_at: undefined };
  }
  return { found, read_at: timeIn(date) };
}

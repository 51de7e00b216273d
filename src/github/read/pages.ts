/** The results of at most so many pages: anyone may make a list long, and a sweep has to come to an end. */
export async function firstPages<T>(
  pages: AsyncIterable<{ readonly data: readonly T[] }>,
  max: number,
): Promise<readonly T[]> {
  const found: T[] = [];
  let count = 0;
  for await (const { data } of pages) {
    found.push(...data);
    count += 1;
    if (count >= max) break;
  }
  return found;
}

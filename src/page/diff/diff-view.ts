/** What is shown of the changes of a run, and how: it is in the address of the page. */
export interface DiffView {
  /** Before and after side by side. */
  readonly split: boolean;
  /** Only what has changed since the end of this iteration; null: since the branch left its base. */
  readonly since: number | null;
  /** Only this file, with more of its lines; null: all of them. */
  readonly file: string | null;
}

/** Reads it from an address; whatever is not understood is as usual. */
export function viewIn(query: URLSearchParams | undefined): DiffView {
  const since = query?.get('since') ?? '';
  return {
    split: query?.get('diff') === 'split',
    since: /^\d{1,4}$/.test(since) ? Number(since) : null,
    file: query?.get('file') || null,
  };
}

/** As an address has it, such as `?diff=split&since=1`; empty for the usual one. */
export function queryOf({ split, since, file }: DiffView): string {
  const query = new URLSearchParams({
    ...(split && { diff: 'split' }),
    ...(since !== null && { since: `${since}` }),
    ...(file !== null && { file }),
  });
  return query.size === 0 ? '' : `?${query}`;
}

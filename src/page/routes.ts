/** What an address means. */
export type Place = { readonly at: 'overview' } | ThreadPlace;

/** An issue or a pull request. */
export interface ThreadPlace {
  readonly at: 'issues' | 'pull';
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

/** What may be done at a place by POST. */
const deeds = ['comment', 'label'] as const;

export type Deed = (typeof deeds)[number];

export interface Address {
  readonly place: Place;
  readonly deed: Deed | null;
}

const thread =
  /^\/(?<owner>[\w.-]+)\/(?<repo>[\w.-]+)\/(?<at>issues|pull)\/(?<number>[1-9]\d{0,9})(?:\/(?<deed>\w+))?$/;

/** Undefined when the path is none of the page's. */
export function addressOf(path: string): Address | undefined {
  if (path === '/') return { place: { at: 'overview' }, deed: null };
  const parts = thread.exec(path)?.groups;
  if (parts === undefined) return undefined;
  const { owner = '', repo = '', number = '' } = parts;
  const at = parts['at'] === 'pull' ? 'pull' : 'issues';
  const place = { at, owner, repo, number: Number(number) } as const;
  const deed = deeds.find((known) => known === parts['deed']);
  if (deed === undefined && parts['deed'] !== undefined) return undefined;
  return { place, deed: deed ?? null };
}

export function pathOf(place: Place, deed?: Deed): string {
  if (place.at === 'overview') return '/';
  const { owner, repo, at, number } = place;
  return [`/${owner}/${repo}/${at}/${number}`, ...(deed === undefined ? [] : [deed])].join('/');
}

import type { Endpoints } from '@octokit/types';
import type { Octokit } from '../../github/octokit/connect.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { createCache } from './cache.ts';

/** Reads GitHub in one person's name: the same thing once a second at most, at no charge while it stays. */
export interface Reader {
  get<R extends Readable>(
    route: R,
    parameters: Parameters<R>,
    options?: { readonly freshMs?: number },
  ): Promise<Answer<Data<R>>>;
  /** After something was written to a repository, it is read anew. */
  forget(where: { readonly owner: string; readonly repo: string }): void;
}

export type Readable = Extract<keyof Endpoints, `GET ${string}`>;
type Parameters<R extends Readable> = Endpoints[R]['parameters'];
type Data<R extends Readable> = Endpoints[R]['response']['data'];

export interface Answer<T> {
  readonly data: T;
  readonly etag: string | undefined;
  /** The number of the last page, for lists. */
  readonly pages: number;
}

const secondMs = 1000;
const maxEntries = 1000;

export function createReader(person: Octokit): Reader {
  const cache = createCache({ max: maxEntries });
  return {
    get(route, parameters, { freshMs = secondMs } = {}) {
      const key = `${repositoryIn(parameters)} ${route} ${JSON.stringify(parameters)}`;
      return cache.get(key, freshMs, (before) => read(person, { route, parameters }, before));
    },
    forget: (where) => cache.expire(`${repositoryIn(where)} `),
  };
}

interface Question<R extends Readable> {
  readonly route: R;
  readonly parameters: Parameters<R>;
}

/** A conditional request: GitHub does not count it when the answer is that nothing changed. */
async function read<R extends Readable>(
  person: Octokit,
  { route, parameters }: Question<R>,
  before: Answer<Data<R>> | undefined,
): Promise<Answer<Data<R>>> {
  const headers = before?.etag === undefined ? {} : { 'if-none-match': before.etag };
  try {
    const { data, headers: answered } = await person.request<Readable>(route, { ...parameters, headers });
    // The route names the type of its answer; `request` cannot see that through a type parameter.
    return { data: data as Data<R>, etag: answered.etag, pages: lastPage(answered.link) };
  } catch (fault) {
    if (before !== undefined && statusOf(fault) === 304) return before;
    throw fault;
  }
}

/** The HTTP status a request failed with; 0 when there was none. */
export function statusOf(fault: unknown): number {
  if (fault instanceof GitHubFault) return fault.status;
  const status = fault instanceof Error && 'status' in fault ? fault.status : 0;
  return typeof status === 'number' ? status : 0;
}

function lastPage(link: string | undefined): number {
  const last = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(link ?? '')?.[1];
  return last === undefined ? 1 : Number(last);
}

function repositoryIn(parameters: object): string {
  // Whatever has no repository, such as `GET /user`, has neither of the two.
  const { owner = '', repo = '' } = parameters as { owner?: string; repo?: string };
  return `${owner}/${repo}`.toLowerCase();
}

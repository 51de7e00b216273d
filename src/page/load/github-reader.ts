import type { Endpoints } from '@octokit/types';
import { LRUCache } from 'lru-cache';
import type { Octokit } from '../../github/octokit/connect.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { lastPageIn } from '../../github/read/pagination.ts';
import { isOutage, messageOf } from '../../repository/faults.ts';

/** Reads GitHub as one person: not more often than it was told to, and at no cost if nothing changed. */
export interface GitHubReader {
  get<R extends ReadRoute>(route: R, parameters: Parameters<R>): Promise<ApiResponse<Data<R>>>;
  /** Forgets a repository after a write to it, so that it is read again. */
  invalidate(repository: { readonly owner: string; readonly repo: string }): void;
  /** Of when the oldest answer is that was given because GitHub could not be reached, ISO 8601. */
  readonly as_of: string | undefined;
}

type ReadRoute = Extract<keyof Endpoints, `GET ${string}`>;
type Parameters<R extends ReadRoute> = Endpoints[R]['parameters'];
type Data<R extends ReadRoute> = Endpoints[R]['response']['data'];

interface ApiResponse<T> {
  readonly data: T;
  readonly etag: string | undefined;
  /** How many pages a list has. */
  readonly pages: number;
  /** When GitHub gave it or said that it had not changed, in milliseconds since 1970. */
  readonly at: number;
  /** How long it is as JSON. */
  readonly length: number;
}

/** Of all people together: whoever comments may make an answer megabytes long, and read it by many names. */
const maxKept = { entries: 20_000, characters: 50_000_000 };

/** Where the answers of all readers are kept. */
export function createAnswers(): Cache {
  return new Cache({ max: maxKept.entries, maxSize: maxKept.characters });
}

export interface GitHubReaderOptions {
  readonly answers: Cache;
  /** Tells the answers of one person from those of others; has no blanks. */
  readonly whose: string;
  /** GitHub is not asked again about what it said so short a time ago. */
  readonly maxAgeMs?: number;
}

/** How long GitHub's last answer counts while it cannot be reached, in milliseconds. */
const maxOutageMs = 5 * 60_000;

export function createGitHubReader(
  person: Octokit,
  { answers, whose, maxAgeMs = 1000 }: GitHubReaderOptions,
): GitHubReader {
  /** When the oldest answer was given that stands for one that failed. */
  let oldest: number | undefined;
  return {
    async get(route, parameters) {
      const key = `${whose} ${repositoryIn(parameters)} ${route} ${JSON.stringify(parameters)}`;
      const load = (previous: ApiResponse<Data<typeof route>> | undefined) =>
        request(person, { route, parameters }, previous).then(
          (answer) => {
            oldest = undefined;
            return answer;
          },
          (fault: unknown) => {
            if (previous === undefined || !isOutage(fault) || Date.now() - previous.at > maxOutageMs)
              throw fault;
            oldest = Math.min(oldest ?? previous.at, previous.at);
            return previous;
          },
        );
      return answers.get(key, maxAgeMs, load, ({ length }) => length);
    },
    invalidate: (repository) => answers.expire(`${whose} ${repositoryIn(repository)} `),
    get as_of() {
      return oldest === undefined ? undefined : new Date(oldest).toISOString();
    },
  };
}

/** A conditional request: GitHub does not count a 304 against the rate limit. */
async function request<R extends ReadRoute>(
  person: Octokit,
  { route, parameters }: { readonly route: R; readonly parameters: Parameters<R> },
  previous: ApiResponse<Data<R>> | undefined,
): Promise<ApiResponse<Data<R>>> {
  const conditions = previous?.etag === undefined ? {} : { 'if-none-match': previous.etag };
  const at = Date.now();
  try {
    const { data, headers } = await person.request<ReadRoute>(route, { ...parameters, headers: conditions });
    // The route names the type of its answer; `request` cannot see that through a type parameter.
    const { length } = JSON.stringify(data);
    return { data: data as Data<R>, etag: headers.etag, pages: lastPageIn(headers.link), at, length };
  } catch (fault) {
    if (previous !== undefined && statusOf(fault) === 304) return { ...previous, at };
    throw fault;
  }
}

/** The HTTP status a request failed with; 0 when there was none. */
export function statusOf(fault: unknown): number {
  if (fault instanceof GitHubFault) return fault.status;
  const status = fault instanceof Error && 'status' in fault ? fault.status : 0;
  return typeof status === 'number' ? status : 0;
}

function repositoryIn(parameters: object): string {
  // A route without a repository, such as `GET /user`, has neither parameter.
  const { owner = '', repo = '' } = parameters as { owner?: string; repo?: string };
  return `${owner}/${repo}`.toLowerCase();
}

interface Entry {
  readonly at: number;
  readonly value: Promise<unknown>;
  /** The last value that was loaded successfully. */
  readonly previous: unknown;
  readonly size: number;
}

interface Stored extends Pick<Entry, 'value' | 'size'> {
  readonly loaded: unknown;
}

interface CacheOptions {
  readonly max: number;
  readonly maxSize?: number;
  readonly now?: () => number;
}

/** Failures are cached too, so that a failing request is not repeated all the time. */
const failureMaxAgeMs = 3000;

/** Caches values that are costly to load; concurrent requests for the same key share one load. */
export class Cache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #failed = new WeakSet<Promise<unknown>>();
  readonly #now: () => number;

  /** `maxSize`: of all values together, as `get` is told theirs. */
  constructor({ max, maxSize = Number.MAX_SAFE_INTEGER, now = () => performance.now() }: CacheOptions) {
    this.#entries = new LRUCache({ max, maxSize, sizeCalculation: ({ size }) => size });
    this.#now = now;
  }

  /** The cached value if it is younger than `maxAgeMs`, else what `load` returns. */
  get<T>(
    key: string,
    maxAgeMs: number,
    load: (previous: T | undefined) => Promise<T>,
    sizeOf: (value: T) => number = () => 1,
  ): Promise<T> {
    const entry = this.#entries.get(key);
    // Each key is used with one type only: it names what is loaded.
    if (entry !== undefined && this.#isFresh(entry, maxAgeMs)) return entry.value as Promise<T>;
    const previous = entry?.previous as T | undefined;
    const value = load(previous);
    this.#entries.set(key, { at: this.#now(), value, previous, size: entry?.size ?? 1 });
    value.then(
      (loaded) => this.#store(key, { value, loaded, size: Math.max(1, sizeOf(loaded)) }),
      () => this.#failed.add(value),
    );
    return value;
  }

  /** Keys with this prefix are loaded again the next time; `load` still receives the previous value. */
  expire(prefix: string): void {
    for (const [key, entry] of [...this.#entries.entries()]) {
      if (key.startsWith(prefix)) this.#entries.set(key, { ...entry, at: Number.NEGATIVE_INFINITY });
    }
  }

  #isFresh({ at, value }: Entry, maxAgeMs: number): boolean {
    return this.#now() - at < (this.#failed.has(value) ? failureMaxAgeMs : maxAgeMs);
  }

  #store(key: string, { value, loaded, size }: Stored): void {
    if (this.#entries.peek(key)?.value !== value) return;
    this.#entries.set(key, { at: this.#now(), value, previous: loaded, size });
  }
}

/** A value, or why it could not be loaded, so that a missing value is never shown as an empty one. */
export type Loaded<T> = { readonly value: T } | { readonly missing: string };

/** How long a page waits for one of its parts; the next refresh shows what arrives later. */
const timeoutMs = 2500;

/**
 * `what` begins the sentence that says it is not available (`The diff`); `absent` says that there is none.
 */
export async function loaded<T>(
  what: string,
  work: Promise<T | undefined>,
  absent = `${what} isn't available right now.`,
): Promise<Loaded<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Loaded<T>>((resolve) => {
    timer = setTimeout(() => resolve({ missing: `${what} is still loading.` }), timeoutMs);
  });
  const result = work.then(
    (value): Loaded<T> => (value === undefined ? { missing: absent } : { value }),
    (fault: unknown): Loaded<T> => ({ missing: `${what} isn't available right now: ${messageOf(fault)}.` }),
  );
  const first = await Promise.race([result, late]);
  clearTimeout(timer);
  return first;
}

import type { Endpoints } from '@octokit/types';
import { LRUCache } from 'lru-cache';
import type { Octokit } from '../../github/octokit/connect.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { ownRole } from '../../github/read/roles.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Account, Person, Role } from '../../steering/shapes/people.ts';

/** Reads GitHub as one person: at most once a second, and at no cost to the rate limit if nothing changed. */
export interface GitHubReader {
  get<R extends ReadRoute>(
    route: R,
    parameters: Parameters<R>,
    options?: { readonly maxAgeMs?: number },
  ): Promise<ApiResponse<Data<R>>>;
  /** Forgets a repository after a write to it, so that it is read again. */
  invalidate(repository: { readonly owner: string; readonly repo: string }): void;
}

export type ReadRoute = Extract<keyof Endpoints, `GET ${string}`>;
type Parameters<R extends ReadRoute> = Endpoints[R]['parameters'];
type Data<R extends ReadRoute> = Endpoints[R]['response']['data'];

interface ApiResponse<T> {
  readonly data: T;
  readonly etag: string | undefined;
  /** How many pages a list has. */
  readonly pages: number;
}

const defaultMaxAgeMs = 1000;
const maxEntries = 1000;

export function createGitHubReader(person: Octokit): GitHubReader {
  const cache = new Cache({ max: maxEntries });
  return {
    get(route, parameters, { maxAgeMs = defaultMaxAgeMs } = {}) {
      const key = `${repositoryIn(parameters)} ${route} ${JSON.stringify(parameters)}`;
      return cache.get(key, maxAgeMs, (previous) => request(person, { route, parameters }, previous));
    },
    invalidate: (repository) => cache.expire(`${repositoryIn(repository)} `),
  };
}

/** A conditional request: GitHub does not count a 304 against the rate limit. */
async function request<R extends ReadRoute>(
  person: Octokit,
  { route, parameters }: { readonly route: R; readonly parameters: Parameters<R> },
  previous: ApiResponse<Data<R>> | undefined,
): Promise<ApiResponse<Data<R>>> {
  const conditions = previous?.etag === undefined ? {} : { 'if-none-match': previous.etag };
  try {
    const { data, headers } = await person.request<ReadRoute>(route, { ...parameters, headers: conditions });
    // The route names the type of its answer; `request` cannot see that through a type parameter.
    return { data: data as Data<R>, etag: headers.etag, pages: pageCount(headers.link) };
  } catch (fault) {
    if (previous !== undefined && statusOf(fault) === 304) return previous;
    throw fault;
  }
}

/** The HTTP status a request failed with; 0 when there was none. */
export function statusOf(fault: unknown): number {
  if (fault instanceof GitHubFault) return fault.status;
  const status = fault instanceof Error && 'status' in fault ? fault.status : 0;
  return typeof status === 'number' ? status : 0;
}

function pageCount(link: string | undefined): number {
  const last = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(link ?? '')?.[1];
  return last === undefined ? 1 : Number(last);
}

function repositoryIn(parameters: object): string {
  // A route without a repository, such as `GET /user`, has neither parameter.
  const { owner = '', repo = '' } = parameters as { owner?: string; repo?: string };
  return `${owner}/${repo}`.toLowerCase();
}

/** The person whose account the page reads and comments with. */
export interface Viewer {
  /** Null if GitHub does not say. */
  readonly account: Account | null;
  /** In the repository that is shown; null if GitHub does not say. */
  readonly role: Role | null;
}

interface NamedRepository {
  readonly owner: string;
  readonly repo: string;
}

const maxAgeMs = 60_000;

export async function loadAccount(reader: GitHubReader): Promise<Account | null> {
  const account = await loaded(
    'Your name',
    reader.get('GET /user', {}, { maxAgeMs }).then(({ data: { login, id } }) => ({ login, id })),
  );
  return 'value' in account ? account.value : null;
}

export async function loadViewer(reader: GitHubReader, repository: NamedRepository): Promise<Viewer> {
  const [account, role] = await Promise.all([
    loadAccount(reader),
    loaded('Your role', loadRole(reader, repository)),
  ]);
  return { account, role: 'value' in role ? role.value : null };
}

/** GitHub reports it with a repository, also to people who may not look up anybody's role. */
async function loadRole(reader: GitHubReader, { owner, repo }: NamedRepository): Promise<Role | undefined> {
  const { data } = await reader.get('GET /repos/{owner}/{repo}', { owner, repo }, { maxAgeMs });
  return data.permissions && ownRole(data.permissions);
}

/** The viewer as the author of a command; where GitHub does not say the role, with the strongest. */
export function personOf({ account, role }: Viewer): Person {
  return { login: account?.login ?? '', id: account?.id ?? 0, role: role ?? 'admin', bot: false };
}

interface Entry {
  readonly at: number;
  readonly value: Promise<unknown>;
  /** The last value that was loaded successfully. */
  readonly previous: unknown;
}

/** Failures are cached too, so that a failing request is not repeated all the time. */
const failureMaxAgeMs = 3000;

/** Caches values that are costly to load; concurrent requests for the same key share one load. */
export class Cache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #failed = new WeakSet<Promise<unknown>>();
  readonly #now: () => number;

  constructor({ max, now = Date.now }: { max: number; now?: () => number }) {
    this.#entries = new LRUCache({ max });
    this.#now = now;
  }

  /** The cached value if it is younger than `maxAgeMs`, else what `load` returns. */
  get<T>(key: string, maxAgeMs: number, load: (previous: T | undefined) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key);
    // Each key is used with one type only: it names what is loaded.
    if (entry !== undefined && this.#isFresh(entry, maxAgeMs)) return entry.value as Promise<T>;
    const previous = entry?.previous as T | undefined;
    const value = load(previous);
    this.#entries.set(key, { at: this.#now(), value, previous });
    value.then(
      (loaded) => this.#store(key, value, loaded),
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

  #store(key: string, value: Promise<unknown>, loaded: unknown): void {
    if (this.#entries.peek(key)?.value !== value) return;
    this.#entries.set(key, { at: this.#now(), value, previous: loaded });
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

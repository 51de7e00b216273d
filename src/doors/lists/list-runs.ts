import { type Caller, type Identity, isRefusal } from '../callers/identity.ts';
import type { Readable, VisibleRepositories } from '../callers/visible-repositories.ts';
import type { RunSummary } from '../report/report-shapes.ts';
import { pageOf } from './paging.ts';
import type { Listed } from './run-index.ts';

interface ListQuery<T> {
  /** Leaves out what the caller may read and does not want; all by default. */
  readonly accepts?: (listed: Listed<T>, readable: Readable) => boolean;
  /** Lists only runs of this repository, which the caller may read. */
  readonly only?: Readable | undefined;
  /** How many at most. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

/** A page of a list. */
export interface ListPage<T> {
  readonly runs: readonly Listed<T>[];
  /** How many there are on all pages; null where GitHub would have to be asked about each of them. */
  readonly total: number | null;
  /** Where the next page begins; null if this is the last. */
  readonly next: string | null;
  /** When GitHub said what the caller may read, ISO 8601. */
  readonly access_as_of: string;
  /** Where to let the single sign-on of an organization admit the token, whose runs are left out. */
  readonly blocked_by_sso: readonly string[];
}

/** The runs of a sorted list that the caller may read, each with the current name of its repository. */
export async function listRuns<T extends RunSummary>(
  identity: Identity,
  caller: Caller,
  sorted: readonly Listed<T>[],
  { only, limit, cursor, accepts = () => true }: ListQuery<T>,
): Promise<ListPage<T>> {
  const visible = only === undefined ? await identity.lists.of(caller) : justOne(only);
  const { byId, complete, as_of } = visible;
  const blocked = new Set(visible.blocked_by_sso);
  const wanted = complete ? sorted.filter((listed) => isWanted(listed, byId, accepts)) : sorted;
  const { entries, next } = await pageOf(wanted, {
    ...{ limit, cursor },
    cost: (candidates) =>
      distinct(candidates.filter(({ repository_id }) => !byId.has(repository_id))).filter(
        ({ owner, repo }) => !identity.isKnown(caller, owner, repo),
      ).length,
    show: (candidates) =>
      Promise.all(
        candidates.map(async (listed) => {
          const known = byId.get(listed.repository_id);
          const readable = known ?? (await unlessRefused(identity, caller, listed, blocked));
          return readable && accepts(listed, readable) ? withName(listed, readable) : undefined;
        }),
      ),
  });
  const total = complete ? wanted.length : null;
  return { runs: entries, next, total, access_as_of: as_of, blocked_by_sso: [...blocked] };
}

function isWanted<T>(
  listed: Listed<T>,
  byId: VisibleRepositories['byId'],
  accepts: NonNullable<ListQuery<T>['accepts']>,
): boolean {
  const readable = byId.get(listed.repository_id);
  return readable !== undefined && accepts(listed, readable);
}

function justOne(readable: Readable) {
  const byId: ReadonlyMap<number, Readable> = new Map([[readable.repository.id, readable]]);
  return { byId, complete: true, as_of: new Date().toISOString(), blocked_by_sso: [] };
}

/**
 * What is not on the list of the caller is asked about, such as what is only public. Undefined where they may
 * not read it; `blocked` gets the link if that is for want of a single sign-on.
 */
async function unlessRefused(
  identity: Identity,
  caller: Caller,
  { repository_id, owner, repo }: Listed<unknown>,
  blocked: Set<string>,
): Promise<Readable | undefined> {
  try {
    const readable = await identity.readable(caller, owner, repo);
    return readable.repository.id === repository_id ? readable : undefined;
  } catch (fault) {
    if (!isRefusal(fault)) throw fault;
    if (fault.link !== undefined) blocked.add(fault.link);
    return undefined;
  }
}

function withName<T extends RunSummary>(listed: Listed<T>, { repository }: Readable): Listed<T> {
  const { owner, name: repo } = repository;
  const entry = { ...listed.entry, run: `${owner}/${repo}#${listed.number}` };
  return { ...listed, owner, repo, entry };
}

function distinct<T>(listed: readonly Listed<T>[]): readonly Listed<T>[] {
  return [...new Map(listed.map((each) => [each.repository_id, each])).values()];
}

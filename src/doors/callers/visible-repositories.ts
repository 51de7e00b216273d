import { LRUCache } from 'lru-cache';
import type { Repository as GitHubRepository } from '../../github/events/github-event.ts';
import type { Octokit } from '../../github/octokit/connect.ts';
import { GitHubFault, unless } from '../../github/octokit/fault.ts';
import { ssoLinkIn } from '../../github/octokit/request-hooks.ts';
import { firstPages, lastPageIn } from '../../github/read/pagination.ts';
import { repositoryOf } from '../../github/read/repository-ref.ts';
import { ownRole } from '../../github/read/roles.ts';
import { isOutage } from '../../repository/faults.ts';
import type { Role } from '../../steering/shapes/people.ts';

/** A token that somebody has presented. */
export interface Token {
  /** Speaks with it. */
  readonly octokit: Octokit;
  /** Names it without telling it. */
  readonly digest: string;
}

/** A repository that somebody may read. */
export interface Readable {
  /** The repository by its current names, which need not be those that were asked for. */
  readonly repository: GitHubRepository;
  /** What they may do there. */
  readonly role: Role;
}

/** The repositories whose runs a list shows to somebody, as GitHub lists them for a token. */
export interface VisibleRepositories {
  /** By their ids, which stay when a repository is renamed. */
  readonly byId: ReadonlyMap<number, Readable>;
  /** By their current names, as `owner/name` in lower case. */
  readonly byName: ReadonlyMap<string, Readable>;
  /** False where the token may read others too, which have to be asked about one by one. */
  readonly complete: boolean;
  /** When GitHub said so, ISO 8601. */
  readonly as_of: string;
  /** Where to let the single sign-on of an organization admit the token, whose repositories are left out. */
  readonly blocked_by_sso: readonly string[];
}

/** For how long GitHub is not asked again, in milliseconds, and longer where that takes many pages. */
const freshMs = 45_000;

/** Thus a long list takes 1,200 of the 5,000 requests that GitHub grants a person in an hour. */
const freshMsPerPage = 3000;

/** For how much longer its answer counts, in milliseconds, while it is asked and nobody waits for that. */
const usableMs = 15_000;

/** For how much longer it counts while GitHub cannot be reached, in milliseconds. */
const inOutageMs = 4 * 60_000;

/** How long GitHub is not asked again after it could not be reached, in milliseconds. */
const quietMs = 5000;

/** A list that takes longer is read beside another one, in milliseconds. */
const readingMs = 60_000;

/** Of all people together: one repository takes half a kilobyte. */
const maxRepositories = 200_000;

interface Known {
  /** Until when GitHub is not asked again. */
  readonly freshUntil: number;
  readonly visible: VisibleRepositories;
}

/** Asks GitHub for all repositories that somebody sees, and not for each. */
export class RepositoryLists {
  readonly #now: () => number;
  readonly #known = new LRUCache<string, Known>({
    ...{ max: 1000, maxSize: maxRepositories },
    sizeCalculation: ({ visible }) => visible.byId.size + 1,
  });
  /** What is being read, and what could not be read just now. */
  readonly #reading: LRUCache<string, Promise<VisibleRepositories>>;

  /** `now`: milliseconds since 1970, by a clock that is never set back, or old answers would count again. */
  constructor(now: () => number = () => performance.timeOrigin + performance.now()) {
    this.#now = now;
    this.#reading = new LRUCache({ max: 1000, perf: { now }, ttlResolution: 0 });
  }

  /**
   * What the person sees whose token it is, as GitHub said at most a minute ago; whoever sees more than 1,500
   * repositories waits longer for news. While GitHub cannot be reached, what it has said last, which `as_of`
   * tells; throws its fault where that is four minutes older.
   */
  async of(token: Token): Promise<VisibleRepositories> {
    const known = this.#known.get(token.digest);
    if (known === undefined) return this.#read(token);
    if (this.#now() < known.freshUntil) return known.visible;
    const reading = this.#read(token);
    if (!this.#counts(known, usableMs)) return reading.catch((fault) => this.#inOutage(token, fault));
    // Whoever looks again and again never waits; a refusal is thrown the next time.
    reading.catch(() => undefined);
    return known.visible;
  }

  /** A repository by its current name; undefined where it is not listed, or no list was read lately. */
  named(token: Token, owner: string, repo: string): Readable | undefined {
    return this.#namedIn(token, `${owner}/${repo}`, usableMs);
  }

  /** The same while GitHub cannot be reached. */
  lastNamed(token: Token, owner: string, repo: string): Readable | undefined {
    return this.#namedIn(token, `${owner}/${repo}`, usableMs + inOutageMs);
  }

  #namedIn({ digest }: Token, name: string, longerMs: number): Readable | undefined {
    const known = this.#known.get(digest);
    if (known === undefined || !this.#counts(known, longerMs)) return undefined;
    return known.visible.byName.get(name.toLowerCase());
  }

  #counts({ freshUntil }: Known, longerMs: number): boolean {
    return this.#now() < freshUntil + longerMs;
  }

  #inOutage({ digest }: Token, fault: unknown): VisibleRepositories {
    const last = this.#known.get(digest);
    if (last === undefined || !this.#counts(last, usableMs + inOutageMs) || !isOutage(fault)) throw fault;
    return last.visible;
  }

  #read({ digest, octokit }: Token): Promise<VisibleRepositories> {
    const known = this.#reading.get(digest);
    if (known !== undefined) return known;
    const at = this.#now();
    const reading = readRepositories(octokit, new Date(at).toISOString()).then(({ visible, pages }) => {
      const freshUntil = at + Math.max(freshMs, pages * freshMsPerPage);
      this.#known.set(digest, { freshUntil, visible });
      return visible;
    });
    this.#reading.set(digest, reading, { ttl: readingMs });
    reading.then(
      () => this.#reading.delete(digest),
      (fault: unknown) => {
        if (isOutage(fault)) return this.#reading.set(digest, reading, { ttl: quietMs });
        // A token that was refused counts for nothing from now on.
        this.#known.delete(digest);
        return this.#reading.delete(digest);
      },
    );
    return reading;
  }
}

const perPage = 100;

/** GitHub is asked for so many pages at most for one person, and so many at once. */
const maxPages = 100;
const atOnce = 4;

/** Of somebody's own repositories, beside which others are asked about one by one. */
const maxOwnPages = 10;

/** Where the App is installed, if the token is one of an App, or else what its person has to do with. */
async function readRepositories(
  octokit: Octokit,
  as_of: string,
): Promise<{ readonly visible: VisibleRepositories; readonly pages: number }> {
  const installed = await installationsOf(octokit);
  const lists = installed ?? [(page: number) => ownRepositories(octokit, page)];
  const max = installed === undefined ? maxOwnPages : maxPages;
  const { pages, complete } = await readPages(lists, max);
  const all = pages.flatMap(({ repositories }) => repositories);
  const visible = {
    byId: new Map(all.map((each) => [each.repository.id, each])),
    byName: new Map(all.map((each) => [nameOf(each), each])),
    complete: installed !== undefined && complete,
    as_of,
    blocked_by_sso: await ssoLinksFor(octokit, pages),
  };
  return { visible, pages: pages.length };
}

function nameOf({ repository: { owner, name } }: Readable): string {
  return `${owner}/${name}`.toLowerCase();
}

interface Page {
  readonly repositories: readonly Readable[];
  /** The number of the last page. */
  readonly last: number;
  /** The page where the single sign-on is done that it was refused for. */
  readonly link?: string | undefined;
  /** The ids of the organizations that were left out for want of one. */
  readonly organizations?: readonly number[];
}

type ReadPage = (page: number) => Promise<Page>;

/** The lists of those that the person sees; undefined for a token that is not of an App. */
async function installationsOf(octokit: Octokit): Promise<readonly ReadPage[] | undefined> {
  const { listInstallationsForAuthenticatedUser } = octokit.rest.apps;
  const pages = octokit.paginate.iterator(listInstallationsForAuthenticatedUser, { per_page: perPage });
  // GitHub's words are "You must authenticate with an access token authorized to a GitHub App".
  const found = await unless(firstPages(pages, maxPages), 403, 404);
  return found
    ?.filter(({ suspended_at }) => suspended_at === null)
    .map(
      ({ id }) =>
        (page: number) =>
          repositoriesIn(octokit, id, page),
    );
}

function repositoriesIn(octokit: Octokit, installation_id: number, page: number): Promise<Page> {
  const { listInstallationReposForAuthenticatedUser } = octokit.rest.apps;
  return listInstallationReposForAuthenticatedUser({ installation_id, per_page: perPage, page }).then(
    ({ data, headers }) => pageFrom(data.repositories, headers),
    emptyIfRefused,
  );
}

/** Those with the newest pushes come first, for that is where work goes on. */
function ownRepositories(octokit: Octokit, page: number): Promise<Page> {
  const { listForAuthenticatedUser } = octokit.rest.repos;
  return listForAuthenticatedUser({ sort: 'pushed', per_page: perPage, page }).then(
    ({ data, headers }) => pageFrom(data, headers),
    emptyIfRefused,
  );
}

type ListedRepository = Parameters<typeof repositoryOf>[0] & {
  readonly permissions?: Parameters<typeof ownRole>[0] | undefined;
};

function pageFrom(listed: readonly ListedRepository[], headers: Answered['headers']): Page {
  const [, ids] =
    /partial-results; *organizations=([\d,]+)/.exec(String(headers['x-github-sso'] ?? '')) ?? [];
  return {
    repositories: listed.map((data) => ({
      repository: repositoryOf(data),
      role: ownRole(data.permissions ?? { pull: true }),
    })),
    last: lastPageIn(headers.link),
    organizations: ids?.split(',').map(Number) ?? [],
  };
}

type Answered = Awaited<ReturnType<Octokit['request']>>;

/** The App may have been uninstalled meanwhile; a token may be refused by an organization alone. */
function emptyIfRefused(fault: unknown): Page {
  if (!(fault instanceof GitHubFault) || (fault.status !== 403 && fault.status !== 404)) throw fault;
  return { repositories: [], last: 1, link: ssoLinkIn(fault) };
}

/** All pages of some lists, and whether they are all: the first of each says how many there are. */
async function readPages(
  lists: readonly ReadPage[],
  max: number,
): Promise<{ readonly pages: readonly Page[]; readonly complete: boolean }> {
  const asked = lists.slice(0, max);
  const first = await aFewAtOnce(asked, (read) => read(1));
  const further = asked.flatMap((read, nth) => {
    const count = (first[nth]?.last ?? 1) - 1;
    return Array.from({ length: count }, (_, index) => () => read(index + 2));
  });
  const within = further.slice(0, max - asked.length);
  const rest = await aFewAtOnce(within, (read) => read());
  const complete = asked.length === lists.length && within.length === further.length;
  return { pages: [...first, ...rest], complete };
}

/** The answers to all questions in their order; the first fault is thrown. */
async function aFewAtOnce<T, R>(all: readonly T[], ask: (each: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  const rest = all.entries();
  const work = async () => {
    // All workers take from the same iterator, so each is asked once.
    for (const [nth, each] of rest) answers[nth] = await ask(each);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

/** More organizations than these are named by their own refusals. */
const maxOrganizations = 10;

/** GitHub gives only the ids of organizations that it leaves out of a list. */
async function ssoLinksFor(octokit: Octokit, pages: readonly Page[]): Promise<readonly string[]> {
  const links = pages.flatMap(({ link }) => link ?? []);
  const ids = [...new Set(pages.flatMap(({ organizations = [] }) => organizations))];
  const named = await aFewAtOnce(ids.slice(0, maxOrganizations), async (account_id) => {
    const found = await unless(octokit.rest.users.getById({ account_id }), 403, 404);
    if (found === undefined) return [];
    const { login, html_url } = found.data;
    return [`${new URL(html_url).origin}/orgs/${login}/sso`];
  });
  return [...new Set([...links, ...named.flat()])];
}

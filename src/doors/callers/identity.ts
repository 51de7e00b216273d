import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { connect, type Octokit } from '../../github/octokit/connect.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { impatient } from '../../github/octokit/rate-limiter.ts';
import { accountOf, repositoryOf } from '../../github/read/repository-ref.ts';
import { ownRole } from '../../github/read/roles.ts';
import type { Account, Person } from '../../steering/shapes/people.ts';
import { later, Problem, problemFrom } from '../problem.ts';
import { type Readable, RepositoryLists, type Token } from './visible-repositories.ts';

/** Whoever sent a request, for whom nothing is done but with their own token. */
export interface Caller extends Account, Token {}

/** How long GitHub's answers count, in milliseconds. */
const ttl = 60_000;

/** Anybody may present tokens. So many that are not known are asked about at once. */
const maxAsking = 20;

/** Asks GitHub who has a token and what it may read, at most once a minute each. */
export class Identity {
  readonly #baseUrl: string;
  readonly #accounts = new LRUCache<string, Account, Octokit>({
    ...{ max: 1000, ttl },
    fetchMethod: (digest, _stale, { context }) => this.#ask(digest, context),
  });
  /** Apart from the others, so that however many there are, nobody else is forgotten for them. */
  readonly #refused = new LRUCache<string, Problem>({ max: 1000, ttl });
  #asking = 0;
  readonly #repositories = new LRUCache<string, Readable | Problem, Asked>({
    ...{ max: 20_000, ttl },
    fetchMethod: (_key, _stale, { context }) => unlessRefused(readableWith(context)),
  });
  /** What each caller sees in lists. */
  readonly lists: RepositoryLists;

  constructor(baseUrl: string, lists = new RepositoryLists()) {
    this.#baseUrl = baseUrl;
    this.lists = lists;
  }

  /**
   * Throws what to answer where GitHub knows nobody by the token, or a bot. `known`: whose it is, where
   * GitHub has said so when it gave the token, and need not be asked.
   */
  async callerOf(token: string, known?: Account): Promise<Caller> {
    // Installations have such tokens.
    if (token.startsWith('ghs_')) throw noPerson();
    const octokit = connect({
      ...{ token, baseUrl: this.#baseUrl, pace: impatient() },
      ...{ timeoutMs: 10_000, retryUnitMs: 100 },
    });
    const digest = digestOf(token);
    const { login, id } = known ?? (await this.#accounts.forceFetch(digest, { context: octokit }));
    return { login, id, octokit, digest };
  }

  async #ask(digest: string, octokit: Octokit): Promise<Account> {
    const known = this.#refused.get(digest);
    if (known !== undefined) throw known;
    if (this.#asking >= maxAsking)
      throw new Problem(503, 'Too many tokens are being asked about: ask again in a moment.', later(5));
    this.#asking += 1;
    const account = await unlessRefused(accountWith(octokit)).finally(() => {
      this.#asking -= 1;
    });
    if (!(account instanceof Problem)) return account;
    this.#refused.set(digest, account);
    throw account;
  }

  /** Throws what to answer where the token may not read it. */
  async readable(caller: Caller, owner: string, repo: string): Promise<Readable> {
    // Most are on a list that was read a moment ago; a former name, or one that is only public, is on none.
    const listed = this.lists.named(caller, owner, repo);
    if (listed !== undefined) return listed;
    return this.#readableNow(caller, owner, repo).catch((fault: unknown) => {
      const last = isRefusal(fault) ? undefined : this.lists.lastNamed(caller, owner, repo);
      if (last === undefined) throw fault;
      return last;
    });
  }

  async #readableNow(caller: Caller, owner: string, repo: string): Promise<Readable> {
    const key = keyOf(caller, owner, repo);
    const asked = { octokit: caller.octokit, owner, repo };
    const found = await this.#repositories.forceFetch(key, { context: asked });
    if (found instanceof Problem) throw found;
    return found;
  }

  /** Asks GitHub anew; throws if it does not say. Another repository may have its name by now. */
  async mayStillRead(caller: Caller, { repository: { id, owner, name } }: Readable): Promise<boolean> {
    this.#repositories.delete(keyOf(caller, owner, name));
    try {
      return (await this.#readableNow(caller, owner, name)).repository.id === id;
    } catch (fault) {
      if (isRefusal(fault)) return false;
      throw fault;
    }
  }

  /** Whether `readable` answers without asking GitHub. */
  isKnown(caller: Caller, owner: string, repo: string): boolean {
    return this.#repositories.has(keyOf(caller, owner, repo));
  }
}

/** Who a caller is in a repository that they may read, as the author of what they say there. */
export function personIn({ login, id }: Caller, { role }: Pick<Readable, 'role'>): Person {
  return { login, id, role, bot: false };
}

/** Names a token without telling it. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function keyOf({ digest }: Caller, owner: string, repo: string): string {
  return `${digest} ${owner}/${repo}`.toLowerCase();
}

interface Asked {
  readonly octokit: Octokit;
  readonly owner: string;
  readonly repo: string;
}

async function accountWith(octokit: Octokit): Promise<Account> {
  const { data } = await octokit.rest.users.getAuthenticated().catch((fault: unknown) => {
    // GitHub knows no user who would have such a token.
    throw fault instanceof GitHubFault && fault.status === 403 && isForApps(fault) ? noPerson() : fault;
  });
  const { login, id, bot } = accountOf(data);
  if (bot) throw noPerson();
  return { login, id };
}

function isForApps({ reason }: GitHubFault): boolean {
  return /not accessible by integration/i.test(reason);
}

function noPerson(): Problem {
  return new Problem(
    403,
    'This token belongs to a bot or an App: expected one of a person, for Coxswain acts only on what people say.',
  );
}

/** Follows a repository that was renamed, so that its current name is known. */
async function readableWith({ octokit, owner, repo }: Asked): Promise<Readable> {
  const { data } = await octokit.rest.repos.get({ owner, repo });
  return { repository: repositoryOf(data), role: ownRole(data.permissions ?? { pull: true }) };
}

/** A refusal counts as long as an answer; what fails is asked again the next time. */
async function unlessRefused<T>(asking: Promise<T>): Promise<T | Problem> {
  try {
    return await asking;
  } catch (fault) {
    const problem = problemFrom(fault);
    if (isRefusal(problem)) return problem;
    throw problem;
  }
}

/** Whether GitHub has said no, and has not only failed to answer. */
export function isRefusal(fault: unknown): fault is Problem {
  return fault instanceof Problem && fault.status < 429;
}

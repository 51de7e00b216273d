import { LRUCache } from 'lru-cache';
import { type Caller, digestOf, type Identity } from '../../doors/callers/identity.ts';
import { Postings } from '../forms/offers.ts';
import { createAnswers, createGitHubReader, type GitHubReader, statusOf } from '../load/github-reader.ts';
import type { Admitted } from './entrance.ts';

/** Someone who looks at the page; everything is read and said for them with their own token. */
export interface Visitor {
  readonly caller: Caller;
  readonly reader: GitHubReader;
  /** What they have said here and Coxswain has not been heard to take up. */
  readonly postings: Postings;
  /** Whether GitHub has refused the token, which was revoked or has expired. */
  readonly isRefused: boolean;
}

/** So many people are looked after at once; whoever comes back after others is read for anew. */
const max = 500;

/**
 * How old what a page shows of GitHub may be, in milliseconds: pages read themselves again every second, and
 * a person may have several of them. What is recorded of a run is always the newest.
 */
const [aloneMs, amongOthersMs] = [1000, 5000];

/** Those who look at the page. */
export class Visitors {
  readonly #identity: Identity;
  readonly #known = new LRUCache<string, Visitor>({ max });
  readonly #answers = createAnswers();

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** Throws a `Problem` where GitHub does not say who it is. */
  async of({ token, account }: Admitted): Promise<Visitor> {
    const digest = digestOf(token);
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const caller = await this.#identity.callerOf(token, account);
    // GitHub is asked about it again if it is presented once more.
    const maxAgeMs = account === undefined ? aloneMs : amongOthersMs;
    const reader = createGitHubReader(caller.octokit, { answers: this.#answers, whose: digest, maxAgeMs });
    const visitor = visitorOf(caller, reader, () => this.#known.delete(digest));
    this.#known.set(digest, visitor);
    return visitor;
  }
}

function visitorOf(caller: Caller, reader: GitHubReader, onRefused: () => void): Visitor {
  let isRefused = false;
  caller.octokit.hook.error('request', (fault) => {
    if (statusOf(fault) === 401) {
      isRefused = true;
      onRefused();
    }
    throw fault;
  });
  return {
    caller,
    reader,
    postings: new Postings(),
    get isRefused() {
      return isRefused;
    },
  };
}

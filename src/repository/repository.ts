import { join } from 'node:path';
import type { Remote, TokenSource } from '../git/git.ts';
import { type Mirror, openMirror } from '../git/mirror.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import type { Connection } from '../github/octokit/connect.ts';
import {
  createRateLimiter,
  type RateLimiter,
  type RateLimiterClock,
} from '../github/octokit/rate-limiter.ts';
import type { Own } from '../github/own.ts';
import { approvedBy } from '../steering/approval/auto-approval.ts';
import { isNews } from '../steering/handlers/event-handlers.ts';
import type { Event, EventType } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';

/** A repository with the client and remote of its entry point. */
export interface Repository extends GitHubRepository {
  readonly octokit: Connection;
  readonly remote: Remote;
  readonly pushes: PushLimiter;
  readonly own: Own;
  /** Opened on first use, then shared. */
  mirror(): Promise<Mirror>;
}

/** Where a repository's mirror is kept. */
export function mirrorDir({ data }: { readonly data: string }, { id }: Pick<Repository, 'id'>): string {
  return join(data, 'mirrors', `${id}.git`);
}

/** The address on the web, which is that for cloning without `.git`. */
export function webOf({ remote }: Pick<Repository, 'remote'>): string {
  return remote.url.replace(/\.git$/, '');
}

interface RepositoryFacts {
  readonly repository: GitHubRepository;
  readonly octokit: Connection;
  /** For Git; requested before each command that needs it. */
  readonly token: TokenSource;
  readonly own: Own;
  readonly data: string;
  /** Called with the mirror before its first use. */
  readonly onOpen?: (mirror: Mirror) => Promise<void>;
}

/** A repository whose mirror is opened on first use, and again after a failure. */
export function repositoryFrom({
  repository,
  octokit,
  token,
  own,
  data,
  onOpen,
}: RepositoryFacts): Repository {
  const remote = { url: repository.clone_url, token };
  const dir = mirrorDir({ data }, repository);
  const open = async (where: string): Promise<Mirror> => {
    const opened = await openMirror({ dir: where, remote });
    await onOpen?.(opened);
    return opened;
  };
  let mirror: Promise<Mirror> | undefined;
  return {
    ...repository,
    octokit,
    own,
    remote,
    pushes: new PushLimiter(),
    mirror: () => {
      mirror ??= open(dir).catch((fault: unknown) => {
        mirror = undefined;
        throw fault;
      });
      return mirror;
    },
  };
}

/** GitHub recommends at most 6 pushes per minute and repository; bursts of 60 are allowed after a pause. */
const limits = { burst: 60, perMinute: 66, perHour: 500 };

/** What one run may use of that: whoever keeps pushing to its branch must not hold up the others. */
const share = { ...limits, burst: 40, perMinute: 46 };

/** Limits the pushes of all runs of a repository. One per repository. */
export class PushLimiter {
  readonly #clock: RateLimiterClock | undefined;
  readonly #all: RateLimiter;
  readonly #lanes = new WeakMap<object, Lane>();

  constructor({ clock }: { readonly clock?: RateLimiterClock } = {}) {
    this.#clock = clock;
    this.#all = this.#limiter(limits);
  }

  /** Records the event when its run may push, and in the order in which the run's events arrived. */
  paced<T>(event: Event, run: { readonly newest: State | undefined }, record: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(run);
    const now = mustNotWait(event, run.newest) || (lane.isFree && !mayPush(event, run.newest));
    return lane.pass(record, { now });
  }

  #laneOf(run: object): Lane {
    const known = this.#lanes.get(run);
    if (known !== undefined) return known;
    const lane = new Lane([this.#limiter(share), this.#all]);
    this.#lanes.set(run, lane);
    return lane;
  }

  #limiter(of: typeof limits): RateLimiter {
    return createRateLimiter({ limits: of, ...(this.#clock && { clock: this.#clock }) });
  }
}

/** What people say, what may take an approval back, and what nobody can bring about as often as they like. */
const neverWaiting: readonly EventType[] = [
  'said',
  'spoke',
  'finish_checked',
  'review_dismissed',
  'hold_lost',
];

/** Almost anything takes back what was approved, and can do so only once. */
function mustNotWait({ type }: Event, newest: State | undefined): boolean {
  if (neverWaiting.includes(type)) return true;
  return newest === undefined ? type !== 'run_started' : approvedBy(newest) !== '';
}

/** Whether recording the event changes the ledger, as far as this process knows. */
function mayPush(event: Event, newest: State | undefined): boolean {
  return event.type !== 'pushed' || newest === undefined || isNews(newest, event);
}

/** The events of one run. The ledger writes those that are recorded together with one push. */
class Lane {
  readonly #limiters: readonly RateLimiter[];
  readonly #waiting: { readonly go: () => void; readonly giveUp: (reason: unknown) => void }[] = [];
  #underWay = 0;
  #queued = false;

  constructor(limiters: readonly RateLimiter[]) {
    this.#limiters = limiters;
  }

  /** Whether nothing waits or is under way. */
  get isFree(): boolean {
    return this.#waiting.length === 0 && this.#underWay === 0;
  }

  /** An event that must not wait takes those with it that wait already, because they need no other push. */
  async pass<T>(record: () => Promise<T>, { now }: { readonly now: boolean }): Promise<T> {
    await new Promise<void>((go, giveUp) => {
      this.#waiting.push({ go, giveUp });
      if (now) this.#go();
      else this.#queue();
    });
    try {
      return await record();
    } finally {
      this.#underWay -= 1;
      this.#queue();
    }
  }

  /** At most once in the queue, and only after the last push: what comes meanwhile goes with the next one. */
  #queue(): void {
    if (this.#queued || this.#underWay > 0 || this.#waiting.length === 0) return;
    this.#queued = true;
    void this.#turn()
      .then(
        () => this.#go(),
        (reason: unknown) => {
          for (const { giveUp } of this.#waiting.splice(0)) giveUp(reason);
        },
      )
      .finally(() => {
        this.#queued = false;
        this.#queue();
      });
  }

  async #turn(): Promise<void> {
    for (const limiter of this.#limiters) {
      const leave = await limiter.enter('write');
      leave();
    }
  }

  #go(): void {
    const going = this.#waiting.splice(0);
    this.#underWay += going.length;
    for (const { go } of going) go();
  }
}

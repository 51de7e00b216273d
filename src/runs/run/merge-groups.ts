import { RecentMap } from '../../repository/recent-map.ts';
import type { Repository } from '../../repository/repository.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import type { Event } from '../../steering/state/event.ts';

/** What a merge queue would merge into a branch, by the commit that it made for that. */
export interface MergeGroup {
  readonly base: string;
  readonly head: string;
}

interface UnderWay {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/**
 * What this process does about merge groups; GitHub's queue and our check runs tell others what they need.
 */
export class MergeGroups {
  readonly #underWay = new Map<string, UnderWay>();
  /** What the verifiers said of trees, by everything that it depends on. */
  readonly verified = new RecentMap<string, readonly VerifierOutput[]>({ max: 100 });

  isUnderWay(repository: Repository, { head }: MergeGroup): boolean {
    return this.#underWay.has(keyOf(repository, head));
  }

  /** Works on a group until that is done or the group is gone. The work must not reject. */
  begin(
    repository: Repository,
    { head }: MergeGroup,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const key = keyOf(repository, head);
    const controller = new AbortController();
    const done = work(controller.signal).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { controller, done });
    return done;
  }

  /** Nobody needs to know any more what becomes of the group. */
  async end(repository: Repository, { head }: MergeGroup): Promise<void> {
    const work = this.#underWay.get(keyOf(repository, head));
    work?.controller.abort();
    await work?.done;
  }

  get quiet(): boolean {
    return this.#underWay.size === 0;
  }

  async drained(): Promise<void> {
    while (!this.quiet) await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  async close(): Promise<void> {
    for (const { controller } of this.#underWay.values()) controller.abort();
    await this.drained();
  }
}

function keyOf({ id }: Repository, head: string): string {
  return `${id}#${head}`;
}

const failures = new WeakMap<Repository, RecentMap<number, readonly string[]>>();

/** What keeps a group from being merged is remembered for its last pull request, which leaves the queue. */
export function noteFailure(repository: Repository, number: number, said: readonly string[]): void {
  const known = failures.get(repository) ?? new RecentMap({ max: 100 });
  failures.set(repository, known.set(number, said));
}

/**
 * The event with what failed on the merge group, if it says that something did and this process knows what.
 */
export function withGroupFailures(
  event: Event,
  { repository, number }: { readonly repository: Repository; readonly number: number },
): Event {
  if (event.type !== 'dequeued' || (event.because !== 'checks' && event.because !== 'unknown')) return event;
  const details = failures.get(repository)?.get(number);
  return details === undefined ? event : { ...event, details };
}

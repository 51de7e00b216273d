import { RecentMap } from '../../repository/recent-map.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';

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
 * What this process does about the merge groups of a repository; GitHub's queue and our check runs tell
 * others what they need.
 */
export class MergeGroups {
  readonly #underWay = new Map<string, UnderWay>();
  /** What the verifiers said of trees, by everything that it depends on. */
  readonly verified = new RecentMap<string, readonly VerifierOutput[]>({ max: 20 });
  /** What keeps a group from being merged, by its last pull request, which leaves the queue. */
  readonly failures = new RecentMap<number, readonly string[]>({ max: 100 });

  isUnderWay({ head }: MergeGroup): boolean {
    return this.#underWay.has(head);
  }

  /** Works on a group until that is done or the group is gone. The work must not reject. */
  begin({ head }: MergeGroup, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const done = work(controller.signal).finally(() => this.#underWay.delete(head));
    this.#underWay.set(head, { controller, done });
    return done;
  }

  /** Nobody needs to know any more what becomes of the group. */
  async end({ head }: MergeGroup): Promise<void> {
    const work = this.#underWay.get(head);
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

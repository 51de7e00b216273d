import { answeredLately, isAlwaysAnswered, isAnsweredOut } from '../steering/approval/reply-limit.ts';
import type { Answered, Person } from '../steering/shapes/people.ts';
import { RecentMap } from './recent-map.ts';

/** What someone said, and when. */
interface Said {
  /** The id of its event, which may come from GitHub and from a sweep. */
  readonly id: string;
  readonly by: Person;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Limits what this process does for people without write access in one repository, on whatever issues and
 * pull requests. Each run has the same limit for itself in its ledger, where it outlives the process.
 */
export class StrangerLimit {
  readonly #answered = new Map<number, readonly Answered[]>();
  /** What was decided, because the same may be said to us again. */
  readonly #decided = new RecentMap<string, boolean>({ max: 10_000 });

  /** Whether this may be answered, by a reaction or in words; counts it the first time. */
  mayAnswer(repositoryId: number, { id, by, at }: Said): boolean {
    if (isAlwaysAnswered(by.role)) return true;
    const known = this.#decided.get(`${repositoryId}:${id}`);
    if (known !== undefined) return known;
    const lately = answeredLately(this.#answered.get(repositoryId), at);
    const isAnswered = !isAnsweredOut(lately, by);
    const counted = isAnswered ? [...lately, { login: by.login, id: by.id, at }] : lately;
    this.#answered.set(repositoryId, counted);
    this.#decided.set(`${repositoryId}:${id}`, isAnswered);
    return isAnswered;
  }
}

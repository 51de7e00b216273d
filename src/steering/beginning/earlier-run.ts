import type { Account } from '../person.ts';

/** A run on the same issue that a person has rejected before this one began. */
export interface EarlierRun {
  /** Of its pull request. */
  readonly number: number;
  readonly by: Account;
  /** When it was rejected, ISO 8601. */
  readonly at: string;
  /** In that person's words, at most 500 of them. Redacted. */
  readonly reason: string;
}

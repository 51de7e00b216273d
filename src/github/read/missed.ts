import type { Subject } from './subject.ts';

/** What people wrote on a pull request, as far as GitHub tells whose words they are. */
export interface Missed<E> {
  /** As if their webhooks had arrived; those already recorded have the same ids. */
  readonly events: readonly E[];
  /** One for each text whose edits GitHub does not tell: it may be a command, but it is unknown whose. */
  readonly unread: readonly Error[];
}

/** How far a list was read. */
export interface Reading {
  /** Nothing that was written before this is left to read, by GitHub's clock, ISO 8601. */
  readonly read_at: string | undefined;
  readonly complete: boolean;
}

/** Not everything was read, so nobody knows what else was said. */
export function tooMany({ repository, number }: Subject, what: 'comments' | 'reviews'): Error {
  return new Error(
    `there are more ${what} on ${repository.owner}/${repository.name}#${number} than were read`,
  );
}

/** GitHub does not say who edited one of its texts, such as `comment 5`. */
export function unreadIn({ repository, number }: Subject, text: string): Error {
  return new Error(
    `GitHub does not say who edited ${text} of ${repository.owner}/${repository.name}#${number}`,
  );
}

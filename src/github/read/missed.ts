import type { Subject } from './subject.ts';

/** What people wrote on a pull request, as far as GitHub tells whose words they are. */
export interface Missed<E> {
  /** As if their webhooks had arrived; those already recorded have the same ids. */
  readonly events: readonly E[];
  /** One for each text whose edits GitHub does not tell: it may be a command, but it is unknown whose. */
  readonly unread: readonly Error[];
}

/** When the list was read to its end, by GitHub's clock, ISO 8601; undefined if it was too long for that. */
export interface Reading {
  readonly read_at: string | undefined;
}

/** GitHub does not say who edited one of its texts, such as `comment 5`. */
export function unreadIn({ repository, number }: Subject, text: string): Error {
  return new Error(
    `GitHub does not say who edited ${text} of ${repository.owner}/${repository.name}#${number}`,
  );
}

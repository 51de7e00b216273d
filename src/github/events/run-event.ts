import type { Event } from '../../steering/event.ts';
import type { Person } from '../../steering/person.ts';
import type { Source } from '../../steering/source.ts';
import type { Account, InstalledRepository, Repository } from './github-event.ts';

/** What was heard, put into our words: an event of a run, or a wish that concerns no run yet. */
export type RunEvent =
  | (OfRepository & { readonly kind: 'event'; readonly number: number; readonly event: Event })
  | { readonly kind: 'start'; readonly request: StartRequest }
  /** Somebody, perhaps we ourselves, wrote the body of a pull request. */
  | (OfRepository & {
      readonly kind: 'body_edited';
      readonly number: number;
      readonly by: Account;
      readonly before: string;
      readonly after: string;
    })
  | {
      readonly kind: 'installed';
      readonly installation_id: number | null;
      readonly account: string;
      readonly repositories: readonly InstalledRepository[];
    }
  | (OfRepository & { readonly kind: 'sweep' });

export interface OfRepository {
  readonly repository: Repository;
  readonly installation_id: number | null;
}

/** Someone wants a run. Whether they may, and whether it can be, is for the starter to say. */
export interface StartRequest extends OfRepository {
  /** The event id of the cause: starting twice from one cause gives one run. */
  readonly cause: string;
  readonly at: string;
  readonly by: Person;
  readonly issue: StartIssue | null;
  /** The pull request to work on, where `/run` was said on one. */
  readonly adopt: { readonly number: number } | null;
  /** The task in the person's words; empty when the issue says it all. */
  readonly text: string;
  /** Null for a label, which says nothing that could be read again. */
  readonly source: Source | null;
}

export interface StartIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly open: boolean;
}

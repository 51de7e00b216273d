import type { Command } from '../../steering/commands/index.ts';
import type { Person } from '../../steering/shapes/person.ts';
import type { CheckSpec } from '../../steering/shapes/settings.ts';
import type { Source } from '../../steering/shapes/source.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import { redactAll } from '../../text/redact.ts';
import type { Account, InstalledRepository, Repository, Turned } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import type { Own } from '../own.ts';
import { personOf } from '../read/roles.ts';

/** What `translate` needs in addition to the event. */
export interface TranslateContext {
  readonly octokit: Octokit;
  /** The label that starts a run (`labels.trigger`). */
  readonly trigger: string;
  /** What we write ourselves is never a command. */
  readonly own: Own;
  /**
   * Whether a comment has to be read again before it starts work, because it may have been edited or deleted
   * while we were not told; by default it is taken as its webhook has it.
   */
  readonly mustReadAgain?: (comment: WrittenComment) => Promise<boolean>;
  /** Whether words without a command matter on a pull request; by default they do not. */
  readonly waitsForWords?: (said: SaidThere) => Promise<boolean>;
}

/** What somebody does with words on a pull request. */
export type SaidThere = Pick<EventOf<'spoke'>, 'how'> & { readonly number: number };

/** When and where a comment was written. */
export interface WrittenComment {
  /** ISO 8601 */
  readonly written_at: string;
  /** The issue or pull request. */
  readonly number: number;
  readonly is_pull: boolean;
}

/** A GitHub event translated for us: an event of a run, or a request that concerns no run yet. */
export type RunEvent =
  | (OfRepository & { readonly kind: 'event'; readonly number: number; readonly event: Event })
  | { readonly kind: 'start'; readonly request: StartRequest }
  /** The event with this id was undone before it could be recorded. */
  | (OfRepository & { readonly kind: 'obsolete'; readonly number: number; readonly id: string })
  /** Something has happened for which runs may wait. */
  | (OfRepository & { readonly kind: 'dependency_turned'; readonly what: Turned })
  /** What a pull request that is not a run gets depends on the configuration. */
  | (OtherPull & { readonly kind: 'other_pull' })
  /** The settings for the new base are still to be read. */
  | (OfRepository & {
      readonly kind: 'retargeted';
      readonly number: number;
      readonly base: string;
      readonly at: string;
      readonly by: string;
    })
  /** Someone else changed a label of ours on a pull request. */
  | (OfRepository & { readonly kind: 'relabeled'; readonly number: number })
  /** Someone, possibly we ourselves, edited the body of a pull request. */
  | (OfRepository & {
      readonly kind: 'body_edited';
      readonly number: number;
      readonly by: Account;
      readonly before: string;
      readonly after: string;
    })
  /** A check that somebody else made has ended on a commit of a run's branch. */
  | (OfRepository & {
      readonly kind: 'check_ended';
      readonly numbers: readonly number[];
      readonly check: Pick<CheckSpec, 'check' | 'app'>;
      readonly head: string;
    })
  /** GitHub wants checks on the head of a merge group, or there is no such group any more. */
  | (OfRepository & MergeGroup & { readonly kind: 'merge_group'; readonly is: 'wanted' | 'gone' | 'merged' })
  /** Something that GitHub may have required of a pull request is there. */
  | (OfRepository & { readonly kind: 'checks_passed'; readonly numbers: readonly number[] })
  | {
      readonly kind: 'installed';
      readonly installation_id: number | null;
      readonly account: string;
      readonly repositories: readonly InstalledRepository[];
    }
  | (OfRepository & { readonly kind: 'sweep' });

/** What a merge queue would merge into a branch, by the commit that it made for that. */
export interface MergeGroup {
  readonly base: string;
  readonly head: string;
}

/** A pull request that is not a run, as far as its webhook shows. */
export interface OtherPull extends OfRepository {
  readonly number: number;
  readonly opener: Account;
  readonly head_sha: string;
  readonly base_ref: string;
  readonly commits: number;
}

export interface OfRepository {
  readonly repository: Repository;
  readonly installation_id: number | null;
}

/** Someone requested a run. `startRun` checks whether they may and whether it is possible. */
export interface StartRequest extends OfRepository {
  /** The event id of the cause; starting twice from the same cause gives one run. */
  readonly cause: string;
  readonly at: string;
  readonly by: Person;
  readonly issue: StartIssue | null;
  /** The pull request to work on, if `/run` was used on one. */
  readonly adopt: { readonly number: number } | null;
  /** The task as the person described it; empty when the issue is the whole task. */
  readonly text: string;
  /** Null for a label, which has no text that could be read again. */
  readonly source: Source | null;
  /** The slug of another App that wrote the comment on behalf of the person. */
  readonly via_app?: string | undefined;
  /** Who has run the job of the person again, if that is somebody else. */
  readonly again_by?: string | undefined;
}

export interface StartIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly open: boolean;
}

/** A command on a run, before its author's role is known. */
export interface GivenCommand extends OfRepository {
  readonly number: number;
  readonly id: string;
  /** Null if the payload has no time; then the time of GitHub's answer about the author is used. */
  readonly at: string | null;
  readonly author: Account;
  readonly command: Command;
  readonly source: Source;
  /** The slug of another App that wrote it on behalf of the author. */
  readonly via_app?: string;
}

/**
 * Looks up the author's current role and creates the event. Commands from bots are ignored. A token that
 * somebody pasted stays in their comment, where they can delete it, and does not enter the ledger.
 */
export async function toCommandEvent(
  given: GivenCommand,
  { octokit }: TranslateContext,
): Promise<RunEvent[]> {
  const { number, id, author, source, via_app } = given;
  if (author.bot) return [];
  const { asked_at, ...by } = await personOf(octokit, given.repository, author);
  const at = timeOf(given.at, asked_at);
  const command = redactAll(given.command);
  const said = { type: 'said', id, at, command, by, source } as const;
  return eventOn(given, number, { ...said, ...(via_app !== undefined && { via_app }) });
}

/** GitHub's time for an event: from its payload, else from the answer to our first request about it. */
export function timeOf(inPayload: string | null, ofAnswer: string | null): string {
  const time = inPayload ?? ofAnswer;
  if (time === null)
    throw new Error('the event has no time: GitHub sent none, neither with it nor as the Date of an answer');
  return time;
}

/** What becomes an event of the run on a pull request. */
export function eventOn(incoming: OfRepository, number: number, event: Event): RunEvent[] {
  return [{ kind: 'event', ...repositoryOf(incoming), number, event }];
}

/** The repository of an event, without the event's other members. */
export function repositoryOf({ repository, installation_id }: OfRepository): OfRepository {
  return { repository, installation_id };
}

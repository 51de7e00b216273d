import type { Command } from '../../steering/commands/index.ts';
import type { Person, Source } from '../../steering/shapes/people.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import { redactAll } from '../../text/redact.ts';
import type { Account, GitHubEvent, GitHubEventOf, Issue, Repository } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import type { Own } from '../own.ts';
import { personOf } from '../read/roles.ts';

/** What is needed to hear an event in addition to it. */
export interface Hearing {
  readonly octokit: Octokit;
  /** The label that starts a run (`labels.trigger`). */
  readonly trigger: string;
  /** What we write ourselves is never a command. */
  readonly own: Own;
}

/**
 * What an event of GitHub's means: an event of the run on a pull request, or a request that concerns no run
 * yet.
 */
export type Heard =
  | { readonly kind: 'event'; readonly number: number; readonly event: Told }
  | { readonly kind: 'start'; readonly request: StartRequest };

/** An event as it is told: the settings for another base are found out only when it is recorded. */
export type Told =
  | Exclude<Event, { type: 'retargeted' }>
  | Omit<EventOf<'retargeted'>, 'settings' | 'same_commit'>;

/**
 * What only asks to look again, at a pull request or at what runs wait for: something there may have changed.
 */
export type Note = GitHubEventOf<(typeof notes)[number]>;

const notes = [
  'body_edited',
  'relabeled',
  'check_ended',
  'checks_passed',
  'merge_group',
  'dependency_turned',
  'pull_changed',
] as const;

export function isNote(incoming: GitHubEvent): incoming is Note {
  const all: readonly string[] = notes;
  return all.includes(incoming.kind);
}

/** What somebody said or did. Entry points that know all their repositories see to the rest themselves. */
export type Deed = Exclude<GitHubEvent, Note | GitHubEventOf<(typeof forEntryPoints)[number]>>;

const forEntryPoints = ['installed', 'schedule', 'authorization_revoked'] as const;

/** Whether only an entry point handles it: it is about no run, and some of these are about no repository. */
export function isForEntryPoint(incoming: GitHubEvent): incoming is Exclude<GitHubEvent, Note | Deed> {
  const all: readonly string[] = forEntryPoints;
  return all.includes(incoming.kind);
}

/** Someone requested a run. `startRun` checks whether they may and whether it is possible. */
export interface StartRequest {
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

export type StartIssue = Pick<Issue, 'number' | 'title' | 'body' | 'open'>;

/** A command on a run, before its author's role is known. */
export interface GivenCommand {
  readonly repository: Repository;
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
export async function toCommandEvent(given: GivenCommand, { octokit }: Hearing): Promise<Heard[]> {
  const { number, id, author, source, via_app } = given;
  if (author.bot) return [];
  const { asked_at, ...by } = await personOf(octokit, given.repository, author);
  const at = timeOf(given.at, asked_at);
  const command = redactAll(given.command);
  const said = { type: 'said', id, at, command, by, source } as const;
  return eventOn(number, { ...said, ...(via_app !== undefined && { via_app }) });
}

/** GitHub's time for an event: from its payload, else from the answer to our first request about it. */
export function timeOf(inPayload: string | null, ofAnswer: string | null): string {
  const time = inPayload ?? ofAnswer;
  if (time === null)
    throw new Error('the event has no time: GitHub sent none, neither with it nor as the Date of an answer');
  return time;
}

/** What becomes an event of the run on a pull request. */
export function eventOn(number: number, event: Told): Heard[] {
  return [{ kind: 'event', number, event }];
}

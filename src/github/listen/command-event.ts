import type { Command } from '../../steering/commands/index.ts';
import type { Source } from '../../steering/source.ts';
import { redactAll } from '../../text/redact.ts';
import type { Account } from '../events/github-event.ts';
import { personOf } from '../read/roles.ts';
import type { OfRepository, RunEvent, TranslateContext } from './run-event.ts';

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
  const { number, id, author, command, source, via_app } = given;
  const through = via_app === undefined ? {} : { via_app };
  if (author.bot) return [];
  const { asked_at, ...by } = await personOf(octokit, given.repository, author);
  const event = {
    type: 'said',
    id,
    at: timeOf(given.at, asked_at),
    command: redactAll(command),
    by,
    source,
    ...through,
  } as const;
  return [{ kind: 'event', ...repositoryOf(given), number, event }];
}

/** GitHub's time for an event: from its payload, else from the answer to our first request about it. */
export function timeOf(inPayload: string | null, ofAnswer: string | null): string {
  const time = inPayload ?? ofAnswer;
  if (time === null)
    throw new Error('the event has no time: GitHub sent none, neither with it nor as the Date of an answer');
  return time;
}

/** The repository of an event, without the event's other members. */
export function repositoryOf({ repository, installation_id }: OfRepository): OfRepository {
  return { repository, installation_id };
}

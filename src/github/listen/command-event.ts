import { createHash } from 'node:crypto';
import type { Command } from '../../steering/command.ts';
import type { Source } from '../../steering/source.ts';
import type { Account, Repository } from '../events/github-event.ts';
import type { RunEvent } from '../events/run-event.ts';
import { personOf } from '../read/roles.ts';
import type { TranslateContext } from './translate-context.ts';

/** A command that somebody gave on a run, before it is known who they are. */
export interface Saying {
  readonly place: { readonly repository: Repository; readonly installation_id: number | null };
  readonly number: number;
  readonly id: string;
  /** Null: GitHub's payload has no time, so that of its answer about the speaker is taken. */
  readonly at: string | null;
  readonly speaker: Account;
  readonly command: Command;
  readonly source: Source;
}

/** Looks up the speaker's role of now and makes the event. Bots are not listened to. */
export async function toCommandEvent(saying: Saying, { octokit }: TranslateContext): Promise<RunEvent[]> {
  const { place, number, id, speaker, command, source } = saying;
  if (speaker.bot) return [];
  const { asked_at, ...by } = await personOf(octokit, place.repository, speaker);
  const event = { type: 'said', id, at: timeOf(saying.at, asked_at), command, by, source } as const;
  return [{ kind: 'event', ...place, number, event }];
}

/** GitHub's time of a thing: the payload's, else that of the answer to our first question about it. */
export function timeOf(told: string | null, asked: string | null): string {
  const time = told ?? asked;
  if (time === null) throw new Error('GitHub gave no time for what it told, and was asked nothing about it');
  return time;
}

export function placeOf(incoming: Saying['place']): Saying['place'] {
  return { repository: incoming.repository, installation_id: incoming.installation_id };
}

/** Binds an event to the text as it was: hexadecimal SHA-256 of its UTF-8. */
export function textSha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

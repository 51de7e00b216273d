import type { Command } from '../../steering/command.ts';
import { hearSaying, placeOf, textSha256 } from './command-event.ts';
import { commandIn } from './command-parser.ts';
import type { HeardOf } from './github-event.ts';
import type { Hearing } from './run-event.ts';
import { startFromComment } from './start-request.ts';
import type { Ears } from './translate.ts';

type HeardComment = HeardOf<'comment'>;

/** A comment is acted on as it was when it was written; edits matter to a steer that still waits (S-7). */
export async function hearComment(heard: HeardComment, ears: Ears): Promise<Hearing[]> {
  if (isOurEcho(heard, ears)) return [];
  switch (heard.action) {
    case 'created':
      return hearNew(heard, ears);
    case 'edited':
      return hearChanged(heard, `comment:${heard.comment.id}@${heard.comment.updated_at}`);
    case 'deleted':
      return hearChanged(heard, `comment:${heard.comment.id}:deleted`);
  }
}

/** Where we write with a person's token, only our hidden markers tell our comments from theirs. */
function isOurEcho({ author, comment }: HeardComment, { own }: Ears): boolean {
  return author.login === own.login && comment.body.includes('<!-- coxswain:');
}

async function hearNew(heard: HeardComment, ears: Ears): Promise<Hearing[]> {
  const { comment, issue, author } = heard;
  const command = commandIn(comment.body);
  if (command === undefined) return [];
  const { id, updated_at: at } = comment;
  const said = {
    place: placeOf(heard),
    number: issue.number,
    id: `comment:${id}@${at}`,
    at,
    speaker: author,
    command,
    source: { from: 'comment', comment_id: id, text_sha256: textSha256(comment.body), written_at: at },
  } as const;
  if (command.type === 'run') return startFromComment({ ...said, command }, issue, ears);
  return issue.is_pull ? hearSaying(said, ears) : [];
}

function hearChanged(heard: HeardComment, id: string): Hearing[] {
  const { action, comment, issue, author, sender } = heard;
  if (!issue.is_pull) return [];
  const event = {
    type: 'comment_changed',
    id,
    at: heard.at,
    comment_id: comment.id,
    by_author: sender.login === author.login,
    by: sender.login,
    text: action === 'edited' ? promptOf(commandIn(comment.body)) : null,
  } as const;
  return [{ kind: 'event', ...placeOf(heard), number: issue.number, event }];
}

function promptOf(command: Command | undefined): string | null {
  return command?.type === 'steer' ? command.prompt : null;
}

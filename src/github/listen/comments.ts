import type { Command } from '../../steering/commands/index.ts';
import { redact } from '../../text/redact.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import { textSha256 } from '../text-digest.ts';
import { repositoryOf, toCommandEvent } from './command-event.ts';
import type { RunEvent, TranslateContext } from './run-event.ts';
import { startFromComment } from './start-request.ts';

type CommentEvent = GitHubEventOf<'comment'>;

/** A comment counts as it was first written; later edits only affect a steer that is still queued. */
export async function translateComment(
  incoming: CommentEvent,
  context: TranslateContext,
): Promise<RunEvent[]> {
  if (isOurOwn(incoming, context)) return [];
  switch (incoming.action) {
    case 'created':
      return translateNewComment(incoming, context);
    case 'edited':
      return translateChangedComment(
        incoming,
        `comment:${incoming.comment.id}@${incoming.comment.updated_at}`,
      );
    case 'deleted':
      return translateChangedComment(incoming, `comment:${incoming.comment.id}:deleted`);
  }
}

/** If we write with a person's token, only our hidden markers distinguish our comments from theirs. */
function isOurOwn({ author, comment }: CommentEvent, { own }: TranslateContext): boolean {
  return author.login === own.login && comment.body.includes('<!-- coxswain:');
}

async function translateNewComment(incoming: CommentEvent, context: TranslateContext): Promise<RunEvent[]> {
  const { comment, issue, author } = incoming;
  const command = parseCommand(comment.body);
  if (command === undefined) return [];
  const { id, updated_at: at } = comment;
  const given = {
    ...repositoryOf(incoming),
    number: issue.number,
    id: `comment:${id}@${at}`,
    at,
    author: author,
    command,
    source: { from: 'comment', comment_id: id, text_sha256: textSha256(comment.body), written_at: at },
  } as const;
  if (command.type === 'run') return startFromComment({ ...given, command }, issue, context);
  return issue.is_pull ? toCommandEvent(given, context) : [];
}

function translateChangedComment(incoming: CommentEvent, id: string): RunEvent[] {
  const { action, comment, issue, author, sender } = incoming;
  if (!issue.is_pull) return [];
  const event = {
    type: 'comment_changed',
    id,
    at: incoming.at,
    comment_id: comment.id,
    by_author: sender.login === author.login,
    by: sender.login,
    text: action === 'edited' ? promptOf(parseCommand(comment.body)) : null,
  } as const;
  return [{ kind: 'event', ...repositoryOf(incoming), number: issue.number, event }];
}

function promptOf(command: Command | undefined): string | null {
  return command?.type === 'steer' ? redact(command.prompt) : null;
}

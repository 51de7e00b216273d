import type { Command } from '../../steering/commands/index.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import { textSha256 } from '../text-digest.ts';
import { repositoryOf, toCommandEvent } from './command-event.ts';
import { remarksIn } from './remarks.ts';
import type { RunEvent, TranslateContext } from './run-event.ts';
import { translateWords } from './words.ts';

type ReviewEvent = GitHubEventOf<'review'>;

/** "Request changes" is a steer and "Approve" approves its commit, but a command in the body has priority. */
export async function translateReview(incoming: ReviewEvent, context: TranslateContext): Promise<RunEvent[]> {
  switch (incoming.action) {
    case 'submitted': {
      const events = await translateSubmitted(incoming, context);
      return events.length > 0 ? events : translateWords(incoming, context);
    }
    case 'dismissed':
      return translateDismissed(incoming);
    case 'edited':
      // A review counts as submitted; only comments can change a queued steer.
      return translateWords(incoming, context);
  }
}

async function translateSubmitted(incoming: ReviewEvent, context: TranslateContext): Promise<RunEvent[]> {
  const { review, pull, author } = incoming;
  const command = parseCommand(review.body) ?? impliedBy(incoming);
  if (command === undefined || command.type === 'run') return [];
  const inFull = await completed(command, incoming, context);
  if (inFull === undefined) return [];
  const { id, commit_id } = review;
  const given = {
    ...repositoryOf(incoming),
    number: pull.number,
    id: `review:${id}`,
    at: incoming.at,
    author: author,
    command: inFull,
    source: { from: 'review', review_id: id, commit_id, text_sha256: textSha256(review.body) },
  } as const;
  return toCommandEvent(given, context);
}

/** The command a review implies when its body contains none. */
function impliedBy({ review }: ReviewEvent): Command | undefined {
  switch (review.state) {
    case 'approved':
      return { type: 'approve', sha: review.commit_id, despite: [] };
    case 'changes_requested':
      return { type: 'steer', prompt: review.body.trim(), now: false };
    case 'commented':
    case 'dismissed':
      return undefined;
  }
}

/** A steer with its inline comments; undefined if the review's text is not its author's own. */
async function completed(
  command: Command,
  incoming: ReviewEvent,
  context: TranslateContext,
): Promise<Command | undefined> {
  if (command.type === 'approve' && incoming.review.commit_id === '') {
    return { type: 'misspoken', name: 'approve', problem: 'the reviewed commit no longer exists' };
  }
  if (command.type !== 'steer') return command;
  const remarks = await remarksIn(incoming, context);
  if (remarks === undefined) return undefined;
  const prompt = [command.prompt, ...remarks].filter((part) => part !== '').join('\n\n');
  if (prompt !== '') return { ...command, prompt };
  return { type: 'misspoken', name: 'steer', problem: 'the review contains no instructions' };
}

function translateDismissed(incoming: ReviewEvent): RunEvent[] {
  const { review, pull, sender } = incoming;
  const event = {
    type: 'review_dismissed',
    id: `review:${review.id}:dismissed`,
    at: incoming.at,
    review_id: review.id,
    by: sender.login,
  } as const;
  return [{ kind: 'event', ...repositoryOf(incoming), number: pull.number, event }];
}

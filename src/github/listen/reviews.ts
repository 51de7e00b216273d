import type { Command } from '../../steering/command.ts';
import { at } from '../read/where.ts';
import { hearSaying, placeOf, textSha256 } from './command-event.ts';
import { commandIn } from './command-parser.ts';
import type { HeardOf } from './github-event.ts';
import type { Hearing } from './run-event.ts';
import type { Ears } from './translate.ts';

type HeardReview = HeardOf<'review'>;

/** "Request changes" is a steer, "Approve" approves its commit; a command in the body says it better. */
export async function hearReview(heard: HeardReview, ears: Ears): Promise<Hearing[]> {
  switch (heard.action) {
    case 'submitted':
      return hearSubmitted(heard, ears);
    case 'dismissed':
      return hearDismissed(heard);
    case 'edited':
      return []; // A review is acted on as it was submitted; a steer that waits follows comments only.
  }
}

async function hearSubmitted(heard: HeardReview, ears: Ears): Promise<Hearing[]> {
  const { review, pull, author } = heard;
  const command = commandIn(review.body) ?? impliedBy(heard);
  if (command === undefined || command.type === 'run') return [];
  const { id, commit_id } = review;
  const saying = {
    place: placeOf(heard),
    number: pull.number,
    id: `review:${id}`,
    at: heard.at,
    speaker: author,
    command: await inFull(command, heard, ears),
    source: { from: 'review', review_id: id, commit_id, text_sha256: textSha256(review.body) },
  } as const;
  return hearSaying(saying, ears);
}

/** What the kind of a review says when its body holds no command. */
function impliedBy({ review }: HeardReview): Command | undefined {
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

async function inFull(command: Command, heard: HeardReview, ears: Ears): Promise<Command> {
  if (command.type === 'approve' && heard.review.commit_id === '') {
    return { type: 'misspoken', name: 'approve', problem: 'the commit that was reviewed is gone' };
  }
  if (command.type !== 'steer') return command;
  const remarks = await remarksOf(heard, ears);
  const prompt = [command.prompt, ...remarks].filter((part) => part !== '').join('\n\n');
  if (prompt !== '') return { ...command, prompt };
  return { type: 'misspoken', name: 'steer', problem: 'the review says nothing to do' };
}

/** The review's inline comments, each with the place it points at: the first page, which is 100. */
async function remarksOf({ repository, pull, review }: HeardReview, { octokit }: Ears): Promise<string[]> {
  const { data } = await octokit.rest.pulls.listCommentsForReview({
    ...at(repository),
    pull_number: pull.number,
    review_id: review.id,
    per_page: 100,
  });
  return data.map(({ path, line, original_line, diff_hunk, body }) => {
    const where = line ?? original_line;
    const title = where === undefined ? path : `${path}, line ${where}`;
    return [`#### ${title}`, fenced(lastLines(diff_hunk)), body.trim()].join('\n\n');
  });
}

/** A remark stands under the last line of its hunk, so of a long one the end matters. */
function lastLines(hunk: string): string {
  return hunk.split('\n').slice(-20).join('\n');
}

function fenced(hunk: string): string {
  const longest = Math.max(2, ...[...hunk.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${hunk}\n${fence}`;
}

function hearDismissed(heard: HeardReview): Hearing[] {
  const { review, pull, sender } = heard;
  const event = {
    type: 'review_dismissed',
    id: `review:${review.id}:dismissed`,
    at: heard.at,
    review_id: review.id,
    by: sender.login,
  } as const;
  return [{ kind: 'event', ...placeOf(heard), number: pull.number, event }];
}

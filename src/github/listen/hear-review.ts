import type { Command } from '../../steering/commands/index.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import { remarkText } from '../markdown/remark-text.ts';
import { textSha256 } from '../marks.ts';
import type { Answers } from '../octokit/connect.ts';
import { editsOf, otherEditor } from '../read/edits.ts';
import { readPages } from '../read/pagination.ts';
import { accountOf, repoParams } from '../read/repository-ref.ts';
import { eventOn, type Heard, type Hearing, toCommandEvent } from './heard.ts';

type ReviewEvent = GitHubEventOf<'review'>;

/** "Request changes" is a steer and "Approve" approves its commit, but a command in the body has priority. */
export async function translateReview(incoming: ReviewEvent, context: Hearing): Promise<Heard[]> {
  switch (incoming.action) {
    case 'submitted':
      return translateSubmitted(incoming, context);
    case 'dismissed':
      return translateDismissed(incoming);
    case 'edited':
      // A review counts as submitted; only comments can change a queued steer.
      return [];
  }
}

async function translateSubmitted(incoming: ReviewEvent, context: Hearing): Promise<Heard[]> {
  const { review, pull, author } = incoming;
  const command = parseCommand(review.body) ?? impliedBy(incoming);
  if (command === undefined || command.type === 'run') return [];
  const inFull = await completed(command, incoming, context);
  const { id, commit_id } = review;
  const given = {
    repository: incoming.repository,
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

/** A steer with its inline comments. One whose text is not its author's own is no steer, but an objection. */
async function completed(command: Command, incoming: ReviewEvent, context: Hearing): Promise<Command> {
  if (command.type === 'approve' && incoming.review.commit_id === '') {
    return { type: 'misspoken', name: 'approve', problem: 'the reviewed commit no longer exists' };
  }
  if (command.type !== 'steer') return command;
  const remarks = await remarksIn(incoming, context);
  if (remarks === undefined) return { type: 'misspoken', name: 'steer', problem: editedByOther };
  const prompt = [command.prompt, ...remarks].filter((part) => part !== '').join('\n\n');
  if (prompt !== '') return { ...command, prompt };
  return { type: 'misspoken', name: 'steer', problem: 'the review contains no instructions' };
}

const editedByOther = 'somebody else has edited the review, so its text does not count: post it again';

function translateDismissed(incoming: ReviewEvent): Heard[] {
  const { review, pull, sender } = incoming;
  return eventOn(pull.number, {
    type: 'review_dismissed',
    id: `review:${review.id}:dismissed`,
    at: incoming.at,
    review_id: review.id,
    by: sender.login,
  });
}

/**
 * The first 500 inline comments of a review that nobody but the review's author wrote or edited, each with
 * the code it refers to. Undefined if anyone else edited the review's own text.
 */
async function remarksIn(
  { repository, pull, review, author }: GitHubEventOf<'review'>,
  { octokit }: Hearing,
): Promise<readonly string[] | undefined> {
  const place = { ...repoParams(repository), pull_number: pull.number, review_id: review.id, per_page: 100 };
  const { found, complete } = await readPages(
    octokit.paginate.iterator(octokit.rest.pulls.listCommentsForReview, place),
    maxPages,
  );
  const own = found.filter(({ user }) => user !== null && accountOf(user).id === author.id);
  const edits = await editsOf(octokit, [review.node_id, ...own.map(({ node_id }) => node_id)]);
  if (otherEditor(edits.get(review.node_id), author) !== undefined) return undefined;
  const untouched = own.filter(({ node_id }) => otherEditor(edits.get(node_id), author) === undefined);
  return [...untouched.map(textOf), ...(complete ? [] : [unread])];
}

const maxPages = 5;

const unread = 'The review has more inline comments, which were not read.';

type Remark = Answers['pulls']['listCommentsForReview']['response']['data'][number];

function textOf({ path, line, original_line, side, diff_hunk: hunk, body }: Remark): string {
  return remarkText({ path, line: line ?? original_line, isBefore: side === 'LEFT', hunk, body });
}

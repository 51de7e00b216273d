import { byTime, isSurelyBefore } from '../../steering/shapes/time.ts';
import type { GitHubEventOf, Pull, Repository, Review } from '../events/github-event.ts';
import { mayContainCommand } from '../markdown/command-words.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type EditHistory, editsOf, otherEditor } from './edits.ts';
import { newestEvents, newestReviews, readPages, tooMany } from './pagination.ts';
import { accountOf, commentOf, repoParams } from './repository-ref.ts';

export type MissedCommand = GitHubEventOf<'comment' | 'review'>;

/** Comments and reviews since a time, and where GitHub fails to tell whose words they are. */
export async function missedCommands(octokit: Octokit, subject: Subject, since: string) {
  const [comments, reviews] = await Promise.all([
    commentsSince(octokit, subject, since),
    reviewsSince(octokit, subject, since),
  ]);
  const events: readonly MissedCommand[] = [...comments.events, ...reviews.events];
  return {
    /** Nothing that was written before this is left to read, by GitHub's clock, ISO 8601. */
    read_at: comments.read_at,
    complete: comments.complete,
    /** As if their webhooks had arrived; those already recorded have the same ids. */
    events: events.toSorted(byTime),
    /** One for each text whose edits GitHub does not tell: it may be a command, but it is unknown whose. */
    unread: [...comments.unread, ...reviews.unread],
  };
}

type CommentData = Parameters<typeof commentOf>[0];

/** A limit for one sweep of a run, 5,000 comments; the oldest come first, and the next sweep goes on. */
const maxPages = 50;

/**
 * The people's comments with commands written or edited since a time, as if their webhooks had arrived. If
 * anyone else ever edited a comment, that is an edit and never a command of its author. One whose edits are
 * unknown is neither.
 */
async function commentsSince(octokit: Octokit, subject: Subject, since: string) {
  const { repository, number } = subject;
  const place = { ...repoParams(repository), issue_number: number, since, per_page: 100 };
  const { found, read_at, complete } = await readPages(
    octokit.paginate.iterator(octokit.rest.issues.listComments, place),
    maxPages,
  );
  const comments = found.filter((data) => isNews(subject, data));
  const edits = await editsOf(
    octokit,
    comments.map(({ node_id }) => node_id),
  );
  return {
    // Those that are left are not older than the last one.
    read_at: complete ? read_at : found.at(-1)?.created_at,
    complete,
    events: comments.flatMap((data) => commentEvent(subject, data, edits.get(data.node_id)) ?? []),
    unread: comments
      .filter(({ node_id }) => !edits.has(node_id))
      .map(({ id }) => unreadIn(subject, `comment ${id}`)),
  };
}

function isNews(subject: Subject, { id, body = '', user, created_at, updated_at }: CommentData): boolean {
  if (accountOf(user).bot) return false;
  // An edit may have removed the command, so an edited comment matters whatever it says now.
  if (created_at !== updated_at) return true;
  return wasRecorded(subject, id) !== true && mayContainCommand(body);
}

/** A new comment that only its author has edited counts as created; any other edit as an edit. */
function commentEvent(
  subject: Subject,
  data: CommentData,
  edits: EditHistory | undefined,
): GitHubEventOf<'comment'> | undefined {
  if (edits === undefined) return undefined;
  const author = accountOf(data.user);
  const known = wasRecorded(subject, data.id);
  const facts = { ...factsOf(subject, data), author };
  const other = otherEditor(edits, author);
  if (other !== undefined) return { ...facts, action: 'edited', sender: { ...other, bot: false } };
  if (known === false) return { ...facts, action: 'created', sender: author };
  if (edits !== null && edits.length > 0) return { ...facts, action: 'edited', sender: author };
  return known === true ? undefined : { ...facts, action: 'created', sender: author };
}

/** Undefined when it is unknown. */
function wasRecorded({ seen }: Subject, comment: number): boolean | undefined {
  return seen && [...seen].some((id) => id.startsWith(`comment:${comment}@`));
}

function factsOf({ repository, number, title, labels }: Subject, data: CommentData) {
  return {
    kind: 'comment',
    repository,
    installation_id: null,
    at: data.updated_at,
    comment: commentOf(data, true),
    issue: { number, title, body: '', open: true, is_pull: true, labels },
  } as const;
}

/** The pull request whose comments and reviews are read. */
export interface Subject extends Pull {
  readonly repository: Repository;
  readonly title: string;
  /** The ids of the run's events, which tell whether a comment was already recorded. */
  readonly seen?: ReadonlySet<string>;
}

/** GitHub does not say who edited one of its texts, such as `comment 5`. */
function unreadIn({ repository, number }: Subject, text: string): Error {
  return new Error(
    `GitHub does not say who edited ${text} of ${repository.owner}/${repository.name}#${number}`,
  );
}

type ReviewEvent = GitHubEventOf<'review'>;

/**
 * The reviews submitted since a time, as if their webhooks had arrived, and all dismissals: GitHub lists no
 * time for those, and recording one twice changes nothing. The text of a review that anyone else ever edited
 * says nothing: people with write access can put a command into a colleague's review. That it requested
 * changes counts all the same, also if it was dismissed since.
 */
async function reviewsSince(octokit: Octokit, subject: Subject, since: string) {
  const { found, complete } = await newestReviews(octokit, subject.repository, subject.number);
  const dismissed = found.filter(({ state }) => stateOf(state) === 'dismissed');
  const fallen = dismissed.length > 0 ? await dismissals(octokit, subject, dismissed) : [];
  const objections = new Set(fallen.filter(({ was }) => was === 'changes_requested').map(({ id }) => id));
  const fresh = found
    .map((data) => (objections.has(data.id) ? { ...data, state: 'changes_requested' } : data))
    .filter((data) => isNewReview(subject, data, since));
  const edits = await editsOf(
    octokit,
    fresh.map(({ node_id }) => node_id),
  );
  const submitted = fresh.flatMap((data) => submittedEvent(subject, data, edits.get(data.node_id)) ?? []);
  const unread = fresh.filter(({ node_id }) => !edits.has(node_id));
  const unlisted = complete ? [] : [tooMany(subject, 'reviews')];
  return {
    events: [...submitted, ...fallen.map(({ event }) => event)],
    unread: [...unread.map(({ id }) => unreadIn(subject, `review ${id}`)), ...unlisted],
  };
}

function submittedEvent(
  subject: Subject,
  data: ReviewData,
  edits: EditHistory | undefined,
): ReviewEvent | undefined {
  const state = stateOf(data.state);
  if (state === undefined || edits === undefined) return undefined;
  const sender = accountOf(data.user);
  const isOwn = otherEditor(edits, sender) === undefined;
  if (!isOwn && state !== 'changes_requested') return undefined;
  const at = data.submitted_at ?? '';
  return reviewEvent(subject, isOwn ? data : { ...data, body: '' }, {
    action: 'submitted',
    state,
    at,
    sender,
  });
}

function isNewReview({ seen }: Subject, data: ReviewData, since: string): boolean {
  const state = stateOf(data.state);
  if (state === undefined || state === 'dismissed' || seen?.has(`review:${data.id}`)) return false;
  if (data.submitted_at === undefined || isSurelyBefore(data.submitted_at, since)) return false;
  return !accountOf(data.user).bot;
}

type ReviewData = Awaited<ReturnType<typeof newestReviews>>['found'][number];

/** Only the issue's events say who dismissed a review, when, and what it was. */
async function dismissals(octokit: Octokit, subject: Subject, dismissed: readonly ReviewData[]) {
  const events = await newestEvents(octokit, subject.repository, subject.number, maxPages);
  return events.flatMap((event) => {
    if (event.event !== 'review_dismissed' || !('dismissed_review' in event)) return [];
    const review = dismissed.find(({ id }) => id === event.dismissed_review?.review_id);
    if (review === undefined) return [];
    const facts = { action: 'dismissed', state: 'dismissed', at: event.created_at } as const;
    const sender = accountOf(event.actor);
    return [
      {
        id: review.id,
        was: event.dismissed_review?.state,
        event: reviewEvent(subject, review, { ...facts, sender }),
      },
    ];
  });
}

function reviewEvent(
  { repository, number, head_ref, head_sha, base_ref, labels }: Subject,
  data: ReviewData,
  { state, ...facts }: Pick<ReviewEvent, 'action' | 'at' | 'sender'> & Pick<Review, 'state'>,
): ReviewEvent {
  return {
    kind: 'review',
    repository,
    installation_id: null,
    ...facts,
    review: { id: data.id, node_id: data.node_id, state, body: data.body, commit_id: data.commit_id ?? '' },
    author: accountOf(data.user),
    pull: { number, head_ref, head_sha, base_ref, labels },
  };
}

/** The API writes states in upper case; pending reviews are ignored. */
function stateOf(state: string): Review['state'] | undefined {
  return states.find((known) => known === state.toLowerCase());
}

const states = ['approved', 'changes_requested', 'commented', 'dismissed'] as const;

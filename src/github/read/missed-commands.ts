import { byTime, isSurelyBefore } from '../../steering/time.ts';
import type { GitHubEventOf, Repository, Review } from '../events/github-event.ts';
import { mayContainCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type EditHistory, editsOf, otherEditor } from './edits.ts';
import { newestPages, readPages } from './pages.ts';
import { accountOf, repoParams } from './repository.ts';

export type MissedCommand = GitHubEventOf<'comment'> | GitHubEventOf<'review'>;

/** Comments and reviews since a time, and where GitHub fails to tell whose words they are. */
export async function missedCommands(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<Missed<MissedCommand> & Reading> {
  const [comments, reviews] = await Promise.all([
    commentsSince(octokit, subject, since),
    reviewsSince(octokit, subject, since),
  ]);
  const events = [...comments.events, ...reviews.events];
  return {
    read_at: comments.read_at,
    complete: comments.complete,
    events: events.toSorted(byTime),
    unread: [...comments.unread, ...reviews.unread],
  };
}

type CommentEvent = GitHubEventOf<'comment'>;

/** A limit for one sweep of a run, 5,000 comments; the oldest come first, and the next sweep goes on. */
const maxPages = 50;

/**
 * The people's comments with commands written or edited since a time, as if their webhooks had arrived. If
 * anyone else ever edited a comment, that is an edit and never a command of its author. One whose edits are
 * unknown is neither.
 */
async function commentsSince(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<Missed<CommentEvent> & Reading> {
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
    events: comments.flatMap((data) => eventFrom(subject, { data, edits: edits.get(data.node_id) }) ?? []),
    unread: comments
      .filter(({ node_id }) => !edits.has(node_id))
      .map(({ id }) => unreadIn(subject, `comment ${id}`)),
  };
}

function isNews(subject: Subject, data: Found['data']): boolean {
  if (accountOf(data.user).bot) return false;
  if (wasTouched(data)) return true;
  return wasRecorded(subject, data.id) !== true && mayContainCommand(data.body ?? '');
}

/** An edit may have removed the command, so an edited comment matters whatever it says now. */
function wasTouched({ created_at, updated_at }: Times): boolean {
  return created_at !== updated_at;
}

interface Times {
  readonly created_at: string;
  readonly updated_at: string;
}

interface Found {
  readonly data: {
    readonly id: number;
    readonly node_id: string;
    readonly body?: string | undefined;
    readonly user: { readonly login: string; readonly id: number; readonly type?: string } | null;
    readonly created_at: string;
    readonly updated_at: string;
    readonly performed_via_github_app?: { readonly id: number; readonly slug?: string | undefined } | null;
  };
  readonly edits: EditHistory | undefined;
}

/** A new comment that only its author has edited counts as created; any other edit as an edit. */
function eventFrom(subject: Subject, { data, edits }: Found): CommentEvent | undefined {
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

function factsOf(subject: Subject, data: Found['data']) {
  const { repository, number, title, labels } = subject;
  const { id, node_id, body = '', created_at, updated_at, performed_via_github_app: app } = data;
  const via_app = app ? { id: app.id, slug: app.slug ?? '' } : null;
  return {
    kind: 'comment',
    repository,
    installation_id: null,
    at: updated_at,
    comment: { id, node_id, body, former: null, created_at, updated_at, via_app, is_own_text: true },
    issue: { number, title, body: '', open: true, is_pull: true, labels },
  } as const;
}

/** The pull request whose comments and reviews are read. */
export interface Subject {
  readonly repository: Repository;
  readonly number: number;
  readonly title: string;
  readonly head_ref: string;
  readonly head_sha: string;
  readonly base_ref: string;
  readonly labels: readonly string[];
  /** The ids of the run's events, which tell whether a comment was already recorded. */
  readonly seen?: ReadonlySet<string>;
}

/** What people wrote on a pull request, as far as GitHub tells whose words they are. */
export interface Missed<E> {
  /** As if their webhooks had arrived; those already recorded have the same ids. */
  readonly events: readonly E[];
  /** One for each text whose edits GitHub does not tell: it may be a command, but it is unknown whose. */
  readonly unread: readonly Error[];
}

/** How far a list was read. */
interface Reading {
  /** Nothing that was written before this is left to read, by GitHub's clock, ISO 8601. */
  readonly read_at: string | undefined;
  readonly complete: boolean;
}

/** Not everything was read, so nobody knows what else was said. */
export function tooMany({ repository, number }: Subject, what: 'comments' | 'reviews'): Error {
  return new Error(
    `there are more ${what} on ${repository.owner}/${repository.name}#${number} than were read`,
  );
}

/** GitHub does not say who edited one of its texts, such as `comment 5`. */
export function unreadIn({ repository, number }: Subject, text: string): Error {
  return new Error(
    `GitHub does not say who edited ${text} of ${repository.owner}/${repository.name}#${number}`,
  );
}

type ReviewEvent = GitHubEventOf<'review'>;

/** A limit for one sweep of a run: the newest 5,000 reviews. */
const maxReviewPages = 50;

/**
 * The reviews submitted since a time, as if their webhooks had arrived, and all dismissals: GitHub lists no
 * time for those, and recording one twice changes nothing. A review whose text anyone else ever edited says
 * nothing: people with write access can put a command into a colleague's review.
 */
async function reviewsSince(octokit: Octokit, subject: Subject, since: string): Promise<Missed<ReviewEvent>> {
  const { repository, number } = subject;
  const place = { ...repoParams(repository), pull_number: number, per_page: 100 };
  const { listReviews } = octokit.rest.pulls;
  const { found, complete } = await newestPages((page) => listReviews({ ...place, page }), maxReviewPages);
  const fresh = found.filter((data) => isNewReview(subject, data, since));
  const edits = await editsOf(
    octokit,
    fresh.map(({ node_id }) => node_id),
  );
  const submitted = fresh.filter((data) => isUntouched(data, edits));
  const dismissed = found.filter(({ state }) => stateOf(state) === 'dismissed');
  const events = submitted.flatMap((data) => {
    const state = stateOf(data.state);
    const when = data.submitted_at ?? '';
    if (state === undefined) return [];
    return [reviewEvent(subject, data, { action: 'submitted', state, when, sender: data.user })];
  });
  const fallen = dismissed.length > 0 ? await dismissals(octokit, subject, dismissed) : [];
  const unread = fresh.filter(({ node_id }) => !edits.has(node_id));
  const unlisted = complete ? [] : [tooMany(subject, 'reviews')];
  return {
    events: [...events, ...fallen],
    unread: [...unread.map(({ id }) => unreadIn(subject, `review ${id}`)), ...unlisted],
  };
}

function isNewReview({ seen }: Subject, data: ReviewData, since: string): boolean {
  const state = stateOf(data.state);
  if (state === undefined || state === 'dismissed' || seen?.has(`review:${data.id}`)) return false;
  if (data.submitted_at === undefined || isSurelyBefore(data.submitted_at, since)) return false;
  return !accountOf(data.user).bot;
}

/** Whether nobody but its author has edited the review's text. */
function isUntouched({ node_id, user }: ReviewData, edits: ReadonlyMap<string, EditHistory>): boolean {
  return otherEditor(edits.get(node_id), accountOf(user)) === undefined;
}

interface ReviewData {
  readonly id: number;
  readonly node_id: string;
  readonly state: string;
  readonly submitted_at?: string | undefined;
  readonly body: string;
  readonly commit_id: string | null;
  readonly user: { readonly login: string; readonly id: number; readonly type: string } | null;
}

/** Only the issue's events say who dismissed a review, and when. */
async function dismissals(
  octokit: Octokit,
  subject: Subject,
  dismissed: readonly ReviewData[],
): Promise<readonly ReviewEvent[]> {
  const place = { ...repoParams(subject.repository), issue_number: subject.number, per_page: 100 };
  const { listEvents } = octokit.rest.issues;
  const { found } = await newestPages((page) => listEvents({ ...place, page }), maxReviewPages);
  return found.flatMap((event) => {
    if (event.event !== 'review_dismissed' || !('dismissed_review' in event)) return [];
    const review = dismissed.find(({ id }) => id === event.dismissed_review?.review_id);
    if (review === undefined) return [];
    const facts = { action: 'dismissed', state: 'dismissed', when: event.created_at } as const;
    return [reviewEvent(subject, review, { ...facts, sender: event.actor })];
  });
}

interface Facts {
  readonly action: ReviewEvent['action'];
  readonly state: Review['state'];
  readonly when: string;
  readonly sender: ReviewData['user'];
}

function reviewEvent(subject: Subject, data: ReviewData, facts: Facts): ReviewEvent {
  const { action, state, when, sender } = facts;
  const { repository, number, head_ref, head_sha, base_ref, labels } = subject;
  return {
    kind: 'review',
    repository,
    installation_id: null,
    sender: accountOf(sender),
    at: when,
    action,
    review: { id: data.id, node_id: data.node_id, state, body: data.body, commit_id: data.commit_id ?? '' },
    author: accountOf(data.user),
    pull: { number, head_ref, head_sha, base_ref, labels },
  };
}

/** The API writes states in upper case; pending reviews are ignored. */
function stateOf(state: string): Review['state'] | undefined {
  switch (state.toLowerCase()) {
    case 'approved':
      return 'approved';
    case 'changes_requested':
      return 'changes_requested';
    case 'commented':
      return 'commented';
    case 'dismissed':
      return 'dismissed';
  }
  return undefined;
}

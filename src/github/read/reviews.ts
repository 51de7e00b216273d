import { isSurelyBefore } from '../../steering/time.ts';
import type { GitHubEventOf, Review } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type EditHistory, editsOf, otherEditor } from './edits.ts';
import { type Missed, tooMany, unreadIn } from './missed.ts';
import { newestPages } from './pages.ts';
import { accountOf, repoParams } from './repository.ts';
import type { Subject } from './subject.ts';

type ReviewEvent = GitHubEventOf<'review'>;

/** A limit for one sweep of a run: the newest 5,000 reviews. */
const maxPages = 50;

/**
 * The reviews submitted since a time, as if their webhooks had arrived, and all dismissals: GitHub lists no
 * time for those, and recording one twice changes nothing. A review whose text anyone else ever edited says
 * nothing: people with write access can put a command into a colleague's review.
 */
export async function reviewsSince(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<Missed<ReviewEvent>> {
  const { repository, number } = subject;
  const place = { ...repoParams(repository), pull_number: number, per_page: 100 };
  const { listReviews } = octokit.rest.pulls;
  const { found, complete } = await newestPages((page) => listReviews({ ...place, page }), maxPages);
  const fresh = found.filter((data) => isNews(subject, data, since));
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
    return [eventFrom(subject, data, { action: 'submitted', state, when, sender: data.user })];
  });
  const fallen = dismissed.length > 0 ? await dismissals(octokit, subject, dismissed) : [];
  const unread = fresh.filter(({ node_id }) => !edits.has(node_id));
  const unlisted = complete ? [] : [tooMany(subject, 'reviews')];
  return {
    events: [...events, ...fallen],
    unread: [...unread.map(({ id }) => unreadIn(subject, `review ${id}`)), ...unlisted],
  };
}

function isNews({ seen }: Subject, data: ReviewData, since: string): boolean {
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
  const { found } = await newestPages((page) => listEvents({ ...place, page }), maxPages);
  return found.flatMap((event) => {
    if (event.event !== 'review_dismissed' || !('dismissed_review' in event)) return [];
    const review = dismissed.find(({ id }) => id === event.dismissed_review?.review_id);
    if (review === undefined) return [];
    const facts = { action: 'dismissed', state: 'dismissed', when: event.created_at } as const;
    return [eventFrom(subject, review, { ...facts, sender: event.actor })];
  });
}

interface Facts {
  readonly action: ReviewEvent['action'];
  readonly state: Review['state'];
  readonly when: string;
  readonly sender: ReviewData['user'];
}

function eventFrom(subject: Subject, data: ReviewData, facts: Facts): ReviewEvent {
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

import type { Account, HeardOf, Issue, Pull, Repository } from '../listen/heard.ts';
import type { Octokit } from '../octokit/connect.ts';
import { at } from './where.ts';

/** A run's pull request, as far as words about it need it. */
export interface Subject {
  readonly repository: Repository;
  readonly number: number;
  readonly title: string;
  readonly head_ref: string;
  readonly head_sha: string;
  readonly labels: readonly string[];
}

type Words = HeardOf<'comment'> | HeardOf<'review'>;

/** What people said on a pull request since a time, as its webhooks would have told it: heard twice, it counts once. */
export async function wordsSince(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<readonly Words[]> {
  const [comments, reviews] = await Promise.all([
    commentsSince(octokit, subject, since),
    reviewsSince(octokit, subject, since),
  ]);
  return [...comments, ...reviews].toSorted((one, other) => one.at.localeCompare(other.at));
}

async function commentsSince(octokit: Octokit, subject: Subject, since: string): Promise<Words[]> {
  const { repository, number } = subject;
  const place = { ...at(repository), issue_number: number, since, per_page: 100 };
  const comments = await octokit.paginate(octokit.rest.issues.listComments, place);
  return comments.map(({ id, body = '', user, created_at, updated_at }) => {
    const author = accountOf(user);
    const isNew = created_at === updated_at;
    return {
      kind: 'comment',
      action: isNew ? 'created' : 'edited',
      repository,
      installation_id: null,
      // Who edited a comment is not told here; only its author's edit could count, and only for a queued steer.
      sender: author,
      at: updated_at,
      author,
      issue: issueOf(subject),
      comment: { id, body, former: isNew ? null : body, updated_at },
    };
  });
}

/** GitHub lists reviews oldest first and takes no time; a page holds 100. */
async function reviewsSince(octokit: Octokit, subject: Subject, since: string): Promise<Words[]> {
  const { repository, number } = subject;
  const place = { ...at(repository), pull_number: number, per_page: 100 };
  const reviews = await octokit.paginate(octokit.rest.pulls.listReviews, place);
  return reviews.flatMap(({ id, body, user, state, commit_id, submitted_at }) => {
    const kind = reviewStates[state];
    if (submitted_at === undefined || submitted_at < since || kind === undefined) return [];
    const author = accountOf(user);
    return {
      kind: 'review',
      action: 'submitted',
      repository,
      installation_id: null,
      sender: author,
      at: submitted_at,
      author,
      pull: pullOf(subject),
      review: { id, state: kind, body, commit_id: commit_id ?? '' },
    } as const;
  });
}

const reviewStates: Readonly<Record<string, 'approved' | 'changes_requested' | 'commented'>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
};

function accountOf(user: { readonly login: string; readonly type: string } | null): Account {
  if (user === null) return { login: 'ghost', bot: false };
  return { login: user.login, bot: user.type === 'Bot' || user.login.endsWith('[bot]') };
}

function issueOf({ number, title, labels }: Subject): Issue {
  return { number, title, body: '', open: true, is_pull: true, labels };
}

function pullOf({ number, head_ref, head_sha, labels }: Subject): Pull {
  return { number, head_ref, head_sha, labels };
}

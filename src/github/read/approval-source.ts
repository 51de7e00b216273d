import type { Command } from '../../steering/commands/index.ts';
import type { Account } from '../../steering/person.ts';
import type { Source } from '../../steering/source.ts';
import type { Approval } from '../../steering/state.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type OwnChecks, wasClicked } from './own-checks.ts';
import { accountOf, repoParams } from './repository.ts';
import { unlessGone } from './unless-gone.ts';

/** What GitHub has at the place from which an approval came. */
export type ApprovalSource =
  | { readonly from: 'nowhere'; readonly why: string }
  | { readonly from: 'click' }
  | ({ readonly from: 'text' } & ApprovalText);

/** A comment or a review as it is now. */
export interface ApprovalText {
  readonly what: 'comment' | 'review';
  readonly node_id: string;
  readonly author: Account;
  readonly body: string;
  /** The digest of the text as it was recorded. */
  readonly sha256: string;
  readonly command: Command | undefined;
  readonly written_at: string;
  /** The App that wrote it on behalf of the author; GitHub does not say that about reviews. */
  readonly via_app: { readonly id: number; readonly slug?: string | undefined } | null;
}

/** Reads the comment, the review or the click again from which an approval came. */
export async function readSource(
  octokit: Octokit,
  pull: OwnChecks,
  { by, at, source }: Approval,
): Promise<ApprovalSource> {
  switch (source.from) {
    case 'comment':
      return readComment(octokit, pull, { by, at, source });
    case 'review':
      return readReview(octokit, pull, { by, at, source });
    case 'click':
      return (await wasClicked(octokit, pull, { by, source }))
        ? { from: 'click' }
        : nowhere(`the click by @${by.login} could not be found`);
    case 'dispatch':
      return nowhere('a workflow cannot approve');
  }
}

interface Given<F extends Source['from']> {
  readonly by: Account;
  /** When it was written, ISO 8601. */
  readonly at: string;
  readonly source: Extract<Source, { from: F }>;
}

async function readComment(
  octokit: Octokit,
  { where, number }: OwnChecks,
  { by, at, source }: Given<'comment'>,
): Promise<ApprovalSource> {
  const { comment_id, text_sha256: sha256 } = source;
  const place = { ...repoParams(where), comment_id };
  const comment = await unlessGone(() => octokit.rest.issues.getComment(place), at);
  if (comment === undefined) return nowhere(`the approving comment by @${by.login} no longer exists`);
  const { issue_url, node_id, user, created_at, performed_via_github_app: via_app = null } = comment.data;
  if (!issue_url.endsWith(`/issues/${number}`))
    return nowhere(`the comment by @${by.login} is on another pull request`);
  const body = comment.data.body ?? '';
  const text = { node_id, author: accountOf(user), body, sha256, command: parseCommand(body), via_app };
  return { from: 'text', what: 'comment', ...text, written_at: created_at };
}

async function readReview(
  octokit: Octokit,
  { where, number: pull_number }: OwnChecks,
  { by, at, source }: Given<'review'>,
): Promise<ApprovalSource> {
  const { review_id, text_sha256: sha256 } = source;
  const place = { ...repoParams(where), pull_number, review_id };
  const review = await unlessGone(() => octokit.rest.pulls.getReview(place), at);
  if (review === undefined) return nowhere(`the approving review by @${by.login} no longer exists`);
  const { state, node_id, commit_id, user, body, submitted_at: written_at = '' } = review.data;
  if (state === 'DISMISSED') return nowhere(`the approving review by @${by.login} was dismissed`);
  const plain = state === 'APPROVED' ? ({ type: 'approve', sha: null, despite: [] } as const) : undefined;
  const said = parseCommand(body) ?? plain;
  // A review belongs to a commit, whatever its text says.
  const sha = commit_id ?? '-';
  if (said?.type === 'approve' && !sha.startsWith(said.sha ?? ''))
    return nowhere(`the approving review by @${by.login} names another commit`);
  const command = said?.type === 'approve' ? { ...said, sha } : said;
  const text = { node_id, author: accountOf(user), body, sha256, command, via_app: null };
  return { from: 'text', what: 'review', ...text, written_at };
}

function nowhere(why: string): ApprovalSource {
  return { from: 'nowhere', why };
}

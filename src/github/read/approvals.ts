import type { Command } from '../../steering/commands/index.ts';
import type { FinishFacts } from '../../steering/event.ts';
import { mayApprove, mayOverride } from '../../steering/policy.ts';
import type { ApprovalSettings } from '../../steering/settings.ts';
import type { Source } from '../../steering/source.ts';
import type { Approval } from '../../steering/state.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { textSha256 } from '../text-digest.ts';
import { editorsOf, somebody } from './edits.ts';
import { shownAt, wasClicked } from './own-checks.ts';
import { type RepositoryRef, repoParams } from './repository.ts';
import { roleOf } from './roles.ts';

type ApprovalCheck = FinishFacts['approvals'][number];

/**
 * Reads an approval again at its source, with the author's current role. The ledger alone is not proof:
 * anyone with write access could have force-pushed its ref.
 */
export async function readApproval(
  octokit: Octokit,
  pull: Approvable,
  approval: Approval,
): Promise<ApprovalCheck> {
  const objection = await objectionAtSource(octokit, pull, approval);
  if (objection !== undefined) return { id: approval.id, stands: false, why: objection };
  const { role } = await roleOf(octokit, pull.where, approval.by.login);
  const person = { ...approval.by, role };
  const may = mayApprove(pull.approval, person) && (approval.despite.length === 0 || mayOverride(person));
  const why = may ? '' : `@${approval.by.login} is no longer allowed to approve (role ${role})`;
  return { id: approval.id, stands: may, why };
}

/** The pull request, the approval rules and our own login, none of them taken from the ledger. */
export interface Approvable {
  readonly where: RepositoryRef;
  readonly number: number;
  readonly approval: Pick<ApprovalSettings, 'by'>;
  readonly own: Own;
}

async function objectionAtSource(
  octokit: Octokit,
  pull: Approvable,
  approval: Approval,
): Promise<string | undefined> {
  const { source } = approval;
  switch (source.from) {
    case 'comment':
      return objectionToComment(octokit, pull, { approval, source });
    case 'review':
      return objectionToReview(octokit, pull, { approval, source });
    case 'click':
      return (await wasClicked(octokit, pull, { login: approval.by.login, source }))
        ? undefined
        : `the click by @${approval.by.login} could not be found`;
    case 'dispatch':
      return 'a workflow cannot approve';
  }
}

interface Given<F extends Source['from']> {
  readonly approval: Approval;
  readonly source: Extract<Source, { from: F }>;
}

async function objectionToComment(
  octokit: Octokit,
  pull: Approvable,
  { approval, source }: Given<'comment'>,
): Promise<string | undefined> {
  const { by, head_sha } = approval;
  const comment_id = source.comment_id;
  const comment = await unlessGone(octokit.rest.issues.getComment({ ...repoParams(pull.where), comment_id }));
  if (comment === undefined) return `the approving comment by @${by.login} no longer exists`;
  const { issue_url, created_at, body } = comment.data;
  if (!issue_url.endsWith(`/issues/${pull.number}`))
    return `the comment by @${by.login} is on another pull request`;
  const command = parseCommand(body ?? '');
  const objection =
    objectionToText(comment.data, approval, source.text_sha256) ??
    objectionToWords(command, approval) ??
    (await objectionToEditor(octokit, comment.data, by.login));
  if (objection !== undefined || (command?.type === 'approve' && command.sha !== null)) return objection;
  // Without a SHA, a comment is about the commit shown at the time and must not approve a newer one.
  const shown_at = await shownAt(octokit, pull, head_sha);
  return shown_at !== undefined && Date.parse(created_at) >= Date.parse(shown_at)
    ? undefined
    : `@${by.login} may have meant a commit other than ${head_sha.slice(0, 7)}`;
}

/** On GitHub, people with write access can edit the comments of others. */
async function objectionToEditor(
  octokit: Octokit,
  { node_id, created_at, updated_at }: Editable,
  author: string,
): Promise<string | undefined> {
  const editor = (await editorsOf(octokit, [node_id])).get(node_id) ?? author;
  // Times have whole seconds, so they cannot rule out an edit, but without an answer they have to suffice.
  const isUnknown = editor === somebody && updated_at === created_at;
  return isUnknown || editor === author ? undefined : `the comment by @${author} was edited by @${editor}`;
}

interface Editable {
  readonly node_id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

async function objectionToReview(
  octokit: Octokit,
  { where, number: pull_number }: Approvable,
  { approval, source }: Given<'review'>,
): Promise<string | undefined> {
  const { login } = approval.by;
  const { review_id } = source;
  const review = await unlessGone(
    octokit.rest.pulls.getReview({ ...repoParams(where), pull_number, review_id }),
  );
  if (review === undefined) return `the approving review by @${login} no longer exists`;
  const { state, commit_id, body } = review.data;
  if (state === 'DISMISSED') return `the approving review by @${login} was dismissed`;
  const plain = state === 'APPROVED' ? ({ type: 'approve', sha: null, despite: [] } as const) : undefined;
  const command = parseCommand(body ?? '') ?? plain;
  const named = command?.type === 'approve' ? { ...command, sha: command.sha ?? commit_id ?? '-' } : command;
  return objectionToText(review.data, approval, source.text_sha256) ?? objectionToWords(named, approval);
}

interface Text {
  readonly body?: string | null;
  readonly user: { readonly login: string } | null;
}

function objectionToText({ body, user }: Text, { by }: Approval, sha256: string): string | undefined {
  if (user?.login !== by.login) return `the author of the approval is no longer @${by.login}`;
  return textSha256(body ?? '') === sha256 ? undefined : `the approval by @${by.login} was edited`;
}

/** Even unedited text may differ from what the ledger recorded about it. */
function objectionToWords(
  command: Command | undefined,
  { by, head_sha, despite }: Approval,
): string | undefined {
  if (command?.type !== 'approve') return `the text by @${by.login} is not an approval`;
  if (!head_sha.startsWith(command.sha ?? '')) return `the approval by @${by.login} names another commit`;
  const unsaid = despite.filter((name) => !command.despite.includes(name));
  return unsaid.length === 0 ? undefined : `@${by.login} did not override ${unsaid.join(', ')}`;
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return undefined;
    throw fault;
  }
}

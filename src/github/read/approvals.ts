import type { Command } from '../../steering/command.ts';
import type { FinishFacts } from '../../steering/event.ts';
import { mayApprove, mayPassOver } from '../../steering/policy.ts';
import type { ApprovalSettings } from '../../steering/settings.ts';
import type { Source } from '../../steering/source.ts';
import type { Approval } from '../../steering/state.ts';
import { textSha256 } from '../listen/command-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { shownAt, wasClicked } from './own-checks.ts';
import { type RepositoryRef, repoParams } from './repository.ts';
import { roleOf } from './roles.ts';

type Standing = FinishFacts['approvals'][number];

/**
 * Reads an approval again where it was given, with the role its author has now. The ledger is the memory,
 * not the authority: anyone with write access could have forced its ref.
 */
export async function readApproval(
  octokit: Octokit,
  pull: Approvable,
  approval: Approval,
): Promise<Standing> {
  const gone = await objectionAtSource(octokit, pull, approval);
  if (gone !== undefined) return { id: approval.id, stands: false, why: gone };
  const { role } = await roleOf(octokit, pull.where, approval.by.login);
  const person = { ...approval.by, role };
  const may = mayApprove(pull.approval, person) && (approval.despite.length === 0 || mayPassOver(person));
  const why = may ? '' : `@${approval.by.login} may no longer approve (role ${role})`;
  return { id: approval.id, stands: may, why };
}

/** Which pull request it is, by what rules, and who we are: none of it as the ledger says. */
export interface Approvable {
  readonly where: RepositoryRef;
  readonly number: number;
  readonly approval: Pick<ApprovalSettings, 'by'>;
  readonly own: { readonly login: string };
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
        : `the click of @${approval.by.login} is not to be found`;
    case 'dispatch':
      return 'no workflow can approve';
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
  if (comment === undefined) return `the approving comment of @${by.login} is gone`;
  const { issue_url, created_at, body } = comment.data;
  if (!issue_url.endsWith(`/issues/${pull.number}`)) return `the comment of @${by.login} is about another`;
  const command = parseCommand(body ?? '');
  const objection =
    objectionToText(comment.data, approval, source.text_sha256) ?? objectionToWords(command, approval);
  if (objection !== undefined || (command?.type === 'approve' && command.sha !== null)) return objection;
  // What names no commit is about the one that was there: an older word must not speak for a newer commit.
  const shown_at = await shownAt(octokit, pull, head_sha);
  return shown_at !== undefined && Date.parse(created_at) >= Date.parse(shown_at)
    ? undefined
    : `@${by.login} may have meant another commit than ${head_sha.slice(0, 7)}`;
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
  if (review === undefined) return `the approving review of @${login} is gone`;
  const { state, commit_id, body } = review.data;
  if (state === 'DISMISSED') return `the approving review of @${login} was dismissed`;
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
  if (user?.login !== by.login) return `the approval of @${by.login} is somebody else's by now`;
  return textSha256(body ?? '') === sha256 ? undefined : `the approving words of @${by.login} were edited`;
}

/** Words that are there and unchanged may still say something else than the ledger has of them. */
function objectionToWords(
  command: Command | undefined,
  { by, head_sha, despite }: Approval,
): string | undefined {
  if (command?.type !== 'approve') return `the words of @${by.login} are no approval`;
  if (!head_sha.startsWith(command.sha ?? '')) return `the words of @${by.login} are about another commit`;
  const unsaid = despite.filter((name) => !command.despite.includes(name));
  return unsaid.length === 0 ? undefined : `@${by.login} did not say to go past ${unsaid.join(', ')}`;
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return undefined;
    throw fault;
  }
}

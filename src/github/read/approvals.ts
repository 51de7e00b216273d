import type { FinishFacts } from '../../steering/event.ts';
import { mayApprove } from '../../steering/policy.ts';
import type { Approval, State } from '../../steering/state.ts';
import { textSha256 } from '../listen/said.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { roleOf } from './roles.ts';
import { at, type Where } from './where.ts';

type Standing = FinishFacts['approvals'][number];

/**
 * Reads an approval again where it was given, with the role its author has now. The ledger is the memory,
 * not the authority: anyone with write access could have forced its ref.
 */
export async function readApproval(
  octokit: Octokit,
  { run, settings }: State,
  approval: Approval,
): Promise<Standing> {
  const where = { owner: run.owner, name: run.repo };
  const gone = await objectionAtSource(octokit, { where, number: run.number }, approval);
  if (gone !== undefined) return { id: approval.id, stands: false, why: gone };
  const { role } = await roleOf(octokit, where, approval.by.login);
  const may = mayApprove(settings.approval, { ...approval.by, role });
  const why = may ? '' : `@${approval.by.login} may no longer approve (role ${role})`;
  return { id: approval.id, stands: may, why };
}

interface Pull {
  readonly where: Where;
  readonly number: number;
}

async function objectionAtSource(
  octokit: Octokit,
  pull: Pull,
  approval: Approval,
): Promise<string | undefined> {
  const { source, by } = approval;
  switch (source.from) {
    case 'comment': {
      const comment = await unlessGone(
        octokit.rest.issues.getComment({ ...at(pull.where), comment_id: source.comment_id }),
      );
      if (comment === undefined) return `the approving comment of @${by.login} is gone`;
      return objectionToText(comment.data, approval, source.text_sha256);
    }
    case 'review': {
      const { where, number: pull_number } = pull;
      const review = await unlessGone(
        octokit.rest.pulls.getReview({ ...at(where), pull_number, review_id: source.review_id }),
      );
      if (review === undefined) return `the approving review of @${by.login} is gone`;
      if (review.data.state === 'DISMISSED') return `the approving review of @${by.login} was dismissed`;
      return objectionToText(review.data, approval, source.text_sha256);
    }
    // A click is kept in our own check run, which nobody else can change; a dispatch is Actions' own record.
    case 'click':
    case 'dispatch':
      return undefined;
  }
}

interface Text {
  readonly body?: string | null;
  readonly user: { readonly login: string } | null;
}

function objectionToText({ body, user }: Text, { by }: Approval, sha256: string): string | undefined {
  if (user?.login !== by.login) return `the approval of @${by.login} is somebody else's by now`;
  return textSha256(body ?? '') === sha256 ? undefined : `the approving words of @${by.login} were edited`;
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return undefined;
    throw fault;
  }
}

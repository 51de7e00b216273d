import type { Octokit } from '../octokit/connect.ts';
import { hearClick, hearRecheck } from './checks.ts';
import { hearComment } from './comments.ts';
import type { Heard } from './github-event.ts';
import { hearBranchDeleted, hearPushed } from './pushes.ts';
import { concernsUs } from './relevance.ts';
import { hearReview } from './reviews.ts';
import type { Hearing } from './run-event.ts';
import { hearDispatch, hearLabeled } from './start-request.ts';

/**
 * Puts what was heard into events, each with an id from its cause, looking up live who spoke.
 * Throws `GitHubFault` when GitHub cannot be asked; then nothing has been heard and it can be tried again.
 */
export async function hear(heard: Heard, ears: Ears): Promise<Hearing[]> {
  if (!concernsUs(heard)) return [];
  switch (heard.kind) {
    case 'comment':
      return hearComment(heard, ears);
    case 'review':
      return hearReview(heard, ears);
    case 'click':
      return hearClick(heard, ears);
    case 'recheck':
      return hearRecheck(heard, ears);
    case 'labeled':
      return hearLabeled(heard, ears);
    case 'dispatch':
      return hearDispatch(heard, ears);
    case 'pushed':
      return hearPushed(heard, ears);
    case 'branch_deleted':
      return hearBranchDeleted(heard, ears);
    case 'closed':
    case 'reopened':
    case 'body_edited':
    case 'installed':
    case 'schedule':
      return hearPlainly(heard);
  }
}

/** What hearing needs besides what was heard. */
export interface Ears {
  readonly octokit: Octokit;
  /** The label that starts a run (`labels.trigger`). */
  readonly trigger: string;
  /** Who we are: what we write ourselves is never a command. */
  readonly own: { readonly login: string };
}

type Plain = Extract<Heard, { kind: 'closed' | 'reopened' | 'body_edited' | 'installed' | 'schedule' }>;

/** Facts that are complete as they came. */
function hearPlainly(heard: Plain): Hearing[] {
  const { installation_id } = heard;
  const by = heard.sender.login;
  switch (heard.kind) {
    case 'closed': {
      const { repository, pull, merged, at } = heard;
      const event = { type: 'closed', id: `closed:${at}`, at, merged, by } as const;
      return [{ kind: 'event', repository, installation_id, number: pull.number, event }];
    }
    case 'reopened': {
      const { repository, pull, at } = heard;
      const event = { type: 'reopened', id: `reopened:${at}`, at, by } as const;
      return [{ kind: 'event', repository, installation_id, number: pull.number, event }];
    }
    case 'body_edited': {
      const { repository, pull, before, after, sender } = heard;
      const { number } = pull;
      return [{ kind: 'body_edited', repository, installation_id, number, by: sender, before, after }];
    }
    case 'installed': {
      const { account, repositories } = heard;
      return [{ kind: 'installed', installation_id, account, repositories }];
    }
    case 'schedule':
      return [{ kind: 'sweep', repository: heard.repository, installation_id }];
  }
}

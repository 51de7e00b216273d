import type { GitHubEvent, GitHubEventOf } from '../events/github-event.ts';
import { translateCheckEnded, translateClick, translateRecheck } from './checks.ts';
import { translateComment } from './comments.ts';
import { translateBranchDeleted, translatePush, translateTurn } from './pushes.ts';
import { translateReview } from './reviews.ts';
import { type RunEvent, repositoryOf, type TranslateContext } from './run-event.ts';
import { translateDispatch, translateLabel } from './start-request.ts';

/**
 * Translates an incoming event into events of runs, each with an id from its cause, and looks up the current
 * role of its author. Throws `GitHubFault` when GitHub cannot be reached; it is safe to try again.
 */
export async function translate(incoming: GitHubEvent, context: TranslateContext): Promise<RunEvent[]> {
  switch (incoming.kind) {
    case 'comment':
      return translateComment(incoming, context);
    case 'review':
      return translateReview(incoming, context);
    case 'click':
      return translateClick(incoming, context);
    case 'recheck':
      return translateRecheck(incoming, context);
    case 'check_ended':
      return translateCheckEnded(incoming, context);
    case 'labeled':
      return translateLabel(incoming, context);
    case 'dispatch':
      return translateDispatch(incoming, context);
    case 'pushed':
      return translatePush(incoming, context);
    case 'branch_deleted':
      return translateBranchDeleted(incoming, context);
    case 'relabeled':
      return translateRelabeled(incoming, context);
    case 'closed':
    case 'reopened':
      return translateTurn(incoming, context);
    case 'pull_changed':
    case 'retargeted':
    case 'body_edited':
    case 'checks_passed':
    case 'installed':
    case 'schedule':
      return translatePlain(incoming);
  }
}

/** GitHub reports each label that we change ourselves, too. */
function translateRelabeled(incoming: GitHubEventOf<'relabeled'>, { own }: TranslateContext): RunEvent[] {
  if (incoming.sender.login === own.login) return [];
  return [{ kind: 'relabeled', ...repositoryOf(incoming), number: incoming.pull.number }];
}

type Plain = Extract<
  GitHubEvent,
  {
    kind: 'pull_changed' | 'retargeted' | 'body_edited' | 'installed' | 'schedule' | 'checks_passed';
  }
>;

/** Facts that need no further lookup. */
function translatePlain(incoming: Plain): RunEvent[] {
  const { installation_id } = incoming;
  const by = incoming.sender.login;
  switch (incoming.kind) {
    case 'pull_changed': {
      const { repository, pull, opener, commits } = incoming;
      const { number, head_sha, base_ref } = pull;
      const about = { number, head_sha, base_ref, opener, commits };
      return [{ kind: 'other_pull', repository, installation_id, ...about }];
    }
    case 'retargeted': {
      const { repository, pull, at } = incoming;
      const { number, base_ref: base } = pull;
      return [{ kind: 'retargeted', repository, installation_id, number, base, at, by }];
    }
    case 'body_edited': {
      const { repository, pull, before, after, sender } = incoming;
      const { number } = pull;
      return [{ kind: 'body_edited', repository, installation_id, number, by: sender, before, after }];
    }
    case 'checks_passed':
      return [
        {
          kind: 'checks_passed',
          repository: incoming.repository,
          installation_id,
          numbers: incoming.numbers,
        },
      ];
    case 'installed': {
      const { account, repositories } = incoming;
      return [{ kind: 'installed', installation_id, account, repositories }];
    }
    case 'schedule':
      return [{ kind: 'sweep', repository: incoming.repository, installation_id }];
  }
}

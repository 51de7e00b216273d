import type { GitHubEvent, GitHubEventOf } from '../events/github-event.ts';
import { translateCheckEnded, translateClick, translateRecheck } from './checks.ts';
import { translateComment } from './comments.ts';
import { translateBranchDeleted, translatePush, translateTurn } from './pushes.ts';
import { translateQueueTurn } from './queue-turns.ts';
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
    case 'enqueued':
    case 'dequeued':
      return translateQueueTurn(incoming, context);
    case 'merge_group': {
      const { action, merged, base, head_sha: head } = incoming;
      const is = action === 'checks_requested' ? 'wanted' : merged ? 'merged' : 'gone';
      return [{ kind: 'merge_group', ...repositoryOf(incoming), base, head, is }];
    }
    case 'pull_changed':
      return translateOther(incoming);
    case 'retargeted': {
      const { pull, at, sender } = incoming;
      const { number, base_ref: base } = pull;
      return [{ kind: 'retargeted', ...repositoryOf(incoming), number, base, at, by: sender.login }];
    }
    case 'body_edited': {
      const { pull, before, after, sender: by } = incoming;
      return [{ kind: 'body_edited', ...repositoryOf(incoming), number: pull.number, by, before, after }];
    }
    case 'dependency_turned':
      return [{ kind: 'dependency_turned', ...repositoryOf(incoming), what: incoming.what }];
    case 'checks_passed':
      return [{ kind: 'checks_passed', ...repositoryOf(incoming), numbers: incoming.numbers }];
    case 'installed': {
      const { sender: _, ...installed } = incoming;
      return [installed];
    }
    case 'schedule':
      return [{ kind: 'sweep', ...repositoryOf(incoming) }];
  }
}

/** GitHub reports each label that we change ourselves, too. */
function translateRelabeled(incoming: GitHubEventOf<'relabeled'>, { own }: TranslateContext): RunEvent[] {
  if (incoming.sender.login === own.login) return [];
  return [{ kind: 'relabeled', ...repositoryOf(incoming), number: incoming.pull.number }];
}

function translateOther(incoming: GitHubEventOf<'pull_changed'>): RunEvent[] {
  const { pull, opener, commits } = incoming;
  const { number, head_sha, base_ref } = pull;
  return [{ kind: 'other_pull', ...repositoryOf(incoming), number, head_sha, base_ref, opener, commits }];
}

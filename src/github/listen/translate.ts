import { translateClick, translateRecheck } from './hear-click.ts';
import { translateComment } from './hear-comment.ts';
import {
  translateBranchDeleted,
  translatePush,
  translateQueueTurn,
  translateRetarget,
  translateTurn,
} from './hear-pull.ts';
import { translateDispatch, translateLabel } from './hear-request.ts';
import { translateReview } from './hear-review.ts';
import type { Deed, Heard, Hearing } from './heard.ts';

/**
 * Translates what somebody said or did into events of runs, each with an id from its cause, and looks up the
 * current role of its author. Throws `GitHubFault` when GitHub cannot be reached; it is safe to try again.
 */
export async function translate(incoming: Deed, hearing: Hearing): Promise<Heard[]> {
  switch (incoming.kind) {
    case 'comment':
      return translateComment(incoming, hearing);
    case 'review':
      return translateReview(incoming, hearing);
    case 'click':
      return translateClick(incoming, hearing);
    case 'recheck':
      return translateRecheck(incoming, hearing);
    case 'labeled':
      return translateLabel(incoming, hearing);
    case 'dispatch':
      return translateDispatch(incoming, hearing);
    case 'pushed':
      return translatePush(incoming, hearing);
    case 'branch_deleted':
      return translateBranchDeleted(incoming, hearing);
    case 'retargeted':
      return translateRetarget(incoming);
    case 'closed':
    case 'reopened':
      return translateTurn(incoming);
    case 'enqueued':
    case 'dequeued':
      return translateQueueTurn(incoming, hearing);
  }
}

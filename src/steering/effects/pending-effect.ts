import type { CommandName } from '../commands/index.ts';
import type { RaisableLimit } from '../limits.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import type { Role } from '../person.ts';
import type { Phase, PushByOther } from '../standing.ts';
import type { LedgerLoss } from '../task.ts';

/** An effect to perform exactly once, kept until it is done. `id` derives from the event that caused it. */
export type PendingEffect =
  | {
      readonly id: string;
      readonly do: 'react';
      readonly to: CommentTarget;
      readonly as: 'rocket' | 'confused';
      readonly last?: ComesLast;
    }
  | {
      readonly id: string;
      readonly do: 'reply';
      readonly words: ReplyContent;
      readonly to: string | null;
      readonly last?: ComesLast;
    }
  /**
   * What no longer holds is taken back on GitHub: the decisions on `heads`, which the run has left, and
   * auto-merge if the run was approved.
   */
  | {
      readonly id: string;
      readonly do: 'withdraw';
      readonly heads: readonly string[];
      readonly approved: boolean;
    }
  /**
   * The pull request is closed, once: whoever reopens it afterwards wants it open. `at` is when the run ended,
   * ISO 8601; absent in ledgers of older versions.
   */
  | { readonly id: string; readonly do: 'close'; readonly at?: string }
  /** The end of the run is drawn: a run that has ended and owes nothing is not looked at again. */
  | { readonly id: string; readonly do: 'draw' }
  /** How the run ended is written beside the ledgers, for what later runs of its agent are trusted by. */
  | { readonly id: string; readonly do: 'record_outcome'; readonly outcome: Outcome }
  /** Read the checks of the repository's own CI on the head, then record `checks_reported`. */
  | { readonly id: string; readonly do: 'read_checks' }
  /** Reviews are requested from people (`@ada`) and teams (`@acme/core`). */
  | { readonly id: string; readonly do: 'request_reviews'; readonly of: readonly string[] }
  /** Read GitHub once more, then record `finish_checked`. */
  | { readonly id: string; readonly do: 'check_finish' }
  | {
      readonly id: string;
      readonly do: 'merge';
      readonly head_sha: string;
      readonly when: 'now' | 'allowed';
    };

/** For someone without write access: in a queue of writes to GitHub it comes last. Otherwise absent. */
export type ComesLast = true;

/** Whether an effect can wait for everything else. */
export function comesLast(effect: PendingEffect): boolean {
  return 'last' in effect && effect.last === true;
}

/** Only issue comments take reactions; a review or a click is answered by its effect or by a reply. */
export interface CommentTarget {
  readonly comment_id: number;
}

/** The content of a reply; `src/github/words` turns it into text. */
export type ReplyContent =
  | { readonly say: 'refused'; readonly refusal: Refusal; readonly possible: readonly CommandName[] }
  | { readonly say: 'queued'; readonly place: number }
  /** What became of a steer for an agent at work; `too_late`: no iteration is left that it could begin. */
  | { readonly say: 'told'; readonly how: 'injected' | 'restarted_turn' | 'unable' | 'too_late' }
  | { readonly say: 'raised'; readonly limit: RaisableLimit; readonly to: number }
  | { readonly say: 'extended'; readonly to: number }
  /** `others`: what else is undone, because others pushed it since. */
  | { readonly say: 'undoing'; readonly to: number; readonly others: readonly PushByOther[] }
  | { readonly say: 'not_undone'; readonly to: number; readonly why: string }
  /** A steer that waited comes to nothing. */
  | { readonly say: 'dropped'; readonly by: string }
  | { readonly say: 'withdrawn' | 'changed' | 'unchanged'; readonly place: number }
  | (Fallen & {
      readonly say: 'revoked';
      readonly approved: string;
      readonly head: string;
      readonly by: string;
    })
  | (Fallen & {
      readonly say: 'retargeted';
      readonly from: string;
      readonly base: string;
      readonly by: string;
    })
  | (Fallen & { readonly say: 'finish_refused'; readonly reasons: readonly string[] })
  | { readonly say: 'restored'; readonly lost: LedgerLoss }
  /** `missing`: each part of a sentence; absent in ledgers of older versions. */
  | {
      readonly say: 'counted';
      readonly have: number;
      readonly need: number;
      readonly missing?: readonly string[];
    }
  /** Why the work is to be rejected, of whoever has clicked on the button. */
  | { readonly say: 'ask_reason' }
  | { readonly say: 'status' | 'why' | 'help' }
  | { readonly say: 'diff'; readonly path: string | null; readonly full: boolean }
  | { readonly say: 'logs'; readonly verifier: string | null };

/** Why a command is refused. */
export type Refusal =
  | { readonly why: 'misspoken'; readonly command: CommandName; readonly problem: string }
  | {
      readonly why: 'not_permitted';
      readonly command: CommandName;
      readonly has: Role;
      readonly needs: string;
    }
  | { readonly why: 'bot' }
  | ({ readonly why: 'own_work' } & OwnWork)
  | ({ readonly why: 'unknown_contributors' } & OwnWork)
  | { readonly why: 'said_by_app'; readonly app: string }
  | { readonly why: 'not_now'; readonly command: CommandName; readonly phase: Phase }
  | { readonly why: 'nothing_to_approve'; readonly phase: Phase }
  /** `in_full`: only the commit's full name will do. */
  | {
      readonly why: 'other_head';
      readonly approved: string;
      readonly head: string;
      readonly in_full?: boolean;
    }
  | { readonly why: 'just_landed'; readonly head: string }
  | { readonly why: 'just_held'; readonly head: string }
  | { readonly why: 'just_asked' }
  | { readonly why: 'agent_unusable'; readonly agent: string; readonly problem: string }
  /** There is nothing to raise; `daily`: what is used up is the operator's budget of the day. */
  | { readonly why: 'no_limit'; readonly limit: RaisableLimit | null; readonly daily?: true }
  | { readonly why: 'beyond_operator'; readonly limit: RaisableLimit; readonly most: number }
  | {
      readonly why: 'not_enough';
      readonly limit: RaisableLimit;
      readonly spent: number;
      readonly raised: number;
    }
  /** `restored`: a ledger that was begun anew does not know whether someone did. */
  | { readonly why: 'pushed_while_shown'; readonly head: string; readonly restored?: boolean }
  | { readonly why: 'other_base'; readonly base: string; readonly head: string }
  | { readonly why: 'already_approved'; readonly by: string }
  /** `has`: the person's role; absent in ledgers of older versions. */
  | { readonly why: 'red_verifiers'; readonly names: readonly string[]; readonly has?: Role }
  | { readonly why: 'despite_needs_maintain'; readonly has: Role }
  | { readonly why: 'not_red'; readonly names: readonly string[] }
  /** `by`: who paused it, if a person did. */
  | { readonly why: 'already_paused'; readonly by: string | null }
  /** The run is as its first iteration left it, or before. */
  | { readonly why: 'nothing_to_undo' }
  /** `named` is the newest iteration or a later one. */
  | { readonly why: 'no_earlier_iteration'; readonly named: number; readonly newest: number }
  | { readonly why: 'undoes_others'; readonly to: number; readonly others: readonly PushByOther[] }
  /** No run may have more. */
  | { readonly why: 'extended_enough'; readonly max: number }
  | { readonly why: 'iterations_used_up'; readonly max: number }
  | { readonly why: 'outdated_button' }
  | { readonly why: 'already_running'; readonly number: number }
  | { readonly why: 'over'; readonly phase: Phase };

/** Approvals no longer count; absent in ledgers of older versions. */
interface Fallen {
  /** The logins of those who gave them. */
  readonly approvers?: readonly string[];
}

interface OwnWork {
  readonly rule: OwnWorkRule;
  /** What someone else has to say; absent for `/approve`. */
  readonly command?: CommandName;
}

/** A setting that keeps people from approving their own work. */
export type OwnWorkRule = 'steerer_may_approve' | 'requester_may_approve';

/** An effect that will never be done. */
export interface UndoneEffect {
  readonly do: PendingEffect['do'];
  /** GitHub's. */
  readonly reason: string;
}

import type { CommandName, CommandOf, OwnRefusal, OwnReply, QueryCommand } from '../commands/index.ts';
import type { AnnouncedEvent } from '../shapes/announced-events.ts';
import type { Role } from '../shapes/people.ts';
import type { Phase } from '../shapes/standing.ts';
import type { LedgerLoss, Outcome, Replacement } from '../shapes/task.ts';

/**
 * What a run owes: each effect is kept until it is done, and its `id`, which derives from its event, tells a
 * repetition so. Two do not end like that: a notification may be sent twice or be given up, and what GitHub
 * refuses for good becomes `undone`.
 */
export type PendingEffect = Readonly<
  | { id: string; do: 'reply'; words: ReplyContent; to: string | null; last?: ComesLast }
  /**
   * What no longer holds is taken back on GitHub: the decisions on `heads`, which the run has left, and
   * auto-merge if the run was approved, and its place in a merge queue if it is `queued`.
   */
  | { id: string; do: 'withdraw'; heads: readonly string[]; approved: boolean; queued?: true }
  /**
   * The pull request is closed, once: whoever reopens it afterwards wants it open. `at` is when the run
   * ended, ISO 8601; absent in ledgers of older versions.
   */
  | { id: string; do: 'close'; at?: string }
  /** The end of the run is drawn; only owed in ledgers of older versions. */
  | { id: string; do: 'draw' }
  /** How the run ended is written beside the ledgers, for what later runs of its agent are trusted by. */
  | { id: string; do: 'record_outcome'; outcome: Outcome }
  /**
   * Make the runs that take the place of this one, as `standing.spawning` names them, then record `spawned`.
   */
  | { id: string; do: 'spawn' }
  /** Runs that depend on this one are told how it ended, or what has taken its place. */
  | { id: string; do: 'wake' }
  /** The issue is told that the run of it was given up or replaced. */
  | { id: string; do: 'tell_issue' }
  /** The issue is closed if this run was the last one of those that took the place of one for it. */
  | { id: string; do: 'close_issue' }
  /** Read the checks of the repository's own CI on the head, then record `checks_reported`. */
  | { id: string; do: 'read_checks' }
  /** Reviews are requested from people (`@ada`) and teams (`@acme/core`). */
  | { id: string; do: 'request_reviews'; of: readonly string[] }
  /** Read GitHub once more, then record `finish_checked`. */
  | { id: string; do: 'check_finish' }
  | { id: string; do: 'merge'; head_sha: string; when: 'now' | 'allowed' }
  | Notification
>;

/**
 * A target of the operator's is told an announcement: the one with this place among those of the ledger's
 * entry `seq`. It is sent beside everything else, for a target may not answer for a day.
 */
export type Notification = Readonly<{
  id: string;
  do: 'notify';
  /** The name of a target, as the operator's file has it. */
  to: string;
  seq: number;
  nth: number;
  event: AnnouncedEvent;
  /** When it happened, ISO 8601. */
  at: string;
}>;

/** An effect on GitHub or on other runs. */
export type Performable = Exclude<PendingEffect, Notification>;

/** For someone without write access: in a queue of writes to GitHub it comes last. Otherwise absent. */
type ComesLast = true;

/** Whether an effect can wait for everything else. */
export function comesLast(effect: PendingEffect): boolean {
  return 'last' in effect && effect.last === true;
}

/** The content of a reply; `src/words` turns it into text, and the command itself what is only its own. */
export type ReplyContent = Readonly<
  | { say: 'refused'; refusal: Refusal; possible: readonly CommandName[] }
  | (Fallen & { say: 'revoked'; approved: string; head: string; by: string })
  | (Fallen & { say: 'retargeted'; from: string; base: string; by: string })
  | (Fallen & { say: 'finish_refused'; reasons: readonly string[] })
  /** A person took it out of the merge queue. */
  | { say: 'left_queue'; by: string }
  | { say: 'restored'; lost: LedgerLoss }
  /** What the tasks are that are to take the place of this one. */
  | { say: 'ask_tasks' }
  /** What the run depends on was closed without a merge. */
  | { say: 'dependency_closed'; numbers: readonly number[] }
  /** Runs that were to take its place: those that are there, and why another one cannot be made. */
  | { say: 'spawn_failed'; made: Replacement['made']; name: string; problem: string }
  /** The work was merged by hand before all of the runs were there that were to take its place. */
  | { say: 'spawn_overtaken'; by: string }
  | OwnReply
  | QueryAnswer
>;

/** The answer to a read-only command, which names what was asked for. */
type QueryAnswer = {
  [Q in QueryCommand]: Readonly<{ say: Q }> & Omit<CommandOf<Q>, 'type'>;
}[QueryCommand];

/** Why a command is refused; the refusals of one command only are in its own file. */
export type Refusal = Readonly<
  | { why: 'misspoken'; command: CommandName; problem: string }
  | { why: 'not_permitted'; command: CommandName; has: Role; needs: string }
  | { why: 'bot' }
  | ({ why: 'own_work' } & OwnWork)
  | ({ why: 'unknown_contributors' } & OwnWork)
  | { why: 'said_by_app'; app: string }
  /** It came from a workflow that somebody started by hand. */
  | { why: 'not_by_workflow'; command: CommandName }
  | { why: 'not_now'; command: CommandName; phase: Phase }
  | { why: 'just_held'; head: string }
  | { why: 'just_asked' }
  /** What is wrong with the task that a command describes, each in a sentence. */
  | { why: 'task_problems'; command: CommandName; problems: readonly string[] }
  /** The command names another task than that of the run. */
  | { why: 'other_task'; named: string; id: string }
  /** The command names an interrupt that this run never had. */
  | { why: 'other_interrupt'; command: CommandName; named: string }
  /**
   * The comment is older than the interrupt on show, or names an earlier one, and so is about something else.
   * `happened`: how that ended, absent if the agent was at work.
   */
  | { why: 'written_before'; command: CommandName; names?: true; happened?: InterruptEnd }
  /** Somebody, or something, has ended the interrupt since. */
  | ({ why: 'already_resolved'; phase: Phase } & InterruptEnd)
  | { why: 'outdated_button' }
  | { why: 'over'; phase: Phase }
  | OwnRefusal
>;

/** How something ended that people were asked about. */
interface InterruptEnd {
  readonly by: string;
  readonly how: string;
  /** Absent if that is not over yet, and in ledgers of older versions. */
  readonly at?: string;
  /** Present if the head is another one since. */
  readonly moved?: { readonly from: string; readonly to: string };
}

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
  /** GitHub's, or why a target was not told. */
  readonly reason: string;
}

/** Whether an effect can wait until the next event is recorded: repeating it finds it done. */
export function mayStayPending(effect: PendingEffect): boolean {
  return effect.do === 'withdraw' && !effect.approved;
}

/** Told elsewhere, and so neither performed nor recorded together with the other effects. */
export function isNotification(effect: PendingEffect): effect is Notification {
  return effect.do === 'notify';
}

import {
  areMet,
  bringsNearer,
  general,
  missing,
  type Need,
  needsOf,
  needText,
} from '../approval/approval-needs.ts';
import { mayOverride, objectionToWay, wayOf, waysIn } from '../approval/authorization.ts';
import { groundOf, leaveToPeople } from '../approval/auto-approval.ts';
import { asNow, reasonsAgainst, withUnseen } from '../approval/finish-reasons.ts';
import {
  approversOf,
  hasBaseMoved,
  isSameRule,
  movesForEver,
  movesTooOften,
  verifyNewMerge,
  withRules,
} from '../branch/changed-base.ts';
import { failedRequired } from '../confidence/evaluation.ts';
import { interactionsOf, settledBy } from '../iterations/interactions.ts';
import { queueWork } from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  next,
  nothing,
  refuse,
  type Step,
  withEffect,
  withReply,
} from '../iterations/step.ts';
import { shortSha } from '../phrases/phrases.ts';
import type { FinishFacts } from '../shapes/finishing.ts';
import { type Account, isSame } from '../shapes/people.ts';
import { type ApprovalWay, approvalWays } from '../shapes/settings.ts';
import { readingTimeMs, wholeSecond } from '../shapes/time.ts';
import type { EventOf } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { Approval, Evaluation, State } from '../state/state.ts';
import { isNews, withHead } from './event-handlers.ts';

/** Counts an approval of the commit under review; the last one required approves the run. */
export function approve(state: State, event: CommandEventOf<'approve'>): Step {
  const { shown } = state;
  if (shown === null) return refuse({ why: 'nothing_to_approve', phase: state.standing.phase });
  const objection =
    objectionToWay(state, 'approve', wayOf(event.source)) ?? objectionToApproving(state, shown, event);
  if (objection !== undefined) return refuse(objection);
  const approvals = [...othersThan(state, event.by), approvalOf(event, shown)];
  const needs = needsOf({ ...state, approvals });
  const by = event.by.login;
  if (!areMet(needs)) return count({ ...state, approvals }, event, needs);
  const standing = { phase: 'approved', finish: 'checking' } as const;
  const changed = { ...settledBy(state, event, { by, how: 'approved' }), approvals, standing };
  const at = `at ${shortSha(shown.head_sha)}${despiteText(event.command)}`;
  const step = next(state, changed, `Approved by ${by} ${at}`);
  return withEffect(accepted(step, event), { id: `${event.id}:finish`, do: 'check_finish' });
}

/** One more approval, with which something is still missing. */
function count(state: State, event: CommandEventOf<'approve'>, needs: readonly Need[]): Step {
  const { have, required } = general(needs);
  const subject = `Approved by ${event.by.login}, ${have.length} of ${required}${despiteText(event.command)}`;
  const counted = accepted(next(state, {}, subject), event);
  const left = missing(needs).map(needText);
  return withReply(counted, event, { say: 'counted', have: have.length, need: required, missing: left });
}

/** Names what stays red all the same. */
function despiteText({ despite }: Approving['command']): string {
  return despite.length === 0 ? '' : `, despite ${despite.join(', ')}`;
}

/** The final check against GitHub is done: finish, or say why not and ask again. */
export function finish(state: State, event: EventOf<'finish_checked'>): Step {
  const { shown } = state;
  const { id, facts } = event;
  const reasons = reasonsAgainst(state, facts);
  if (reasons.length > 0 || facts.settings === null) return doNotFinish(state, event, reasons);
  if (hasBaseMoved(state, facts)) return afterMove(state, event);
  const settings = { ...state.settings, approval: asNow(state, facts.settings) };
  const ground = groundOf(state);
  const step = next(
    state,
    {
      settings,
      standing: { phase: 'approved', finish: 'finished', ...(ground !== undefined && { ground }) },
    },
    'Finish: the approval still holds',
  );
  const how = settings.approval.finish;
  if (how === 'ready' || shown === null) return step;
  const when = how === 'merge' ? 'now' : 'allowed';
  return withEffect(step, { id: `${id}:merge`, do: 'merge', head_sha: shown.head_sha, when });
}

/** A finished run is checked again just before it is merged, or when another process renders it. */
export function recheckFinished(state: State, event: EventOf<'finish_checked'>): Step {
  const reasons = reasonsAgainst(state, event.facts);
  if (reasons.length > 0) return doNotFinish(state, event, reasons);
  // Where people merge, the rules of the repository say how far behind its base a branch may be.
  const isOurs = state.settings.approval.finish !== 'ready';
  return isOurs && hasBaseMoved(state, event.facts) ? afterMove(state, event) : nothing;
}

function afterMove(state: State, event: EventOf<'finish_checked'>): Step {
  if (movesForEver(state)) return doNotFinish(state, event, [movesTooOften]);
  return verifyNewMerge(state, event.facts);
}

function doNotFinish(state: State, event: EventOf<'finish_checked'>, reasons: readonly string[]): Step {
  const now = withRules(
    withUnseen(refusedByPolicy(state, event.facts, reasons), event.facts),
    event.facts,
    event.at,
  );
  const subject = `Do not finish: ${reasons.join('; ')}`;
  const again = queueWork({ ...now, approvals: [] }, 'verify_head', subject);
  return withReply(again, event, { say: 'finish_refused', reasons, ...approversOf(state) });
}

/** What was refused once would be decided and refused again for ever, so people decide about this commit. */
function refusedByPolicy(state: State, { base, settings }: FinishFacts, reasons: readonly string[]): State {
  // Under other rules it is decided anew, and again only when they change.
  const isSame = base === state.run.base && settings !== null && isSameRule(settings, state.settings);
  if (groundOf(state) === undefined || !isSame) return state;
  return leaveToPeople(state, { why: 'finish_refused', reasons });
}

/** A push after the approval voids it, and the new head is verified. */
export function revoked(state: State, event: EventOf<'pushed'>): Step {
  if (!isNews(state, event)) return nothing;
  const subject = `Approval revoked: ${event.by} pushed ${shortSha(event.head)}`;
  const step = queueWork(withHead(state, event), 'verify_head', subject);
  const words = { say: 'revoked', approved: state.head, head: event.head, by: event.by } as const;
  return withReply(step, event, { ...words, ...approversOf(state) });
}

type Approving = CommandEventOf<'approve'>;

/** Why this approval of the commit under review does not count. */
function objectionToApproving(state: State, shown: Evaluation, event: Approving): Refusal | undefined {
  return (
    otherHead(state, shown, event) ?? alreadyApproved(state, event) ?? failingVerifiers(state, shown, event)
  );
}

function otherHead(state: State, shown: Evaluation, event: Approving): Refusal | undefined {
  const { command, source } = event;
  const head = shown.head_sha;
  const belongsTo = commitOf(source);
  const others = [belongsTo, command.sha].filter((named) => named !== null && !head.startsWith(named));
  const { pushed_while_shown, base_left_while_shown, restored } = state;
  const isNamedInFull = pushed_while_shown || base_left_while_shown;
  if (others[0])
    return { why: 'other_head', approved: others[0], head, ...(isNamedInFull && { in_full: true }) };
  const otherBase = saidOfOtherBase(state, event);
  if (otherBase !== undefined) return otherBase;
  if (source.from === 'review' && saidOfStage(state, event)) return { why: 'just_landed', head };
  if (belongsTo !== null || source.from !== 'comment') return undefined;
  // Whoever makes two commits can give both the same first digits.
  if (pushed_while_shown && command.sha === head) return undefined;
  if (pushed_while_shown)
    return {
      ...{ why: 'pushed_while_shown', head },
      ...(restored !== undefined && { restored: true }),
      ...(command.despite.length > 0 && { despite: command.despite }),
      ...fewerWays(state),
    };
  if (command.sha !== null) return undefined;
  const early = Date.parse(source.written_at) < approvableFrom(state);
  return early ? { why: 'just_landed', head } : undefined;
}

/**
 * A base has more in it than a commit shows. A comment or a review from before the base was changed is about
 * another diff, and a review afterwards may still be; buttons are new for each base.
 */
function saidOfOtherBase(state: State, { command, source, at }: Approving): Refusal | undefined {
  const { base_at, base_left_while_shown, run, head } = state;
  if (base_at === undefined || source.from === 'click') return undefined;
  // In whole seconds.
  const saidAfter = Date.parse(source.from === 'comment' ? source.written_at : at) - Date.parse(base_at);
  const isNamed = source.from === 'comment' && command.sha === head;
  // Where nothing but reviews counts, nobody could ever approve without them.
  const isOnlyWay = waysIn(state).every((way) => way === 'review');
  const counts = base_left_while_shown ? (isNamed || isOnlyWay) && saidAfter > 0 : saidAfter >= 0;
  return counts ? undefined : { why: 'other_base', base: run.base, head, ...fewerWays(state) };
}

/** What a refusal says of the ways that are left, where they are not all. */
function fewerWays(state: State): { readonly how?: readonly ApprovalWay[] } {
  const how = waysIn(state);
  return how.length < approvalWays.length ? { how } : {};
}

/**
 * A stage is on show with the head that was there before it, and whoever approved that has not seen what the
 * next stages made of it, be it the same commit. A ledger that was begun anew does not know whether one was.
 */
function saidOfStage(state: State, { at }: Approving): boolean {
  const wasOnShow = interactionsOf(state).some(
    ({ kind, head_sha }) => kind === 'stage' && head_sha === state.head,
  );
  const mayHaveBeen = state.restored !== undefined && state.settings.stages !== undefined;
  return (wasOnShow || mayHaveBeen) && Date.parse(at) < shownFrom(state);
}

/** When people were first asked about the head itself. */
function shownFrom(state: State): number {
  return Math.min(
    ...interactionsOf(state)
      .filter(({ kind, head_sha }) => kind !== 'stage' && head_sha === state.head)
      .map(({ opened_at }) => wholeSecond(opened_at)),
  );
}

/** A comment cannot approve a head that was not yet shown, or one that has only just replaced another. */
function approvableFrom(state: State): number {
  const shownAt = shownFrom(state);
  const readAt = Date.parse(state.head_at) + readingTimeMs;
  return anotherHeadWasShown(state) ? Math.max(shownAt, readAt) : shownAt;
}

/** Reviews and buttons belong to a commit of their own. */
function commitOf(source: Approving['source']): string | null {
  if (source.from === 'review') return source.commit_id;
  return source.from === 'click' ? source.head_sha : null;
}

function anotherHeadWasShown(state: State): boolean {
  return interactionsOf(state).some(({ head_sha }) => head_sha !== state.head);
}

function alreadyApproved(state: State, { by }: Approving): Refusal | undefined {
  const isFirst = othersThan(state, by).length === state.approvals.length;
  return isFirst || bringsNearer(state, by) ? undefined : { why: 'already_approved', by: by.login };
}

function othersThan({ approvals }: State, by: Account): readonly Approval[] {
  return approvals.filter((approval) => !isSame(approval.by, by));
}

function failingVerifiers(state: State, shown: Evaluation, { command, by }: Approving): Refusal | undefined {
  const failing = failedRequired(shown.verifiers);
  const passing = command.despite.filter((name) => !failing.includes(name));
  if (passing.length > 0) return { why: 'not_red', names: passing };
  const names = failing.filter((name) => !command.despite.includes(name));
  if (names.length > 0)
    return {
      ...{ why: 'red_verifiers', names, has: by.role },
      ...(state.pushed_while_shown && { head: shown.head_sha }),
      ...fewerWays(state),
    };
  if (failing.length > 0 && !mayOverride(by)) return { why: 'despite_needs_maintain', has: by.role };
  return undefined;
}

function approvalOf(event: CommandEventOf<'approve'>, shown: Evaluation): Approval {
  return {
    id: event.id,
    by: event.by,
    at: event.at,
    head_sha: shown.head_sha,
    source: event.source,
    despite: event.command.despite,
  };
}

import { withContributors } from './contributing.ts';
import { failedRequired } from './evaluation.ts';
import type { EventOf } from './event.ts';
import { isNews, withHead } from './event-handlers.ts';
import type { FinishFacts } from './finish-facts.ts';
import { interactionsOf, settledBy } from './interactions.ts';
import { queueWork } from './iterations.ts';
import type { Refusal } from './pending-effect.ts';
import { isSame } from './person.ts';
import { mayOverride, objectionToOwnWork } from './policy.ts';
import { approversOf, isSameRule, withRules } from './retargeting.ts';
import type { CommandEventOf } from './row.ts';
import type { Settings } from './settings.ts';
import type { Approval, Evaluation, State } from './state.ts';
import { accepted, next, nothing, refuse, type Step, withEffect, withReply } from './step.ts';
import { readingTimeMs, wholeSecond } from './time.ts';
import { unseenReasons, voidReasons, withUnseen } from './unseen.ts';

/** Counts an approval of the commit under review; the last one required approves the run. */
export function approve(state: State, event: CommandEventOf<'approve'>): Step {
  const { shown } = state;
  if (shown === null) return refuse({ why: 'nothing_to_approve', phase: state.standing.phase });
  const objection = objectionToApproving(state, shown, event);
  if (objection !== undefined) return refuse(objection);
  const approvals = [...state.approvals, approvalOf(event, shown)];
  const { required } = state.settings.approval;
  const by = event.by.login;
  if (approvals.length < required) {
    const counted = accepted(
      next(state, { approvals }, `Approved by ${by}, ${approvals.length} of ${required}`),
      event,
    );
    return withReply(counted, event, { say: 'counted', have: approvals.length, need: required });
  }
  const standing = { phase: 'approved', finish: 'checking' } as const;
  const changed = { ...settledBy(state, event, { by, how: 'approved' }), approvals, standing };
  const step = next(state, changed, `Approved by ${by} at ${shown.head_sha.slice(0, 7)}`);
  return withEffect(accepted(step, event), { id: `${event.id}:finish`, do: 'check_finish' });
}

/** The final check against GitHub is done: finish, or say why not and ask again. */
export function finish(state: State, event: EventOf<'finish_checked'>): Step {
  const { shown } = state;
  const { id, facts } = event;
  const reasons = reasonsAgainst(state, facts);
  if (reasons.length > 0 || facts.settings === null) return doNotFinish(state, event, reasons);
  const settings = { ...state.settings, approval: asNow(state, facts.settings) };
  const step = next(
    state,
    { settings, standing: { phase: 'approved', finish: 'finished' } },
    'Finish: the approval still holds',
  );
  const how = settings.approval.finish;
  if (how === 'ready' || shown === null) return step;
  const when = how === 'merge' ? 'now' : 'allowed';
  return withEffect(step, { id: `${id}:merge`, do: 'merge', head_sha: shown.head_sha, when });
}

/** A finished run is checked again just before it is merged, or when another process renders it. */
export function finishAgain(state: State, event: EventOf<'finish_checked'>): Step {
  const reasons = reasonsAgainst(state, event.facts);
  return reasons.length > 0 ? doNotFinish(state, event, reasons) : nothing;
}

function doNotFinish(state: State, event: EventOf<'finish_checked'>, reasons: readonly string[]): Step {
  const now = withRules(withUnseen(state, event.facts), event.facts, event.at);
  const subject = `Do not finish: ${reasons.join('; ')}`;
  const again = queueWork({ ...now, approvals: [] }, 'verify_head', subject);
  return withReply(again, event, { say: 'finish_refused', reasons, ...approversOf(state) });
}

/** A push after the approval voids it, and the new head is verified. */
export function revoked(state: State, event: EventOf<'pushed'>): Step {
  if (!isNews(state, event)) return nothing;
  const subject = `Approval revoked: ${event.by} pushed ${short(event.head)}`;
  const step = queueWork(withHead(state, event), 'verify_head', subject);
  const words = { say: 'revoked', approved: state.head, head: event.head, by: event.by } as const;
  return withReply(step, event, { ...words, ...approversOf(state) });
}

/** What decides whether an approval counts. */
type Approving = Pick<CommandEventOf<'approve'>, 'command' | 'by' | 'source' | 'at'>;

/** Why this approval of the commit under review does not count. */
export function objectionToApproving(state: State, shown: Evaluation, event: Approving): Refusal | undefined {
  return otherHead(state, shown, event) ?? alreadyApproved(state, event) ?? failingVerifiers(shown, event);
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
  if (belongsTo !== null || source.from !== 'comment') return undefined;
  // Whoever makes two commits can give both the same first digits.
  if (pushed_while_shown && command.sha === head) return undefined;
  if (pushed_while_shown)
    return { why: 'pushed_while_shown', head, ...(restored !== undefined && { restored: true }) };
  if (command.sha !== null) return undefined;
  const early = Date.parse(source.written_at) < approvableFrom(state);
  return early ? { why: 'just_landed', head } : undefined;
}

/**
 * A base has more in it than a commit shows. A comment or a review from before the base was changed is about
 * another diff, and a review afterwards may still be; buttons are new for each base.
 */
function saidOfOtherBase(
  { base_at, base_left_while_shown, run: { base }, head }: State,
  { command, source, at }: Approving,
): Refusal | undefined {
  if (base_at === undefined || source.from === 'click') return undefined;
  // In whole seconds.
  const saidAfter = Date.parse(source.from === 'comment' ? source.written_at : at) - Date.parse(base_at);
  const isNamed = source.from === 'comment' && command.sha === head;
  const counts = base_left_while_shown ? isNamed && saidAfter > 0 : saidAfter >= 0;
  return counts ? undefined : { why: 'other_base', base, head };
}

/** A comment cannot approve a head that was not yet shown, or one that has only just replaced another. */
function approvableFrom(state: State): number {
  const shownAt = Math.min(
    ...interactionsOf(state)
      .filter(({ head_sha }) => head_sha === state.head)
      .map(({ opened_at }) => wholeSecond(opened_at)),
  );
  const readAt = Date.parse(state.head_at) + readingTimeMs;
  return anotherHeadWasShown(state) ? Math.max(shownAt, readAt) : shownAt;
}

/** Reviews and buttons belong to a commit of their own. */
function commitOf(source: CommandEventOf<'approve'>['source']): string | null {
  if (source.from === 'review') return source.commit_id;
  return source.from === 'click' ? source.head_sha : null;
}

function anotherHeadWasShown(state: State): boolean {
  return interactionsOf(state).some(({ head_sha }) => head_sha !== state.head);
}

function alreadyApproved(state: State, { by }: Approving): Refusal | undefined {
  const earlier = state.approvals.find((approval) => isSame(approval.by, by));
  return earlier === undefined ? undefined : { why: 'already_approved', by: by.login };
}

function failingVerifiers(shown: Evaluation, { command, by }: Approving): Refusal | undefined {
  const failing = failedRequired(shown.verifiers);
  const passing = command.despite.filter((name) => !failing.includes(name));
  if (passing.length > 0) return { why: 'not_red', names: passing };
  const names = failing.filter((name) => !command.despite.includes(name));
  if (names.length > 0) return { why: 'red_verifiers', names, has: by.role };
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

/** The reasons not to finish; what the ledger alone says is never enough to finish. */
export function reasonsAgainst(state: State, facts: FinishFacts): readonly string[] {
  const { shown, settings, approvals } = state;
  const reasons = approvals.flatMap((approval) => doubtsAbout(approval, state, facts));
  if (facts.base !== state.run.base)
    reasons.push(`the base is ${facts.base}, but the approval was for ${state.run.base}`);
  reasons.push(...unseenReasons(state, facts), ...voidReasons(state, facts));
  if (facts.settings !== null) reasons.push(...tooFew(state, facts.settings));
  const head = shown?.head_sha ?? 'nothing';
  if (facts.head_sha !== head)
    reasons.push(`the head is ${short(facts.head_sha)}, but ${short(head)} was approved`);
  if (facts.settings === null) reasons.push('the configuration on the default branch cannot be used');
  else if (!isSameRule(facts.settings, settings)) reasons.push(ruleChange(settings, facts.settings));
  const excused = approvals.flatMap(({ despite }) => despite);
  const failing = failedRequired(shown?.verifiers ?? []).filter((name) => !excused.includes(name));
  if (failing.length > 0) reasons.push(`required verifiers failed: ${failing.join(', ')}`);
  return reasons;
}

function ruleChange(before: Settings, now: Settings): string {
  if (before.digest !== now.digest) return 'the configuration on the default branch has changed';
  return `the check for this base is now ${now.check}, but ${before.check} was approved`;
}

/** The current rules, or a higher number of approvals if the task demanded one. */
function asNow({ settings }: State, { approval }: Settings): Settings['approval'] {
  return { ...approval, required: Math.max(approval.required, settings.approval.required) };
}

function tooFew(state: State, settings: Settings): readonly string[] {
  const { required } = asNow(state, settings);
  const people = state.approvals.map(({ by }) => by);
  const different = people.filter((by, index) => people.findIndex((each) => isSame(each, by)) === index);
  return different.length < required ? [`approved by ${different.length} of ${required} people`] : [];
}

/** An approval that could not be read again does not count. */
function doubtsAbout(approval: Approval, state: State, facts: FinishFacts): readonly string[] {
  const { id, by, head_sha } = approval;
  const read = facts.approvals.find((known) => known.id === id);
  if (read === undefined) return [`the approval by ${by.login} could not be found`];
  if (!read.stands) return [read.why];
  if (head_sha !== state.shown?.head_sha) return [`the approval by ${by.login} is for ${short(head_sha)}`];
  if (facts.settings === null) return [];
  const person = { ...by, role: read.role ?? by.role };
  const objection = objectionToOwnWork(workedOn(state, facts), facts.settings.approval, person);
  if (objection === undefined) return [];
  const { why, rule } = objection;
  if (why === 'own_work') return [`${by.login} may not approve this: ${rule} is false`];
  const unknown = `GitHub does not say who else worked on the branch and ${rule} is false`;
  return [`${unknown}, so ${by.login}'s approval does not count: that takes maintain`];
}

/** The state with everyone whom GitHub names now; people whom it does not name are unknown. */
function workedOn(state: State, { contributors: named }: FinishFacts): State {
  const known = { ...state, ...withContributors(state, named?.people ?? []) };
  return named?.complete ? known : { ...known, people_unknown: true };
}

function short(sha: string): string {
  return sha.slice(0, 7);
}

import { isSameRule } from '../branch/changed-base.ts';
import { failedRequired } from '../confidence/evaluation.ts';
import { withContributors } from '../iterations/authorship.ts';
import { interactionsOf } from '../iterations/interactions.ts';
import { notRecorded, shortSha } from '../phrases/phrases.ts';
import type { ApprovalFacts, FinishFacts, Voiding } from '../shapes/finishing.ts';
import type { Person } from '../shapes/people.ts';
import type { Settings } from '../shapes/settings.ts';
import { byTime, wholeSecond } from '../shapes/time.ts';
import type { Approval, State } from '../state/state.ts';
import { missing, needsUnder, needText } from './approval-needs.ts';
import { countsInWay, objectionToOwnWork, wayOf } from './authorization.ts';
import { approvedAt, groundOf, reasonsAgainstPolicy } from './auto-approval.ts';
import { checkDoubts } from './ci-results.ts';

/** Whether the run is approved, and its final check was passed. */
export function isFinished({ standing }: State): boolean {
  return standing.phase === 'approved' && standing.finish === 'finished';
}

/**
 * Identifies what was approved, for which base and under which check, and by which approvals.
 */
export function approvalKey(state: State): string {
  const { head, run, settings, approvals } = state;
  const ids = [...approvals.map(({ id }) => id), groundOf(state) ?? null];
  return JSON.stringify([head, run.base, settings.check, ...ids]);
}

/** Whether nothing was recorded since that changes what is approved, or that it is. */
export function isStillApproved(newest: State | undefined, state: State): boolean {
  return newest !== undefined && isFinished(newest) && approvalKey(newest) === approvalKey(state);
}

/** Whether GitHub has not allowed the merge yet, as far as the ledger says. */
export function isWaitingToMerge(state: State): boolean {
  return isFinished(state) && state.settings.approval.finish !== 'ready';
}

/** The reasons not to finish; what the ledger alone says is never enough to finish. */
export function reasonsAgainst(state: State, facts: FinishFacts): readonly string[] {
  const { shown, settings, approvals } = state;
  const reasons = approvals.flatMap((approval) => doubtsAbout(approval, state, facts));
  if (facts.base !== state.run.base)
    reasons.push(`the base is ${facts.base}, but the approval was for ${state.run.base}`);
  reasons.push(...unseenReasons(state, facts), ...voidReasons(state, facts));
  const ground = groundOf(state);
  if (ground !== undefined) reasons.push(...reasonsAgainstPolicy(state, facts, ground));
  else if (facts.settings !== null && isSameRule(facts.settings, settings))
    reasons.push(...tooFew(state, facts.settings, facts));
  const head = shown?.head_sha ?? 'nothing';
  if (facts.head_sha !== head)
    reasons.push(`the head is ${shortSha(facts.head_sha)}, but ${shortSha(head)} was approved`);
  if (facts.settings === null) reasons.push('the configuration on the default branch cannot be used');
  else if (!isSameRule(facts.settings, settings)) reasons.push(ruleChange(settings, facts.settings));
  const excused = approvals.flatMap(({ despite }) => despite);
  const failing = failedRequired(shown?.verifiers ?? []).filter((name) => !excused.includes(name));
  if (failing.length > 0) reasons.push(`required verifiers failed: ${failing.join(', ')}`);
  reasons.push(...checkDoubts(state, facts));
  return reasons;
}

function ruleChange(before: Settings, now: Settings): string {
  if (before.digest !== now.digest) return 'the configuration on the default branch has changed';
  return `the check for this base is now ${now.check}, but ${before.check} was approved`;
}

/** The current rules, or a higher number of approvals if the task demanded one. */
export function asNow({ settings }: State, { approval }: Settings): Settings['approval'] {
  return { ...approval, required: Math.max(approval.required, settings.approval.required) };
}

/** What is missing under the rules, the files' owners, the roles and the teams of this moment. */
function tooFew(state: State, settings: Settings, facts: FinishFacts): readonly string[] {
  const rules = { approval: asNow(state, settings), authority: facts.authority };
  const people = state.approvals.map(
    ({ id, by }): Person =>
      personNow(
        by,
        facts.approvals.find((read) => read.id === id),
      ),
  );
  return missing(needsUnder(rules, people)).map((need) =>
    need.of === 'general' ? `approved by ${need.have.length} of ${need.required} people` : needText(need),
  );
}

/** The person with the role and the teams of now; what GitHub did not say about them is as it was. */
function personNow({ teams: _, ...by }: Person, read: ApprovalFacts | undefined): Person {
  return { ...by, role: read?.role ?? by.role, ...(read?.teams !== undefined && { teams: read.teams }) };
}

/** An approval that could not be read again does not count. */
function doubtsAbout(approval: Approval, state: State, facts: FinishFacts): readonly string[] {
  const { id, by, head_sha } = approval;
  const read = facts.approvals.find((known) => known.id === id);
  if (read === undefined) return [`the approval by ${by.login} could not be found`];
  if (!read.stands) return [read.why];
  if (head_sha !== state.shown?.head_sha) return [`the approval by ${by.login} is for ${shortSha(head_sha)}`];
  if (facts.settings === null) return [];
  const way = wayOf(approval.source);
  // A task may have narrowed it, of which nothing but the ledger knows.
  if (![state.settings, facts.settings].every((each) => countsInWay(each.approval, way)))
    return [`the approval by ${by.login} is a ${way ?? 'workflow'}, which approval.how does not count`];
  const person = { ...by, role: read.role ?? by.role };
  const objection = objectionToOwnWork(workedOn(state, facts), facts.settings.approval, person);
  if (objection === undefined) return [];
  const { why, rule } = objection;
  if (why === 'own_work') return [`${by.login} may not approve this: ${rule} is false`];
  const unknown = `GitHub does not say who else worked on the branch and ${rule} is false`;
  return [`${unknown}, so ${by.login}'s approval does not count: that requires maintain access`];
}

/** The state with everyone whom GitHub names now; people whom it does not name are unknown. */
function workedOn(state: State, { contributors: named }: FinishFacts): State {
  const known = { ...state, ...withContributors(state, named?.people ?? []) };
  return named?.complete ? known : { ...known, people_unknown: true };
}

/**
 * Why an approval cannot be trusted because of what we did not hear of: GitHub says that the run had another
 * base or another head for a while, which was undone before we knew. Somebody may have read that instead.
 */
function unseenReasons(state: State, facts: FinishFacts): readonly string[] {
  const base = unseenBaseChange(state, facts);
  const head = unseenReturn(state, facts);
  return [
    ...(base === undefined ? [] : [`the base was changed at ${base}, perhaps temporarily`]),
    ...(head === undefined ? [] : [`the branch had another head until ${head}`]),
  ];
}

/** Why an approval is void although nothing is known against it. */
function voidReasons(state: State, { voids = [] }: FinishFacts): readonly string[] {
  const oldest = Math.min(...approvedAt(state).map(({ at }) => Date.parse(at)));
  const { words_deleted_at: at } = state;
  const all = at === undefined ? voids : [...voids, { why: 'words_deleted', at } as const];
  const voiding = all.filter((each) => oldest <= Date.parse(each.at));
  // One text for each kind, with the time after which approvals count again.
  const last = new Map(voiding.toSorted(byTime).map((each) => [each.why, each.at]));
  return [...last].map(([why, at]) => voidTexts[why](at));
}

const voidTexts: { readonly [W in Voiding['why']]: (at: string) => string } = {
  ledger_lost: (at) => `the ledger was lost at ${at}, which voids every approval before that`,
  words_deleted: (at) =>
    `what somebody had said here was deleted at ${at}, so approvals from before that do not count`,
  unrecorded: (at) => `something ${notRecorded}, so approvals from before ${at} do not count`,
};

/** The state that knows of what we did not hear of. */
export function withUnseen(state: State, facts: FinishFacts): State {
  const base_at = unseenBaseChange(state, facts);
  return {
    ...state,
    ...(unseenReturn(state, facts) !== undefined && { pushed_while_shown: true }),
    ...(base_at !== undefined && { base_at, base_left_while_shown: true }),
  };
}

/**
 * When the base was changed after the run was first shown, if we did not hear of it: somebody may have looked
 * at the difference from another base. A run from before this was recorded has no such time.
 */
function unseenBaseChange(state: State, { base_changed_at: at }: FinishFacts): string | undefined {
  const { base_at } = state;
  if (base_at !== undefined && Date.parse(at ?? '') <= Date.parse(base_at)) return undefined;
  return whileShown(state, at);
}

/**
 * When somebody pushed another head and took it back after the run was first shown, if we did not hear of it.
 */
function unseenReturn(state: State, { returned_at }: FinishFacts): string | undefined {
  return state.pushed_while_shown ? undefined : whileShown(state, returned_at);
}

/** The time, if the run had been shown by then. */
function whileShown(state: State, at: string | null | undefined): string | undefined {
  const [first] = interactionsOf(state);
  if (at === undefined || at === null || first === undefined) return undefined;
  return Date.parse(at) >= wholeSecond(first.opened_at) ? at : undefined;
}

/** How long after its approval a commit may still be merged by us, in milliseconds. */
const patienceMs = 7 * 24 * 60 * 60_000;

/** Until when the newest approval is acted upon, ISO 8601. */
export function mergedUntil(state: State): string {
  const newest = Math.max(...approvedAt(state).map(({ at }) => Date.parse(at)), Number.NEGATIVE_INFINITY);
  const from = Number.isFinite(newest) ? newest : Date.parse(state.updated_at);
  return new Date(from + patienceMs).toISOString();
}

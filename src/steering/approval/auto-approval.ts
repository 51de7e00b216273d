import { isSameRule } from '../branch/changed-base.ts';
import { graveConcerns, openConcerns, overruledConcerns, reviewOf } from '../confidence/evaluation.ts';
import { flakyIn } from '../confidence/verifier-results.ts';
import { haveOthersPushed } from '../iterations/authorship.ts';
import { deadlineAfter, openingOf } from '../iterations/interactions.ts';
import { areStagesDone, stagesOf } from '../iterations/iteration.ts';
import { type Next, next, withEffect } from '../iterations/step.ts';
import { shortSha } from '../phrases/phrases.ts';
import type {
  FinishFacts,
  NewGround,
  PeopleDecide,
  PolicyFacts,
  PolicyGround,
  PolicyRule,
  Proceeding,
  WasLeft,
} from '../shapes/finishing.ts';
import { type Account, covers, isSame } from '../shapes/people.ts';
import { type Decision, decisionBy } from '../shapes/score.ts';
import type { ApprovalSettings, Approver, Settings } from '../shapes/settings.ts';
import type { AwaitingApproval } from '../shapes/standing.ts';
import { secondsAfter } from '../shapes/time.ts';
import type { Stamp } from '../state/event.ts';
import type { Evaluation, State } from '../state/state.ts';
import { inWords, missing, needsOf } from './approval-needs.ts';
import { objectionToOwnWork } from './authorization.ts';
import { proceedingReasons, spokenText } from './waiting-reasons.ts';

/** The verifiers passed, and nothing else is to be done first: go on without people, or ask them. */
export function proceedOrAsk(before: State, event: Stamp): Next {
  if (before.shown === null) return ask(before, event);
  const proceeding = proceedingOf(before, before.shown);
  const state: State = { ...before, shown: { ...before.shown, proceeding } };
  switch (proceeding.how) {
    case 'proceed':
      return approveByPolicy(state, event, proceeding.rule);
    case 'wait_with_timeout': {
      const at = secondsAfter(event.at, proceeding.after_s);
      return ask(state, event, { at, on_timeout: proceeding.on_timeout });
    }
    case 'wait':
      return ask(state, event);
  }
}

function ask(state: State, event: Stamp, proceeds?: AwaitingApproval['proceeds']): Next {
  const interaction = openingOf(state, 'approval', event.at);
  const deadline = deadlineAfter(state, event.at);
  const timed = proceeds === undefined ? {} : { proceeds };
  const band = state.shown?.confidence.band ?? 'unknown';
  const step = next(
    state,
    { standing: { phase: 'awaiting_approval', interaction, deadline, ...timed } },
    `Ask for approval of iteration ${state.iteration}, confidence ${band}${opinionText(state)}`,
  );
  return withReviewersAsked(step, event);
}

function opinionText(state: State): string {
  const review = reviewOf(state, state.head);
  if (review === undefined || review.confidence === null) return '';
  return `, second opinion ${review.confidence.toFixed(2)}, open concerns: ${openConcerns(review).length}`;
}

/** Approves what is on show without people, if the final check agrees. */
export function approveByPolicy(state: State, event: Stamp, rule: PolicyRule): Next {
  const ground = { by: 'policy', rule, at: event.at } as const;
  const standing = { phase: 'approved', finish: 'checking', ground } as const;
  const step = next(state, { standing }, `Approved by policy (${rule}) at ${shortSha(state.head)}`);
  return withEffect(step, { id: `${event.id}:finish`, do: 'check_finish' });
}

/** From now on only people decide about this commit. */
export function leaveToPeople(state: State, because: WasLeft, head_sha = state.head): State {
  const left: State = { ...state, left_to_people: { head_sha, because } };
  if (state.standing.phase !== 'awaiting_approval') return left;
  const { proceeds: _, ...standing } = state.standing;
  return { ...left, standing };
}

/** What counts in ledgers of older versions, which nothing but `manual` reads. */
const usual = { new_history: 3, auto_proceed_after_s: 600, on_timeout: 'proceed' } as const;

/** What happens to the commit on show. Not asked when its confidence is zero. */
function proceedingOf(state: State, shown: Evaluation): Proceeding {
  const { approval } = state.settings;
  const decision = decisionFor(shown, approval);
  const ground = newGroundOf(approval, shown);
  const new_ground = ground === undefined ? {} : { new_ground: ground };
  const because = [
    ...reasonsOfMode(decision, shown, approval),
    ...reasonsOfStages(state),
    ...reasonsOfReview(state, shown),
    ...reasonsFor(state, shown),
  ];
  if (because.length > 0) return { how: 'wait', because, ...new_ground };
  if (decision === 'proceed' && ground === undefined && approval.mode !== 'manual')
    return { how: 'proceed', rule: approval.mode };
  const unwritten = unwrittenFor(approval, ground);
  if (unwritten !== undefined) return { how: 'wait', because: [unwritten], ...new_ground };
  const { auto_proceed_after_s: after_s = usual.auto_proceed_after_s, on_timeout = usual.on_timeout } =
    approval;
  return { how: 'wait_with_timeout', after_s, on_timeout, ...new_ground };
}

/** What is decided by these settings, which may be newer than the evaluation. */
function decisionFor(shown: Evaluation, { mode, threshold }: ApprovalSettings): Decision {
  return decisionBy(shown, { gated: shown.gates.length > 0, mode, threshold });
}

/** Whether the agent is new to the repository, in a mode for which that matters. */
export function newGroundOf(
  { mode, new_history: needed = usual.new_history }: ApprovalSettings,
  { merged_runs = 0 }: Pick<Evaluation, 'merged_runs'>,
): NewGround | undefined {
  return mode === 'manual' || merged_runs >= needed ? undefined : { merged_runs, needed };
}

function reasonsOfMode(
  decision: Decision,
  { gates, confidence }: Evaluation,
  { mode, threshold }: ApprovalSettings,
): readonly PeopleDecide[] {
  if (mode === 'manual') return [{ why: 'manual' }];
  const evidence: readonly PeopleDecide[] = [
    ...(gates.length > 0 ? [{ why: 'gated' } as const] : []),
    ...(confidence.unverified ? [{ why: 'unverified' } as const] : []),
  ];
  if (evidence.length > 0 || decision === 'proceed' || decision === 'wait_with_timeout') return evidence;
  return mode === 'auto' ? [{ why: 'low_confidence' }] : [{ why: 'below_threshold', threshold }];
}

/** People who approve what the last stage came to approve the work. */
function reasonsOfStages({ settings }: State): readonly PeopleDecide[] {
  if (settings.approval.mode === 'manual') return [];
  return stagesOf(settings).at(-1)?.approve ? [{ why: 'manual' }] : [];
}

/** A second opinion that is wanted has to be there, without grave concerns, be they open or dismissed. */
function reasonsOfReview(state: State, { head_sha }: Evaluation): readonly PeopleDecide[] {
  const { settings } = state;
  if (settings.review === undefined || settings.approval.mode === 'manual') return [];
  const review = reviewOf(state, head_sha);
  if (review === undefined || review.confidence === null) return [{ why: 'no_opinion' }];
  const open = graveConcerns(review).map(({ id }) => id);
  const overruled = overruledConcerns(review).map(({ id }) => id);
  return [
    ...(review.partial ? [{ why: 'partial_opinion' } as const] : []),
    ...(open.length > 0 ? [{ why: 'concerns', concerns: open } as const] : []),
    ...(overruled.length > 0 ? [{ why: 'overruled', concerns: overruled } as const] : []),
  ];
}

/** The reasons that have nothing to do with the confidence. */
function reasonsFor(state: State, { authority, verifiers, proof }: Evaluation): readonly PeopleDecide[] {
  const { settings, run, restored, people_unknown, unsandboxed } = state;
  if (settings.approval.mode === 'manual') return [];
  const paths = authority?.protected.flatMap((each) => each.paths) ?? [];
  const owned = filesWithOwners(authority);
  const flaky = [...new Set([...flakyIn(verifiers), ...flakyWithOldTests(proof)])];
  const reasons: readonly (PeopleDecide | false)[] = [
    flaky.length > 0 && { why: 'flaky', verifiers: flaky },
    run.presenter === 'action' && { why: 'action' },
    restored !== undefined && { why: 'restored' },
    people_unknown === true && { why: 'people_unknown' },
    run.adopted && { why: 'adopted' },
    haveOthersPushed(state) && { why: 'others_pushed' },
    !areStagesDone(state) && { why: 'stages_left' },
    isUnlisted(settings) && { why: 'unlisted_base', base: run.base },
    paths.length > 0 && { why: 'protected_paths', paths },
    owned.length > 0 && { why: 'code_owners', files: owned },
    asksForPeople(state) && { why: 'task' },
    unsandboxed === true && settings.sandbox !== 'off' && { why: 'unsandboxed' },
    ...withoutWrite(state),
    ...leftToPeople(state),
  ];
  return reasons.filter((reason) => reason !== false);
}

/** What the change does to the tests as they were, these verifiers do not tell. */
function flakyWithOldTests(proof: Evaluation['proof']): readonly string[] {
  if (proof?.old_tests.outcome !== 'ran') return [];
  return proof.old_tests.verifiers.flatMap(({ name, flaky }) => (flaky ? [name] : []));
}

/** Names one file of each group: the approval of their owners is what the configuration asks for. */
function filesWithOwners(authority: Evaluation['authority']): readonly string[] {
  const withOwners = authority?.owned.filter(({ owners }) => owners.length > 0) ?? [];
  return withOwners.flatMap(({ files }) => files.slice(0, 1));
}

/** Whether the task says how many people must approve, or who. */
function asksForPeople({ overrides }: State): boolean {
  const { approval } = overrides ?? {};
  if (typeof approval !== 'object' || approval === null) return false;
  return ['required', 'by'].some((key) => Object.hasOwn(approval, key));
}

/** How the check of a base begins that the configuration does not list. */
const unlisted = 'Coxswain (unlisted: ';

function isUnlisted({ check }: Pick<State['settings'], 'check'>): boolean {
  return check.startsWith(unlisted);
}

/** Whoever steers needs write access for that; who asked may have less. */
function withoutWrite({ requested_by: { role, login } }: State): readonly PeopleDecide[] {
  return covers(role, 'write') ? [] : [{ why: 'no_write', people: [login] }];
}

function leftToPeople({ left_to_people: left, head }: State): readonly PeopleDecide[] {
  return left?.head_sha === head ? [left.because] : [];
}

function unwrittenFor(
  { on_timeout, on_timeout_written, finish }: ApprovalSettings,
  new_ground: NewGround | undefined,
): PeopleDecide | undefined {
  if (on_timeout === 'proceed' && on_timeout_written) return undefined;
  if (new_ground !== undefined) return { why: 'on_timeout_unwritten', where: 'new_ground' };
  return finish === 'ready' ? undefined : { why: 'on_timeout_unwritten', where: 'finish' };
}

/** The ground of a finish without people; undefined if people approved, or nobody has. */
export function groundOf({ standing }: State): PolicyGround | undefined {
  return standing.phase === 'approved' || standing.phase === 'done' ? standing.ground : undefined;
}

/** When each of those approved who approved: people, or the configuration. */
export function approvedAt(state: State): readonly { readonly at: string }[] {
  const ground = groundOf(state);
  return ground === undefined ? state.approvals : [...state.approvals, ground];
}

/** Who approved: people by their logins, or the policy and its rule; empty if nobody did. */
export function approvedBy(state: State): string {
  const ground = groundOf(state);
  const names = state.approvals.map(({ by }) => by.login);
  return [...names, ...(ground === undefined ? [] : [`policy (${ground.rule})`])].join(', ');
}

/**
 * The reasons why a run needs people after all, by what GitHub and Git say now: the ledger says what was
 * decided, never that it is true.
 */
export function reasonsAgainstPolicy(
  state: State,
  { policy, settings, authority }: FinishFacts,
  ground: PolicyGround,
): readonly string[] {
  if (state.shown === null) return ['nothing is verified'];
  if (policy === undefined) return ['the facts required to finish without an approval could not be read'];
  const facts = reasonsIn(policy);
  if (settings === null || !isSameRule(settings, state.settings)) return facts;
  return [...facts, ...reasonsNow(state, settings, policy, ground, authority)];
}

function reasonsIn(policy: PolicyFacts): readonly string[] {
  const { sealed, unproven, contradicted = [], pushers, without_write, spoken } = policy;
  const people = pushers.people.map(({ login }) => login).join(', ');
  const reasons: readonly (string | false)[] = [
    !sealed && 'the ledger is not sealed by the App',
    unproven.length > 0 && `on this commit, no check run of ours is green for ${unproven.join(', ')}`,
    contradicted.length > 0 && `on this commit, not every run of ${contradicted.join(', ')} succeeded`,
    people !== '' && `${people} pushed to the branch`,
    people === '' && !pushers.complete && 'GitHub does not say who else pushed to the branch',
    without_write.length > 0 && `no write access: ${without_write.join(', ')}`,
    spoken !== undefined && spokenText(spoken),
  ];
  return reasons.filter((reason) => reason !== false);
}

/** What would be decided now, with the gates and the history of this moment. */
function reasonsNow(
  state: State,
  settings: Settings,
  policy: PolicyFacts,
  ground: PolicyGround,
  authority: FinishFacts['authority'],
): readonly string[] {
  const { shown } = state;
  if (shown === null) return [];
  const { gates, merged_runs } = policy;
  // What agents ran is not in the diff, and stays in the ledger.
  const all = [...gates, ...shown.gates.filter((hit) => !gates.some(({ rule }) => rule === hit.rule))];
  const { authority: _, ...before } = shown;
  const seen = { ...before, gates: all, merged_runs, ...(authority !== undefined && { authority }) };
  const now = proceedingOf({ ...state, settings }, seen);
  if (now.how === 'wait') return proceedingReasons(now, all);
  if (now.how === 'proceed' || ground.rule === 'auto_proceed_after') return [];
  return ['the agent has too few merged runs here to proceed at once'];
}

/** GitHub lets a pull request have no more of them. */
const maxReviewers = 15;

/**
 * Requests reviews from the people and teams whose approval is missing by name, when the run asks for it:
 * that is when they are needed, and GitHub itself asks code owners only when a draft becomes ready, which
 * is after the approval. Each is asked once in a run.
 */
function withReviewersAsked(step: Next, { id }: Stamp): Next {
  const { state } = step;
  const asked = state.reviewers_asked ?? [];
  const wanted = reviewersOf(state).filter((name) => !asked.includes(name));
  const of = wanted.slice(0, Math.max(maxReviewers - asked.length, 0));
  if (of.length === 0) return step;
  const noted = { ...step, state: { ...state, reviewers_asked: [...asked, ...of] } };
  return withEffect(noted, { id: `${id}:reviewers`, do: 'request_reviews', of });
}

/** `@ada`, `@acme/core`; not those whose approval would not count because the work is their own. */
function reviewersOf(state: State): readonly string[] {
  const named = missing(needsOf(state)).flatMap(({ by }) => by);
  const names = named
    .filter((approver) => isAskable(approver, state))
    .map((one) => inWords(one).toLowerCase());
  return [...new Set(names)];
}

function isAskable(approver: Approver, state: State): boolean {
  if ('team' in approver) return true;
  if (!('login' in approver)) return false;
  const person = { login: approver.login, id: 0, role: 'admin', bot: false } as const;
  return objectionToOwnWork(state, state.settings.approval, person)?.why !== 'own_work';
}

/** The verifiers that have passed if the ledger is right, and those that must have; not the checks of CI. */
export function provenNames({ shown }: State, { verifiers, checks = [] }: Settings): readonly string[] {
  const passed = shown?.verifiers.filter(({ success }) => success) ?? [];
  const required = verifiers.filter((each) => each.required);
  const names = new Set([...passed, ...required].map(({ name }) => name));
  return [...names].filter((name) => !checks.some((check) => check.name === name));
}

/** Everybody who asked for the work, steered it, shaped it otherwise or let an agent do something. */
export function takingPart({
  requested_by,
  contributors = [],
  iterations,
  interactions,
}: State): readonly Account[] {
  const steers = iterations.flatMap((iteration) => iteration.steers);
  const steerers = steers.map(({ author: login, author_id: id = 0 }) => ({ login, id }));
  const permitted = interactions.filter(({ kind, by }) => kind === 'permission' && by !== 'coxswain');
  const permitting = permitted.map(({ by: login }) => ({ login, id: 0 }));
  const all: readonly Account[] = [requested_by, ...contributors, ...steerers, ...permitting];
  return all.filter((each, index) => all.findIndex((other) => isSame(each, other)) === index);
}

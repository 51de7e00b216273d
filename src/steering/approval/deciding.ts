import { flakyIn } from '../confidence/flaky.ts';
import { graveConcerns, overruledConcerns, reviewOf } from '../confidence/review.ts';
import { haveOthersPushed } from '../iterations/pushes.ts';
import { areDone, stagesOf } from '../iterations/stage.ts';
import { covers } from '../shapes/person.ts';
import type { NewGround, PeopleDecide, Proceeding } from '../shapes/proceeding.ts';
import { type Decision, decisionBy } from '../shapes/score.ts';
import type { ApprovalSettings } from '../shapes/settings.ts';
import type { Evaluation, State } from '../state/state.ts';

/** In ledgers of older versions, which nothing but `manual` reads. */
const usual = { new_history: 3, auto_proceed_after_s: 600, on_timeout: 'proceed' } as const;

/** What happens to the commit on show. Not asked when its confidence is zero. */
export function proceedingOf(state: State, shown: Evaluation): Proceeding {
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

/** By these settings, which may be newer than the evaluation. */
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

/** What has nothing to do with the confidence. */
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
    !areDone(state) && { why: 'stages_left' },
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

/** One of each group: the approval of their owners is what the configuration asks for. */
function filesWithOwners(authority: Evaluation['authority']): readonly string[] {
  const withOwners = authority?.owned.filter(({ owners }) => owners.length > 0) ?? [];
  return withOwners.flatMap(({ files }) => files.slice(0, 1));
}

/** Whether the task says how many people must approve, or who. */
function asksForPeople({ overrides }: Pick<State, 'overrides'>): boolean {
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

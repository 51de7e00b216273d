import { interactionsOf, settledButQuestions } from '../iterations/interactions.ts';
import { queueWork } from '../iterations/iteration.ts';
import { type Next, next, nothing, type Step, withReply } from '../iterations/step.ts';
import { shortSha } from '../phrases/phrases.ts';
import type { FinishFacts } from '../shapes/finishing.ts';
import type { Settings } from '../shapes/settings.ts';
import type { WorkKind } from '../shapes/standing.ts';
import type { EventOf } from '../state/event.ts';
import type { State } from '../state/state.ts';
import { waitingAnewFor } from './task-dependencies.ts';

/**
 * What was verified and approved is bound to a base and to the configuration. These handlers deal with a base
 * that someone changed, and with settings that were read again.
 */

type Retargeted = EventOf<'retargeted'>;

/** The check of the default branch, as the configuration names it. */
export const defaultBranchCheck = 'Coxswain';

/** The head is verified for the new base, and has to be approved for it. */
export function verifyForBase(work: WorkKind): (state: State, event: Retargeted) => Step {
  return (state, event) =>
    forNews(state, event, () => {
      const settled = settledButQuestions(state, event, { by: event.by, how: 'retargeted' });
      const step = queueWork({ ...withBase(state, event, event.at), ...settled }, work, subjectOf(event));
      const { phase } = state.standing;
      const isRevoked = state.approvals.length > 0 || phase === 'approved';
      const { base, by } = event;
      const words = { say: 'retargeted', from: state.run.base, base, by, ...approversOf(state) } as const;
      return isRevoked ? withReply(step, event, words) : step;
    });
}

/** The logins of those whose approvals no longer count. */
export function approversOf({ approvals }: State): { readonly approvers: readonly string[] } {
  return { approvers: approvals.map(({ by }) => by.login) };
}

/** Records the new base; the work still to be done, and its verification, are for that one. */
export function baseChanged(state: State, event: Retargeted): Step {
  return forNews(state, event, () => next(withBase(state, event, event.at), {}, subjectOf(event)));
}

/** A base with the same check, configuration and commit is the same one, as after a renaming. */
function forNews(state: State, event: Retargeted, handle: () => Next): Step {
  const { base, same_commit, settings } = event;
  if (base === state.run.base) return nothing;
  if (!same_commit || settings === null || !isSameRule(settings, state.settings)) return handle();
  return next(
    state,
    { run: { ...state.run, base }, base_at: event.at, ...leftWhileShown(state) },
    `The base is now ${base}, at the same commit and with the same check`,
  );
}

/** The state for another base: nothing that was verified or approved for the former one counts there. */
function withBase(state: State, { base, settings }: BaseAndSettings, base_at: string): State {
  const run = { ...state.run, base };
  const left = leftWhileShown(state);
  const review = state.review && { review: { ...state.review, head: null } };
  const moved: State = {
    ...waitingAnewFor(state),
    ...left,
    ...review,
    run,
    base_at,
    shown: null,
    approvals: [],
  };
  return settings === null ? moved : { ...withoutBaseline(moved), settings };
}

type BaseAndSettings = Pick<Retargeted, 'base' | 'settings'>;

/**
 * Whoever reads what is on show sees the difference from the former base. What that base held, or a merge of
 * it has brought, is somebody's own change for the new one.
 */
function leftWhileShown(state: State): Pick<State, 'pushed_while_shown' | 'base_left_while_shown'> {
  if (interactionsOf(state).length === 0) return {};
  return {
    ...(state.base_merged_while_shown && { pushed_while_shown: true }),
    ...(state.settings.check !== defaultBranchCheck && { base_left_while_shown: true }),
  };
}

/** The state with the base and the settings as they were just read; null if the configuration is unusable. */
export function withRules(state: State, now: BaseAndSettings, at: string): State {
  if (now.base !== state.run.base) return withBase(state, now, at);
  return now.settings === null ? state : underSettings(state, now.settings);
}

/** The state with settings that were read again. If they differ, earlier results and approvals are void. */
export function underSettings(state: State, settings: Settings): State {
  if (isSameRule(settings, state.settings)) return { ...state, settings };
  return { ...withoutBaseline(state), settings, shown: null, approvals: [] };
}

/** The state without what the verifiers said of the base: other verifiers may say something else of it. */
function withoutBaseline({ baseline: _, ...state }: State): State {
  return state;
}

/** Whether an approval under one holds under the other: the same configuration, for the same check. */
export function isSameRule(one: Settings, other: Settings): boolean {
  return one.digest === other.digest && one.check === other.check;
}

function subjectOf({ by, base }: Retargeted): string {
  return `${by} changed the base to ${base}`;
}

/** How often the verifiers run again for the same approvals because the base has moved. */
const maxMoves = 5;

/** Why the same approvals do not last any longer. */
export const movesTooOften = `the base has moved ${maxMoves} times since, and each time the merge with it has to be verified`;

/** Whether the verifiers saw the merge with another commit of the base than the one that is there now. */
export function hasBaseMoved({ shown }: State, { base_sha }: FinishFacts): boolean {
  const seen = shown?.merged_with;
  return seen !== undefined && base_sha !== undefined && base_sha !== seen;
}

/** While people are asked, nothing is verified again for it: they are told, and the finish sees to it. */
export function noteMovedBase(state: State, { head, base_sha, commits }: EventOf<'base_moved'>): Step {
  const { shown } = state;
  const known = knownTip(state);
  if (shown?.head_sha !== head || known === undefined || known === base_sha) return nothing;
  const { base_now: _, ...same } = shown;
  const isBack = base_sha === shown.merged_with;
  const seen = isBack ? same : { ...same, base_now: { sha: base_sha, commits } };
  return next(state, { shown: seen }, `Note that the base is now at ${shortSha(base_sha)}`);
}

/** The tip of the base that people have been told of; undefined if the verifiers saw the head alone. */
export function knownTip({ shown }: State): string | undefined {
  return shown?.merged_with && (shown.base_now?.sha ?? shown.merged_with);
}

/** Whether it has moved so often that people are asked again: else a busy base could go on for ever. */
export function movesForEver(state: State): boolean {
  return movesOf(state) >= maxMoves;
}

/** The new merge is verified; approvals stand if the verifiers say the same of it. */
export function verifyNewMerge(state: State, { base, base_sha }: FinishFacts): Next {
  const base_moves = { since: sinceOf(state), times: movesOf(state) + 1 };
  const now = typeof base_sha === 'string' ? shortSha(base_sha) : 'another commit';
  return queueWork({ ...state, base_moves }, 'verify_head', `Verify again: ${base} is now at ${now}`);
}

function movesOf(state: State): number {
  return state.base_moves?.since === sinceOf(state) ? state.base_moves.times : 0;
}

/** Another approval begins to count anew. */
function sinceOf({ approvals, head }: State): string {
  return approvals.at(-1)?.id ?? head;
}

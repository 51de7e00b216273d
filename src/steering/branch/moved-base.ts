import { queueWork } from '../iterations/iterations.ts';
import { type Next, next, nothing, type Step } from '../iterations/step.ts';
import { shortSha } from '../phrases/short-sha.ts';
import type { FinishFacts } from '../shapes/finish-facts.ts';
import type { EventOf } from '../state/event.ts';
import type { State } from '../state/state.ts';

/** How often the verifiers run again for the same approvals because the base has moved. */
const maxMoves = 5;

/** Why the same approvals do not last any longer. */
export const movesTooOften = `the base has moved ${maxMoves} times since, and each time the merge with it has to be verified`;

/** Whether the verifiers saw the merge with another commit of the base than the one that is there now. */
export function hasBaseMoved({ shown }: Pick<State, 'shown'>, { base_sha }: FinishFacts): boolean {
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
export function knownTip({ shown }: Pick<State, 'shown'>): string | undefined {
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

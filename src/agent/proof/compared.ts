import { beginMerge } from '../../git/begun-merge.ts';
import { mergeBase, mergeOf } from '../../git/merge.ts';
import type { Mirror } from '../../git/mirror.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { State } from '../../steering/state/state.ts';
import { conflictWith } from '../attempt/merging.ts';
import type { Assignment } from '../port/assignment.ts';

/** The two commits between which everything lies that a merge would bring. */
export interface Compared {
  /** Without the change. */
  readonly base: string;
  /** With it: what the verifiers see. */
  readonly subject: string;
  /** The tip of the base, if the verifiers see its merge with the head instead of the head. */
  readonly merged_with?: string;
}

/** The commit that the verifiers see, as the settings say, and the one without the change. */
export async function comparedFor(
  { state, commit }: Assignment,
  mirror: Mirror,
): Promise<Compared | { readonly failure: Failure }> {
  const tip = await baseOf(state, mirror);
  const { verify_against } = state.settings;
  if (verify_against !== 'merge') {
    const base = await mergeBase(mirror.dir, tip, commit);
    if (base === undefined)
      throw new Error(`could not compare ${commit} with ${state.run.base}: they have no commit in common`);
    return { base, subject: commit };
  }
  const merge = await mergeOf(mirror.dir, { base: tip, head: commit });
  if (merge.kind === 'conflict') {
    const begun = await beginMerge(mirror.dir, { head: commit, tip, at: '@0 +0000' });
    return { failure: await conflictWith(state, mirror, begun) };
  }
  return { base: tip, subject: merge.commit, merged_with: tip };
}

/** The tip of the base branch. */
export async function baseOf({ run }: State, mirror: Mirror): Promise<string> {
  const base = await mirror.resolve(`refs/heads/${run.base}`);
  if (base === undefined) throw new Error(`could not find the base branch ${run.base} in ${mirror.dir}`);
  return base;
}

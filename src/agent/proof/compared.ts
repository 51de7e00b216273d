import { type BegunMerge, beginMerge } from '../../git/begun-merge.ts';
import { mergeBase, mergeOf } from '../../git/merge.ts';
import type { Mirror } from '../../git/mirror.ts';
import type { Failure } from '../../steering/attempt-result.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import type { State } from '../../steering/state.ts';
import type { Assignment } from '../assignment.ts';
import { conflictLines, waysToResolve } from '../merging.ts';

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

/** Why Git cannot merge the base, who has changed those files there, and what people can do. */
export async function conflictWith(
  { run, merges_base, iterations }: State,
  mirror: Pick<Mirror, 'dir'>,
  merge: BegunMerge,
): Promise<Failure> {
  const { tip } = merge;
  const lines = await conflictLines(mirror, merge);
  // What the run depended on is merged, and the conflict came before any work of its agent.
  const isBefore = merges_base && iterations.at(-1)?.update === undefined;
  const begins = isBefore
    ? '\n\n/retry then lets the agent begin, which has not worked on the task yet.'
    : '';
  return {
    ...{ kind: 'conflict', tip },
    message:
      `Git cannot merge this with ${run.base} at ${shortSha(tip)}. Conflicts, with who changed them on ` +
      `${run.base} since:\n\n${lines.join('\n')}\n\n${waysToResolve(run)}${begins}`,
  };
}

import { type BegunMerge, markersIn, touchingCommits } from '../../git/begun-merge.ts';
import { makeCommit } from '../../git/commit-object.ts';
import { diffBetween } from '../../git/diff.ts';
import type { Mirror } from '../../git/mirror.ts';
import { agentPaths } from '../../profiles/index.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { State } from '../../steering/state/state.ts';
import type { Assignment } from '../port/assignment.ts';
import type { ConflictedFile, Conflicts } from '../prompts/conflicts.ts';
import { instructionFiles } from './giving.ts';

/** An agent ends a merge that Git could not end: what it is told, and what of the result is its own work. */

const maxTold = 20;
const maxDiffLines = 200;
const maxCommits = 5;

/** What its prompt says of both sides; undefined if it has no merge to end. */
export async function conflictsFor(
  { state, merge }: Assignment,
  mirror: Pick<Mirror, 'dir'>,
): Promise<Conflicts | undefined> {
  if (merge === undefined) return undefined;
  const { head, tip, conflicts } = merge;
  const files: ConflictedFile[] = [];
  for (const { paths, kind, says } of conflicts.slice(0, maxTold)) {
    const [file = ''] = paths;
    const options = { repository: state.run.repo, file, budget: maxDiffLines };
    const own = await diffBetween(mirror.dir, { base: tip, head }, options);
    const commits = await touchingCommits(mirror.dir, merge, { paths, max: maxCommits });
    files.push({ paths, kind, says, commits, own: own.files.map(({ diff }) => diff).join('\n') });
  }
  return { base: state.run.base, tip, head, files, omitted: conflicts.length - files.length };
}

/**
 * The two commits between which everything lies that the agent itself has changed: of a merge, what it made
 * of what Git had begun, also in files without a conflict.
 */
export async function changedBy(
  { commit, merge }: Assignment,
  { dir }: Pick<Mirror, 'dir'>,
  head: string,
): Promise<{ readonly base: string; readonly head: string }> {
  if (merge === undefined || head === commit) return { base: commit, head };
  const ended = { parents: [merge.commit], message: 'End of a merge\n', at: '@0 +0000' };
  return { base: merge.commit, head: await makeCommit(dir, `${head}^{tree}`, ended) };
}

/** Verifiers need not look at every file, so a merge with markers in it is no result, whatever they say. */
export async function notResolved(
  { state: { run }, merge }: Assignment,
  { dir }: Pick<Mirror, 'dir'>,
  head: string,
): Promise<Failure | undefined> {
  const left = merge === undefined ? [] : await markersIn(dir, merge, head);
  if (merge === undefined || left.length === 0) return undefined;
  const { tip } = merge;
  return {
    ...{ kind: 'conflict', tip },
    message:
      `The agent left conflict markers of the merge with ${run.base} at ${shortSha(tip)} in ${namedPaths(left)}, ` +
      `so nothing of it is on the branch. ${agentMayResolve} ${byHand(run)}`,
  };
}

const maxNamed = 5;

function namedPaths(paths: readonly string[]): string {
  return `${paths.slice(0, maxNamed).join(', ')}${paths.length > maxNamed ? ', …' : ''}`;
}

interface Branches {
  readonly base: string;
  readonly branch: string;
}

const agentMayResolve = '/update --resolve lets the agent resolve it, in one attempt.';

function byHand({ base, branch }: Branches): string {
  return (
    `By hand: merge ${base} into ${branch}, resolve the conflicts and push; the new head is then verified:\n\n` +
    `git fetch origin && git switch ${branch} && git pull && git merge origin/${base}`
  );
}

const covers = instructionFiles({ hidden: agentPaths.workspace });

/** Files that no agent sees as the merge has them, and submodules, whose conflicts it could only leave. */
function unseenIn({ conflicts }: BegunMerge): readonly string[] {
  const unseen = conflicts.flatMap(({ paths, kind }) =>
    kind.startsWith('submodule') ? paths : paths.filter((path) => covers(path) !== undefined),
  );
  return [...new Set(unseen)];
}

/** Why Git cannot merge the base, who has changed those files there, and what people can do. */
export async function conflictWith(
  { run, merges_base, iterations }: State,
  mirror: Pick<Mirror, 'dir'>,
  merge: BegunMerge,
): Promise<Failure> {
  const { tip } = merge;
  const lines = await conflictLines(mirror, merge);
  const unseen = unseenIn(merge);
  const byAgent =
    unseen.length === 0
      ? agentMayResolve
      : `No agent can resolve this: it cannot change ${namedPaths(unseen)} (instructions or a submodule).`;
  // What the run depended on is merged, and the conflict came before any work of its agent.
  const isBefore = merges_base && iterations.at(-1)?.update === undefined;
  const begins = isBefore
    ? '\n\n/retry then lets the agent begin, which has not worked on the task yet.'
    : '';
  return {
    ...{ kind: 'conflict', ...(unseen.length === 0 && { tip }) },
    message:
      `Git cannot merge this with ${run.base} at ${shortSha(tip)}. Conflicts, with who changed them on ` +
      `${run.base} since:\n\n${lines.join('\n')}\n\n${byAgent} ${byHand(run)}${begins}`,
  };
}

/** Git's own sentence about each conflict, and who has touched the files on the base since. */
async function conflictLines(mirror: Pick<Mirror, 'dir'>, merge: BegunMerge): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { paths, kind } of merge.conflicts.slice(0, maxNamed)) {
    const commits = await touchingCommits(mirror.dir, merge, { paths, max: 3 });
    const who = commits.map(({ sha, author, subject }) => `${sha} ${author}: ${subject}`);
    const how = kind === 'contents' ? '' : ` (${kind})`;
    lines.push(`- ${paths.join(', ')}${how}`, ...who.map((each) => `    ${each}`));
  }
  const more = merge.conflicts.length - maxNamed;
  return more > 0 ? [...lines, `- and ${more} more`] : lines;
}

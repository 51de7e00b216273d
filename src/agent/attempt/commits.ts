import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type BegunMerge, beginMerge, markersIn, touchingCommits } from '../../git/begun-merge.ts';
import { mergeBase, mergeOf } from '../../git/merges.ts';
import type { Mirror } from '../../git/mirror.ts';
import { coxswain, makeCommit } from '../../git/objects.ts';
import type { AppliedOverlay } from '../../git/overlay.ts';
import { diffBetween } from '../../git/patches.ts';
import { commitAll } from '../../git/worktree.ts';
import type { Spent } from '../../network/spending/model-budget.ts';
import { agentPaths, profileNamed } from '../../profiles/index.ts';
import { currentIteration } from '../../steering/iterations/iteration.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { coAuthorTrailers, inertLine } from '../../text/commit-message.ts';
import { redact } from '../../text/redact.ts';
import type { Assignment, AttemptResources } from '../port/assignment.ts';
import type { SandboxContext } from '../port/sandboxed-run.ts';
import type { ConflictedFile, Conflicts } from '../prompts/given.ts';
import { instructionFiles } from './instructions.ts';

interface CommitDetails {
  /** What the agent says of its work; empty if it says nothing. */
  readonly summary: string;
  /** Untracked files that the setup commands created before the agent started: not the agent's work. */
  readonly madeBySetup: readonly string[];
  /** The files that the agent saw as the default branch has them. */
  readonly overlay: AppliedOverlay;
  /** The commit of the base whose merge it ends; absent if it ends none. */
  readonly merges?: string | undefined;
}

/** Commits what the agent changed, on top of the commit it started from; undefined when nothing changed. */
export async function commitWork(
  context: SandboxContext,
  { assignment, resources }: { assignment: Assignment; resources: AttemptResources },
  { summary, madeBySetup, overlay, merges }: CommitDetails,
): Promise<string | undefined> {
  for (const path of madeBySetup) await removeUntracked(context.workspace, path);
  const { secrets } = resources;
  // Before and after: a secret may be recognized only before, or only after what is around it was removed.
  const disclosed = assistedBy(assignment.state.settings, context.network.spentAtEnd());
  const message = redact(commitMessage(redact(summary, secrets), assignment, disclosed), secrets);
  return commitAll(resources.mirror, { dir: context.workspace, message, author: coxswain, overlay, merges });
}

/** This runs outside the sandbox, so a symbolic link that the agent put on the path is never followed. */
async function removeUntracked(workspace: string, path: string): Promise<void> {
  // With the slash that marks a folder, a link in its place would be followed.
  const target = join(workspace, path.replace(/\/$/, ''));
  // If the folder does not exist, there is nothing to remove.
  const folder = await realpath(dirname(target)).catch(() => undefined);
  if (folder === dirname(target)) await rm(target, { recursive: true, force: true });
}

/** The message of a commit of ours: trailers for the run, and for CI to wait if it has to. */
export function commitMessage(
  summary: string,
  { state, hold }: Pick<Assignment, 'state' | 'hold'>,
  disclosed: readonly string[] = [],
): string {
  const trailers = [
    `Coxswain-Run: ${state.run.id}`,
    `Coxswain-Iteration: ${hold.iteration}`,
    `Coxswain-Attempt: ${hold.attempt}`,
    ...disclosed,
    ...coAuthorTrailers(requesters(state)),
  ];
  return withTrailers(subjectOf(summary) || subjectOf(state.task.title), trailers, skipsCi(state));
}

/**
 * The trailer in which projects such as the Linux kernel want to be told of an agent and its model: the one
 * that was used most, as far as we saw its requests, else the one that is configured, if one is.
 */
function assistedBy({ commits, agent }: Settings, spent: Spent | null): readonly string[] {
  if (commits?.disclose !== 'assisted-by') return [];
  const most = (spent?.byModel ?? []).toSorted((one, other) => other.output - one.output)[0];
  const model = most?.model ?? ('model' in agent ? agent.model : undefined);
  const program = 'command' in agent ? agent.command?.[0] : undefined;
  const name = profileNamed(agent.use)?.title ?? basename(program ?? agent.use);
  return [`Assisted-by: ${harmless(model === undefined ? name : `${name}:${model}`, 200)}`];
}

/** Whether the CI of the repository has to wait until someone has looked at the commit. */
export function skipsCi({ settings }: State): boolean {
  return settings.ci === 'after_look';
}

/**
 * GitHub creates no check suites for a commit whose last trailer is `skip-checks: true`, after two empty lines:
 * https://docs.github.com/actions/managing-workflow-runs/skipping-workflow-runs
 */
function withTrailers(subject: string, trailers: readonly string[], skipped: boolean): string {
  return skipped
    ? `${subject}\n\n\n${[...trailers, 'skip-checks: true'].join('\n')}\n`
    : `${subject}\n\n${trailers.join('\n')}\n`;
}

/** Who asked for this iteration: the steers' authors, or else the person who started the run. */
function requesters(state: State): Parameters<typeof coAuthorTrailers>[0] {
  const { steers, undo, update } = currentIteration(state);
  const wanted = undo?.by ?? update?.by ?? undefined;
  if (wanted !== undefined && steers.length === 0) return [{ login: wanted }];
  const steerers = steers.map(({ author: login, author_id: id }) => ({ login, id }));
  return steerers.length > 0 ? steerers : [state.requested_by];
}

/** These markers in a commit message make GitHub skip workflows, which must not be up to an agent. */
const skipMarkers = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;

/** GitHub acts on what a commit message says, and an agent may not close issues or notify people. */
function subjectOf(text: string): string {
  return shortened(harmless(text, 500), 72);
}

function harmless(text: string, max: number): string {
  return inertLine(text, max).replace(skipMarkers, '($1)');
}

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

const agentMayResolve = '/update --resolve lets the agent resolve it, in one attempt.';

function byHand({ base, branch }: State['run']): string {
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

/** The two commits between which everything lies that a merge would bring. */
export interface Compared {
  /** The commit without the change. */
  readonly base: string;
  /** The commit with it, which the verifiers see. */
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

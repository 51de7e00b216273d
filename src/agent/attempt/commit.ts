import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { coxswain } from '../../git/commit-object.ts';
import type { AppliedOverlay } from '../../git/overlay.ts';
import { commitAll } from '../../git/worktree.ts';
import type { Spent } from '../../network/spending/budget.ts';
import { profileNamed } from '../../profiles/index.ts';
import { currentIteration } from '../../steering/iterations/iterations.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { coAuthorTrailers } from '../../text/co-authors.ts';
import { shortened } from '../../text/cut.ts';
import { inertLine } from '../../text/inert.ts';
import { redact } from '../../text/redact.ts';
import type { Assignment, AttemptResources } from '../port/assignment.ts';
import type { SandboxContext } from '../port/sandboxed-run.ts';

interface CommitDetails {
  /** The agent's own summary, if it gave one. */
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

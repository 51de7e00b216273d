import { type Context, gitOf } from '../context.ts';
import { mergedTree } from '../git/committing.ts';
import type { Json, PullIssue } from '../model.ts';
import { type ChangeStats, type Mergeability, pullPayload } from '../payloads/pulls.ts';
import { mergeState } from '../rules/merging.ts';

/** A single pull request, with the facts that need Git. */
export async function pullDetails(context: Context, issue: PullIssue): Promise<Json> {
  const [stats, merge] = await Promise.all([changeStats(context, issue), mergeability(context, issue)]);
  return pullPayload(context, issue, { stats, merge });
}

/** Whether the head can be merged into the base branch now; as on GitHub, unknown once it is closed. */
export async function mergeability(context: Context, issue: PullIssue): Promise<Mergeability> {
  if (issue.state === 'closed') return { mergeable: null, state: 'unknown' };
  const git = gitOf(context, issue);
  const base = await git.ref(`refs/heads/${issue.pull.base_ref}`);
  if (!base) return { mergeable: null, state: 'unknown' };
  const mergeable = (await mergedTree(git, [base, issue.pull.head_sha])) !== undefined;
  if (!mergeable) return { mergeable, state: 'dirty' };
  if (issue.pull.draft) return { mergeable, state: 'draft' };
  return { mergeable, state: await mergeState(context, issue) };
}

/** The merge base of head and base, or the base itself if they have no common history. */
export async function forkPoint(context: Context, issue: PullIssue): Promise<string> {
  const git = gitOf(context, issue);
  return (await git.mergeBase(issue.pull.base_sha, issue.pull.head_sha)) ?? issue.pull.base_sha;
}

async function changeStats(context: Context, { repository_id, pull }: PullIssue): Promise<ChangeStats> {
  const git = gitOf(context, context.store.repository(repository_id));
  const [commits, numbers] = await Promise.all([
    git.countBetween(pull.base_sha, pull.head_sha),
    git.tell(['diff', '--numstat', '--find-renames', '--merge-base'], [pull.base_sha, pull.head_sha]),
  ]);
  const lines = numbers.split('\n').filter((line) => line !== '');
  const column = (index: number) =>
    lines.reduce((total, line) => total + (Number(line.split('\t')[index]) || 0), 0);
  return {
    commits,
    additions: column(0),
    deletions: column(1),
    changed_files: lines.length,
  };
}

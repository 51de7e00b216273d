import { type Context, fullName, gitOf, timestamp } from '../context.ts';
import type { Issue, PullIssue, Repository } from '../model.ts';
import { type FieldError, HttpError, invalidField, validationFailed } from '../responses.ts';
import { isPull } from '../store.ts';
import { recordIssueEvent } from './issue-events.ts';
import { type Author, addIssue, disableAutoMerge, emitIssueEvent, setState } from './issues.ts';

export interface NewPull {
  title: string;
  body: string | null;
  head_ref: string;
  base_ref: string;
  draft: boolean;
  author: Author;
}

/** Opens a pull request between two branches, or throws GitHub's error. */
export async function openPull(
  context: Context,
  repository: Repository,
  wanted: NewPull,
): Promise<PullIssue> {
  const shas = await branchHeads(context, repository, wanted);
  requireOpenable(context, repository, wanted);
  const issue = addIssue(context, repository, wanted);
  issue.pull = {
    id: context.store.id(),
    head_ref: wanted.head_ref,
    base_ref: wanted.base_ref,
    ...shas,
    draft: wanted.draft,
    merged_at: null,
    merged_by_id: null,
    merge_commit_sha: null,
    requested_reviewer_ids: [],
    auto_merge: null,
  };
  const opened: PullIssue = Object.assign(issue, { pull: issue.pull });
  await gitOf(context, repository).run(['update-ref', `refs/pull/${issue.number}/head`, shas.head_sha]);
  await emitIssueEvent(context, opened, { action: 'opened', sender_id: wanted.author.user_id });
  return opened;
}

/** Updates the pull request to the new head of its branch. */
export async function synchronize(
  context: Context,
  issue: PullIssue,
  { before, after, sender_id }: { before: string; after: string; sender_id: number },
): Promise<void> {
  const git = gitOf(context, issue);
  if (!(await git.isAncestor(before, after))) {
    recordIssueEvent(context, issue, {
      event: 'head_ref_force_pushed',
      commit_id: after,
      before,
      actor_id: sender_id,
    });
  }
  issue.pull.head_sha = after;
  issue.updated_at = timestamp(context);
  const [base] = await Promise.all([
    git.ref(`refs/heads/${issue.pull.base_ref}`),
    git.run(['update-ref', `refs/pull/${issue.number}/head`, after]),
  ]);
  issue.pull.base_sha = base ?? issue.pull.base_sha;
  await emitIssueEvent(context, issue, { action: 'synchronize', sender_id, more: { before, after } });
}

/** Converts a pull request to a draft, or marks it as ready for review. */
export async function setDraft(
  context: Context,
  issue: PullIssue,
  { draft, sender_id }: { draft: boolean; sender_id: number },
): Promise<void> {
  if (issue.pull.draft === draft) return;
  if (draft) await disableAutoMerge(context, issue, { sender_id, why: 'draft' });
  issue.pull.draft = draft;
  const event = draft ? 'convert_to_draft' : 'ready_for_review';
  recordIssueEvent(context, issue, { event, actor_id: sender_id });
  issue.updated_at = timestamp(context);
  await emitIssueEvent(context, issue, {
    action: draft ? 'converted_to_draft' : 'ready_for_review',
    sender_id,
  });
}

/** Marks a pull request as merged by this commit, whether by a merge or a push. */
export async function markMerged(
  context: Context,
  issue: PullIssue,
  { sha, sender_id }: { sha: string; sender_id: number },
): Promise<void> {
  issue.pull.merged_at = timestamp(context);
  issue.pull.merged_by_id = sender_id;
  issue.pull.merge_commit_sha = sha;
  issue.pull.auto_merge = null;
  recordIssueEvent(context, issue, { event: 'merged', commit_id: sha, actor_id: sender_id });
  await setState(context, issue, { state: 'closed', sender_id });
  for (const named of closedByMerge(context, issue)) {
    await setState(context, named, { state: 'closed', sender_id, closer: issue.number });
  }
}

async function branchHeads(context: Context, repository: Repository, wanted: NewPull) {
  const git = gitOf(context, repository);
  const head_sha = await git.ref(`refs/heads/${wanted.head_ref}`);
  const base_sha = await git.ref(`refs/heads/${wanted.base_ref}`);
  if (!head_sha) throw invalidField('PullRequest', 'head');
  if (!base_sha) throw invalidField('PullRequest', 'base');
  if ((await git.countBetween(base_sha, head_sha)) === 0) {
    throw validationFailed('PullRequest', `No commits between ${wanted.base_ref} and ${wanted.head_ref}`);
  }
  return { head_sha, base_sha };
}

function requireOpenable(context: Context, repository: Repository, wanted: NewPull): void {
  const owner = fullName(context, repository).split('/')[0];
  const existing = context.store
    .pulls(repository)
    .find(
      ({ state, pull }) =>
        state === 'open' && pull.head_ref === wanted.head_ref && pull.base_ref === wanted.base_ref,
    );
  if (existing)
    throw validationFailed('PullRequest', `A pull request already exists for ${owner}:${wanted.head_ref}.`);
  if (wanted.draft && !repository.settings.drafts_supported) {
    throw validationFailed('PullRequest', 'Draft pull requests are not supported in this repository.');
  }
}

const closingWord = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi;

/** The issues that a merge into the default branch closes, because the body says `Fixes #3`. */
export function closedByMerge({ store }: Context, issue: PullIssue): Issue[] {
  const repository = store.repository(issue.repository_id);
  if (issue.pull.base_ref !== repository.default_branch) return [];
  return [...(issue.body ?? '').matchAll(closingWord)]
    .flatMap(([, number]) => store.issue(repository, Number(number)) ?? [])
    .filter((named) => !isPull(named));
}

interface NewBase {
  base: string;
  sender_id: number;
}

/** Changes the base branch because somebody asks for it; throws GitHub's error if that is not possible. */
export async function retarget(
  context: Context,
  issue: PullIssue,
  { base, sender_id }: NewBase,
): Promise<void> {
  const from = { ref: issue.pull.base_ref, sha: issue.pull.base_sha };
  if (base === from.ref) return;
  const obstacle = await obstacleTo(context, issue, base);
  if (obstacle !== undefined) throw invalidBase(obstacle);
  await setBase(context, issue, base);
  recordIssueEvent(context, issue, {
    event: 'base_ref_changed',
    previous: from.ref,
    current: base,
    actor_id: sender_id,
  });
  const changes = { base: { ref: { from: from.ref }, sha: { from: from.sha } } };
  await emitIssueEvent(context, issue, { action: 'edited', sender_id, more: { changes } });
}

async function setBase(context: Context, issue: PullIssue, base: string): Promise<void> {
  const git = gitOf(context, issue);
  issue.pull.base_ref = base;
  issue.pull.base_sha = (await git.ref(`refs/heads/${base}`)) ?? issue.pull.base_sha;
  issue.updated_at = timestamp(context);
}

/** Why the pull request cannot have this base, in GitHub's words. */
async function obstacleTo(context: Context, issue: PullIssue, base: string): Promise<string | undefined> {
  const repository = context.store.repository(issue.repository_id);
  const git = gitOf(context, issue);
  const { head_ref, head_sha } = issue.pull;
  if (issue.state === 'closed') return 'Cannot change the base branch of a closed pull request.';
  const tip = await git.ref(`refs/heads/${base}`);
  if (tip === undefined) return `Proposed base branch '${base}' was not found`;
  const names = `base branch '${base}' and head branch '${head_ref}'`;
  const twin = context.store
    .pulls(repository)
    .find(({ state, pull }) => state === 'open' && pull.head_ref === head_ref && pull.base_ref === base);
  if (twin) return `A pull request already exists for ${names}`;
  if (await git.isAncestor(head_sha, tip)) return `There are no new commits between ${names}`;
  return undefined;
}

function invalidBase(message: string): HttpError {
  const error: FieldError = { message, resource: 'PullRequest', field: 'base', code: 'invalid' };
  return new HttpError(422, 'Validation Failed', { errors: [error] });
}

import { type Context, fullName, gitOf, type Sender, timestamp } from '../context.ts';
import type { Issue, PullIssue, Repository } from '../model.ts';
import { type FieldError, HttpError, invalidField, validationFailed } from '../responses.ts';
import { isPull } from '../store.ts';
import { recordIssueEvent } from './issue-events.ts';
import { addIssue, disableAutoMerge, emitIssueEvent, type NewIssue, setState } from './issues.ts';

interface NewPull extends NewIssue {
  head_ref: string;
  base_ref: string;
  draft: boolean;
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
  await emitIssueEvent({ context, sender_id: wanted.author.user_id }, opened, 'opened');
  return opened;
}

/** Updates the pull request to the new head of its branch. */
export async function synchronize(
  sender: Sender,
  issue: PullIssue,
  { before, after }: { before: string; after: string },
): Promise<void> {
  const git = gitOf(sender.context, issue);
  if (!(await git.isAncestor(before, after))) {
    recordIssueEvent(sender, issue, { event: 'head_ref_force_pushed', commit_id: after, before });
  }
  issue.pull.head_sha = after;
  issue.updated_at = timestamp(sender.context);
  const [base] = await Promise.all([
    git.ref(`refs/heads/${issue.pull.base_ref}`),
    git.run(['update-ref', `refs/pull/${issue.number}/head`, after]),
  ]);
  issue.pull.base_sha = base ?? issue.pull.base_sha;
  await emitIssueEvent(sender, issue, 'synchronize', { before, after });
}

/** Converts a pull request to a draft, or marks it as ready for review. */
export async function setDraft(sender: Sender, issue: PullIssue, draft: boolean): Promise<void> {
  if (issue.pull.draft === draft) return;
  if (draft) await disableAutoMerge(sender, issue, 'draft');
  issue.pull.draft = draft;
  recordIssueEvent(sender, issue, { event: draft ? 'convert_to_draft' : 'ready_for_review' });
  issue.updated_at = timestamp(sender.context);
  await emitIssueEvent(sender, issue, draft ? 'converted_to_draft' : 'ready_for_review');
}

/** Marks a pull request as merged by this commit, whether by a merge or a push. */
export async function markMerged(sender: Sender, issue: PullIssue, sha: string): Promise<void> {
  issue.pull.merged_at = timestamp(sender.context);
  issue.pull.merged_by_id = sender.sender_id;
  issue.pull.merge_commit_sha = sha;
  issue.pull.auto_merge = null;
  recordIssueEvent(sender, issue, { event: 'merged', commit_id: sha });
  await setState(sender, issue, 'closed');
  for (const named of closedByMerge(sender.context, issue)) {
    await setState(sender, named, 'closed', { closer: issue.number });
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
  if (isOpenBetween(context, repository, wanted))
    throw validationFailed('PullRequest', `A pull request already exists for ${owner}:${wanted.head_ref}.`);
  if (wanted.draft && !repository.settings.drafts_supported) {
    throw validationFailed('PullRequest', 'Draft pull requests are not supported in this repository.');
  }
}

/** Whether there is an open pull request between these branches. */
function isOpenBetween(
  { store }: Context,
  repository: Repository,
  { head_ref, base_ref }: Pick<NewPull, 'head_ref' | 'base_ref'>,
): boolean {
  const open = store.pulls(repository).filter(({ state }) => state === 'open');
  return open.some(({ pull }) => pull.head_ref === head_ref && pull.base_ref === base_ref);
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

/** Changes the base branch because somebody asks for it; throws GitHub's error if that is not possible. */
export async function retarget(sender: Sender, issue: PullIssue, base: string): Promise<void> {
  const { context } = sender;
  const from = { ref: issue.pull.base_ref, sha: issue.pull.base_sha };
  if (base === from.ref) return;
  const obstacle = await obstacleTo(context, issue, base);
  if (obstacle !== undefined) throw invalidBase(obstacle);
  await setBase(context, issue, base);
  recordIssueEvent(sender, issue, { event: 'base_ref_changed', previous: from.ref, current: base });
  const changes = { base: { ref: { from: from.ref }, sha: { from: from.sha } } };
  await emitIssueEvent(sender, issue, 'edited', { changes });
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
  if (isOpenBetween(context, repository, { head_ref, base_ref: base }))
    return `A pull request already exists for ${names}`;
  if (await git.isAncestor(head_sha, tip)) return `There are no new commits between ${names}`;
  return undefined;
}

function invalidBase(message: string): HttpError {
  const error: FieldError = { message, resource: 'PullRequest', field: 'base', code: 'invalid' };
  return new HttpError(422, 'Validation Failed', { errors: [error] });
}

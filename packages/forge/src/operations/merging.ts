import { type Context, fullName, gitOf, type Pusher } from '../context.ts';
import { commitsBetween, listCommits } from '../git/commits.ts';
import { mergedTree, ownIdentity, webIdentity } from '../git/committing.ts';
import { type Git, type GitOptions, type RefChange, zeroSha } from '../git/plumbing.ts';
import { commitSigned, unsignedIn, unsignedText } from '../git/signatures.ts';
import type { PullIssue, Repository } from '../model.ts';
import { HttpError } from '../responses.ts';
import { mergeViolations } from '../rules/merging.ts';
import { forcedViolation, pushViolations, signingRule, violationMessage } from '../rules/pushes.ts';
import { entryOf, queueRuleOn } from '../rules/queue.ts';
import { mergeability } from './pull-details.ts';
import { markMerged } from './pulls.ts';
import { refsChanged } from './pushes.ts';
import { enqueue } from './queue-entries.ts';

/** The settings of a repository that allow the ways to merge. */
export const mergeSettings = {
  merge: 'allow_merge_commit',
  squash: 'allow_squash_merge',
  rebase: 'allow_rebase_merge',
} as const;

interface MergeOptions {
  method: keyof typeof mergeSettings;
  title: string | undefined;
  message: string | undefined;
  /** The expected head; if it differs, the response is a 409. */
  sha: string | undefined;
  sender_id: number;
}

/** Merges a pull request with real commits in the repository; returns the new tip of the base branch. */
export async function mergePull(context: Context, issue: PullIssue, merge: MergeOptions): Promise<string> {
  await requireMergeable(context, issue, merge);
  const repository = context.store.repository(issue.repository_id);
  const git = gitOf(context, issue);
  const ref = `refs/heads/${issue.pull.base_ref}`;
  const before = await git.ref(ref);
  if (!before) throw new HttpError(405, 'Base branch does not exist');
  const after = await mergeCommit(context, issue, { ...merge, base: before });
  const moved = await git.attempt(['update-ref', ref, after, before]);
  if (moved.code !== 0) throw new HttpError(405, 'Base branch was modified. Review and try the merge again.');
  const pusher = { context, repository, sender_id: merge.sender_id };
  await markMerged(pusher, issue, after);
  await refsChanged(pusher, [{ ref, before, after }], 'pr_merge');
  return after;
}

/**
 * Merges a pull request with auto-merge, or adds it to the merge queue of its base, as soon as the rules
 * allow it, whatever other checks say.
 */
export async function mergeWhenReady(context: Context, issue: PullIssue): Promise<void> {
  const auto = issue.pull.auto_merge;
  if (auto === null || issue.state === 'closed') return;
  if (!['clean', 'unstable'].includes((await mergeability(context, issue)).state)) return;
  const { merge_method: method, enabled_by_id: sender_id } = auto;
  const repository = context.store.repository(issue.repository_id);
  if (queueRuleOn(context, repository, issue.pull.base_ref)) {
    await enqueue({ context, sender_id }, issue);
    return;
  }
  const words = { title: auto.commit_title ?? undefined, message: auto.commit_message ?? undefined };
  await mergePull(context, issue, { method, ...words, sha: undefined, sender_id });
}

/** The same for all pull requests whose head moved; the new head may have passed its checks already. */
export async function mergeReadyPulls(
  context: Context,
  repository: Repository,
  changes: RefChange[],
): Promise<void> {
  const refs = new Set(changes.map(({ ref }) => ref));
  for (const issue of context.store.pulls(repository)) {
    if (refs.has(`refs/heads/${issue.pull.head_ref}`)) await mergeWhenReady(context, issue);
  }
}

async function requireMergeable(context: Context, issue: PullIssue, merge: MergeOptions): Promise<void> {
  if (issue.pull.merged_at !== null || issue.state === 'closed') {
    throw new HttpError(405, 'Pull Request is not mergeable');
  }
  if (issue.pull.draft) throw new HttpError(405, 'Pull Request is still a draft');
  if (merge.sha !== undefined && merge.sha !== issue.pull.head_sha) {
    throw new HttpError(409, 'Head branch was modified. Review and try the merge again.');
  }
  if (entryOf(context, issue)) throw new HttpError(405, 'Pull Request is in the merge queue.');
  const broken = await mergeViolations(context, issue, merge);
  if (broken.length > 0) throw new HttpError(405, violationMessage(broken));
}

type MergeOnto = MergeOptions & { base: string };

/** Commits the pull request's changes on top of `base`; throws a 405 if they conflict. */
export function mergeCommit(context: Context, issue: PullIssue, merge: MergeOnto): Promise<string> {
  switch (merge.method) {
    case 'merge':
      return commitMerged(context, issue, { ...merge, parents: [merge.base, issue.pull.head_sha] });
    case 'squash':
      return commitMerged(context, issue, { ...merge, parents: [merge.base] });
    case 'rebase':
      return rebased(context, issue, merge);
  }
}

async function commitMerged(
  context: Context,
  issue: PullIssue,
  merge: MergeOnto & { parents: string[] },
): Promise<string> {
  const git = gitOf(context, issue);
  const tree = await treeOf(git, [merge.base, issue.pull.head_sha]);
  const text = await messageFor(context, issue, merge);
  const parents = merge.parents.flatMap((parent) => ['-p', parent]);
  return commitSigned(context, git, [tree, ...parents], {
    input: text,
    env: webIdentity(context, merge.sender_id),
  });
}

async function treeOf(git: Git, commits: [string, string]): Promise<string> {
  const tree = await mergedTree(git, commits);
  if (tree === undefined) throw new HttpError(405, 'Pull Request is not mergeable');
  return tree;
}

async function messageFor(context: Context, issue: PullIssue, merge: MergeOptions): Promise<string> {
  const owner = fullName(context, context.store.repository(issue.repository_id)).split('/')[0];
  if (merge.method === 'merge') {
    const title = merge.title ?? `Merge pull request #${issue.number} from ${owner}/${issue.pull.head_ref}`;
    return `${title}\n\n${merge.message ?? issue.title}\n`;
  }
  const usual = await squashed(context, issue);
  return `${merge.title ?? usual.title}\n\n${merge.message ?? usual.message}\n`;
}

/** With the settings that a repository has at first: what the commits say, in full. */
async function squashed(context: Context, issue: PullIssue): Promise<{ title: string; message: string }> {
  const git = gitOf(context, issue);
  const commits = await commitsBetween(git, issue.pull.base_sha, issue.pull.head_sha);
  const [only, ...others] = commits;
  if (only === undefined || others.length > 0) {
    const message = commits.map((commit) => `* ${commit.message.trimEnd()}`).join('\n\n');
    return { title: `${issue.title} (#${issue.number})`, message };
  }
  const [subject = '', ...body] = only.message.trimEnd().split('\n');
  return { title: `${subject} (#${issue.number})`, message: body.join('\n').trimStart() };
}

/** Applies each commit of the head again, on top of the base. */
async function rebased(context: Context, issue: PullIssue, merge: MergeOnto): Promise<string> {
  const git = gitOf(context, issue);
  const commits = await listCommits(git, ['--no-merges', `${merge.base}..${issue.pull.head_sha}`]);
  let tip = merge.base;
  for (const commit of commits) {
    const parent = commit.parents[0];
    const onto = await pickedTree(git, { commit: commit.sha, parent, tip });
    const options: GitOptions = {
      input: `${commit.message}\n`,
      env: {
        ...ownIdentity(context, merge.sender_id),
        GIT_AUTHOR_NAME: commit.author.name,
        GIT_AUTHOR_EMAIL: commit.author.email,
        GIT_AUTHOR_DATE: commit.author.date,
      },
    };
    tip = await git.run(['commit-tree', onto, '-p', tip], options);
  }
  return tip;
}

/**
 * The tree of `tip` with the commit's change. Three commits without history replace the real ones,
 * so that the commit's parent is the merge base (before 2.40, Git has no option for that).
 */
async function pickedTree(
  git: Git,
  { commit, parent, tip }: { commit: string; parent: string | undefined; tip: string },
): Promise<string> {
  if (parent === tip || parent === undefined) return git.run(['rev-parse', `${commit}^{tree}`]);
  const base = await standIn(git, parent, []);
  const [ours, theirs] = await Promise.all([standIn(git, tip, [base]), standIn(git, commit, [base])]);
  return treeOf(git, [ours, theirs]);
}

function standIn(git: Git, commit: string, parents: string[]): Promise<string> {
  const env = {
    GIT_AUTHOR_NAME: 'forge',
    GIT_AUTHOR_EMAIL: 'forge@forge.example',
    GIT_COMMITTER_NAME: 'forge',
    GIT_COMMITTER_EMAIL: 'forge@forge.example',
  };
  const lines = parents.flatMap((parent) => ['-p', parent]);
  return git.run(['commit-tree', `${commit}^{tree}`, ...lines], { input: 'stand-in\n', env });
}

/** Changes a ref through the API as a push would: rules apply, and webhooks and the activity tell of it. */
export async function updateRef(pusher: Pusher, change: RefChange): Promise<void> {
  await requireAllowed(pusher, change);
  const { context, repository } = pusher;
  const { ref, before, after } = change;
  const line = after === zeroSha ? ['update-ref', '-d', ref, before] : ['update-ref', ref, after, before];
  const result = await gitOf(context, repository).attempt(line);
  if (result.code !== 0) throw new HttpError(422, `Reference cannot be updated: ${result.stderr.trim()}`);
  await refsChanged(pusher, [change]);
  await mergeReadyPulls(context, repository, [change]);
}

async function requireAllowed(pusher: Pusher, change: RefChange): Promise<void> {
  const broken = pushViolations(pusher, change);
  const forced = forcedViolation(pusher, change);
  const { before, after } = change;
  const git = gitOf(pusher.context, pusher.repository);
  if (forced && before !== zeroSha && after !== zeroSha && !(await git.isAncestor(before, after))) {
    broken.push(forced);
  }
  const signing = signingRule(pusher, change);
  const unsigned = signing ? await unsignedIn(pusher.context, git, change) : [];
  if (signing && unsigned.length > 0) broken.push({ source: signing.source, text: unsignedText(unsigned) });
  if (broken.length > 0) throw new HttpError(422, violationMessage(broken));
}

/** Merges the commit `sha` into a branch: by a person, committed by GitHub. Undefined if they conflict. */
export async function mergeIntoBranch(
  pusher: Pusher,
  { branch, sha, message }: Record<'branch' | 'sha' | 'message', string>,
): Promise<string | undefined> {
  const git = gitOf(pusher.context, pusher.repository);
  const ref = `refs/heads/${branch}`;
  const before = await git.ref(ref);
  if (before === undefined) throw new HttpError(404, 'Base does not exist');
  const tree = await mergedTree(git, [before, sha]);
  if (tree === undefined) return undefined;
  const after = await commitSigned(pusher.context, git, [tree, '-p', before, '-p', sha], {
    input: `${message}\n`,
    env: webIdentity(pusher.context, pusher.sender_id),
  });
  await updateRef(pusher, { ref, before, after });
  return after;
}

/** The button "Update branch": merges the base into the head. */
export async function updateBranch(pusher: Pusher, { pull }: PullIssue): Promise<void> {
  const git = gitOf(pusher.context, pusher.repository);
  const { base_ref, head_ref, head_sha } = pull;
  const sha = await git.ref(`refs/heads/${base_ref}`);
  if (sha === undefined || (await git.isAncestor(sha, head_sha))) {
    throw new HttpError(422, 'There are no new commits on the base branch.');
  }
  const message = `Merge branch '${base_ref}' into ${head_ref}`;
  const merged = await mergeIntoBranch(pusher, { branch: head_ref, sha, message });
  if (merged === undefined) throw new HttpError(422, 'merge conflict between base and head');
}

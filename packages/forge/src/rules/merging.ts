import { type Context, gitOf } from '../context.ts';
import { commitsBetween } from '../git/commits.ts';
import { unsignedText } from '../git/signatures.ts';
import type { PullIssue, Repository } from '../model.ts';
import { type AppliedRule, rulesOn } from './applied.ts';
import type { Violation } from './pushes.ts';
import { queueMethods, queueRuleOn } from './queue.ts';
import { checkViolation, isUnstable, opinionsOn, reviewViolation } from './requirements.ts';

/** What hinders a merge. `behind` is a violation of the strict policy, which updating the branch ends. */
export type MergeViolation = Violation & { behind?: true };

interface Merge {
  /** Who merges, and may bypass rules; null asks for everybody. */
  sender_id: number | null;
  /** How it is to be merged; without it, what only one way of merging would break is no violation. */
  method?: 'merge' | 'squash' | 'rebase' | undefined;
}

/** The rules of the base branch that merging the pull request now would break. */
export async function mergeViolations(
  context: Context,
  issue: PullIssue,
  { sender_id, method }: Merge,
): Promise<MergeViolation[]> {
  const repository = context.store.repository(issue.repository_id);
  const rules = rulesOn(context, repository, `refs/heads/${issue.pull.base_ref}`).filter(
    (one) => sender_id === null || !one.exempts(sender_id),
  );
  const found: MergeViolation[] = await violationsOf(context, issue, rules, method);
  const strict = rules.find(
    ({ rule }) =>
      rule.type === 'required_status_checks' && rule.parameters.strict_required_status_checks_policy,
  );
  if (strict === undefined || (await isUpToDate(context, repository, issue))) return found;
  const text = 'Head branch is out of date. Review and try the merge again.';
  return [...found, { source: strict.source, text, behind: true }];
}

/**
 * What hinders a pull request from joining the merge queue of its base, which brings it up to date itself.
 */
export function queueViolations(context: Context, issue: PullIssue): Promise<Violation[]> {
  const repository = context.store.repository(issue.repository_id);
  const { base_ref } = issue.pull;
  const rules = rulesOn(context, repository, `refs/heads/${base_ref}`);
  const queue = queueRuleOn(context, repository, base_ref);
  const others = rules.filter(({ rule }) => rule.type !== 'merge_queue');
  return violationsOf(context, issue, others, queue && queueMethods[queue.parameters.merge_method]);
}

async function violationsOf(
  context: Context,
  issue: PullIssue,
  rules: AppliedRule[],
  method: Merge['method'],
): Promise<Violation[]> {
  const repository = context.store.repository(issue.repository_id);
  const found = rules.flatMap(({ rule, source }): Violation[] => {
    const text = violationOf(context, issue, { rule, repository });
    return text === undefined ? [] : [{ source, text }];
  });
  const signing = rules.find(({ rule }) => rule.type === 'required_signatures');
  const unsigned = signing ? await unsignedBy(context, issue, method) : [];
  if (signing && unsigned.length > 0) found.push({ source: signing.source, text: unsignedText(unsigned) });
  return found;
}

/**
 * Whether the pull request can be merged, or join the merge queue, as far as rules and checks are concerned.
 */
export async function mergeState(
  context: Context,
  issue: PullIssue,
): Promise<'clean' | 'unstable' | 'behind' | 'blocked'> {
  const repository = context.store.repository(issue.repository_id);
  const broken: MergeViolation[] = queueRuleOn(context, repository, issue.pull.base_ref)
    ? await queueViolations(context, issue)
    : await mergeViolations(context, issue, { sender_id: null });
  if (broken.some(({ behind }) => !behind)) return 'blocked';
  if (broken.length > 0) return 'behind';
  return isUnstable(context, { repository, sha: issue.pull.head_sha }) ? 'unstable' : 'clean';
}

/** Whether the base branch has rules that a merge must obey; without any there is nothing to wait for. */
export function hasMergeRules(context: Context, issue: PullIssue): boolean {
  const repository = context.store.repository(issue.repository_id);
  const kinds = ['required_status_checks', 'pull_request', 'merge_queue', 'update'];
  return rulesOn(context, repository, `refs/heads/${issue.pull.base_ref}`).some(({ rule }) =>
    kinds.includes(rule.type),
  );
}

/** What the reviews come to; null if there are none and none is required. */
export function reviewDecision(context: Context, issue: PullIssue) {
  const repository = context.store.repository(issue.repository_id);
  const states = opinionsOn(context, issue).map(({ state }) => state);
  if (states.includes('CHANGES_REQUESTED')) return 'CHANGES_REQUESTED';
  const isRequired = rulesOn(context, repository, `refs/heads/${issue.pull.base_ref}`).some(
    ({ rule }) => rule.type === 'pull_request' && reviewViolation(context, issue, rule) !== undefined,
  );
  return isRequired ? 'REVIEW_REQUIRED' : states.includes('APPROVED') ? 'APPROVED' : null;
}

function violationOf(
  context: Context,
  issue: PullIssue,
  { rule, repository }: Pick<AppliedRule, 'rule'> & { repository: Repository },
): string | undefined {
  switch (rule.type) {
    case 'update':
      return 'Cannot update this protected ref.';
    case 'merge_queue':
      return 'Changes must be made through the merge queue';
    case 'pull_request':
      return reviewViolation(context, issue, rule);
    case 'required_status_checks': {
      const commit = { repository, sha: issue.pull.head_sha };
      return checkViolation(context, commit, rule.parameters.required_status_checks);
    }
    case 'creation':
    case 'deletion':
    case 'non_fast_forward':
    case 'required_signatures':
      return undefined;
  }
}

/** What a merge would bring unsigned: GitHub signs what it merges and squashes, and not what it rebases. */
async function unsignedBy(
  context: Context,
  { repository_id, pull }: PullIssue,
  method: Merge['method'],
): Promise<string[]> {
  if (method === undefined || method === 'squash') return [];
  const git = gitOf(context, context.store.repository(repository_id));
  const commits = await commitsBetween(git, pull.base_sha, pull.head_sha);
  const { signatures } = context.store.data;
  return commits.map(({ sha }) => sha).filter((sha) => method === 'rebase' || signatures[sha] === undefined);
}

async function isUpToDate(context: Context, repository: Repository, { pull }: PullIssue): Promise<boolean> {
  const git = gitOf(context, repository);
  const base = await git.ref(`refs/heads/${pull.base_ref}`);
  return base === undefined || git.isAncestor(base, pull.head_sha);
}

import type { Context } from '../context.ts';
import type {
  CheckRun,
  CommitStatus,
  PullIssue,
  PullRequestRule,
  Repository,
  RequiredCheck,
  Review,
} from '../model.ts';
import { reviewsOf } from '../payloads/pulls.ts';
import { atLeast, covers, roleOf } from '../permissions.ts';

/** A commit of a repository. */
export interface CommitAt {
  repository: Repository;
  sha: string;
}

type State = 'success' | 'failing' | 'pending' | 'in progress' | 'expected' | 'foreign';

/** GitHub's message if the commit has not passed all these checks. */
export function checkViolation(
  context: Context,
  commit: CommitAt,
  required: RequiredCheck[],
): string | undefined {
  const states = required.map((check) => ({ check, state: stateOf(context, commit, check) }));
  const unmet = states.filter(({ state }) => state !== 'success');
  const [first] = unmet;
  if (first === undefined) return undefined;
  if (unmet.length === 1) return sentenceFor(first.check, first.state);
  const kinds = [...new Set(unmet.map(({ state }) => wordFor(state)))];
  const count = `${unmet.length} of ${required.length} required status checks`;
  if (kinds.length === 1) return `${count} are ${kinds[0]}.`;
  const parts = kinds.map((kind) => `${unmet.filter(({ state }) => wordFor(state) === kind).length} ${kind}`);
  return `${count} have not succeeded: ${parts.join(' and ')}.`;
}

/** What a commit's required checks come to: failing if one of them fails, and passing without any. */
export function verdictOf(
  context: Context,
  commit: CommitAt,
  required: RequiredCheck[],
): 'passing' | 'failing' | 'pending' {
  const states = required.map((check) => stateOf(context, commit, check));
  if (states.includes('failing')) return 'failing';
  return states.every((state) => state === 'success') ? 'passing' : 'pending';
}

function sentenceFor({ context: name }: RequiredCheck, state: State): string {
  if (state === 'foreign') {
    return `Required status check "${name}" was not set by the expected GitHub app.`;
  }
  return `Required status check "${name}" is ${state}.`;
}

/** In a sum, a check of another source counts as one that is expected. */
function wordFor(state: State): string {
  return state === 'foreign' ? 'expected' : state;
}

/**
 * The newest run and the newest status of the name count, if they come from the expected App; a run and a
 * status of the same name must both pass. What an App sets by its installation is its own, also a status.
 */
function stateOf(context: Context, commit: CommitAt, required: RequiredCheck): State {
  const runs = runsOn(context, commit).filter(({ name }) => name === required.context);
  const statuses = statusesOn(context, commit).filter((one) => one.context === required.context);
  const isExpected = ({ app_id }: { app_id: number | null }) =>
    required.integration_id === undefined || app_id === required.integration_id;
  const run = runs.findLast(isExpected);
  const status = statuses.findLast(isExpected);
  const states = [...(run ? [runState(run)] : []), ...(status ? [statusState(status)] : [])];
  if (states.length === 0) return runs.length + statuses.length > 0 ? 'foreign' : 'expected';
  return states.find((state) => state !== 'success') ?? 'success';
}

/** Whether any check or status of the commit, required or not, has not passed (yet). */
export function isUnstable(context: Context, commit: CommitAt): boolean {
  const states = [
    ...latestRuns(context, commit).map(runState),
    ...latestStatuses(context, commit).map(statusState),
  ];
  return states.some((state) => state !== 'success');
}

/** The newest check run of each name and App. */
export function latestRuns(context: Context, commit: CommitAt): CheckRun[] {
  return latestBy(runsOn(context, commit), ({ app_id, name }) => `${app_id} ${name}`);
}

/** The newest status of each name. */
export function latestStatuses(context: Context, commit: CommitAt): CommitStatus[] {
  return latestBy(statusesOn(context, commit), (status) => status.context);
}

/** The newest of each kind; the list is oldest first. */
function latestBy<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

function runsOn({ store }: Context, { repository, sha }: CommitAt): CheckRun[] {
  return store.data.check_runs.filter((run) => run.repository_id === repository.id && run.head_sha === sha);
}

function statusesOn({ store }: Context, { repository, sha }: CommitAt): CommitStatus[] {
  return store.data.statuses.filter((one) => one.repository_id === repository.id && one.sha === sha);
}

function runState({ status, conclusion }: CheckRun): State {
  if (status === 'in_progress') return 'in progress';
  if (status === 'queued') return 'pending';
  return ['success', 'neutral', 'skipped'].includes(conclusion ?? '') ? 'success' : 'failing';
}

function statusState({ state }: CommitStatus): State {
  if (state === 'success' || state === 'pending') return state;
  return 'failing';
}

/** GitHub's message if the pull request lacks the reviews that the rule demands. */
export function reviewViolation(
  context: Context,
  issue: PullIssue,
  { parameters }: PullRequestRule,
): string | undefined {
  const opinions = opinionsOn(context, issue);
  if (opinions.some(({ state }) => state === 'CHANGES_REQUESTED')) return 'Changes have been requested.';
  const approvals = opinions.filter(
    ({ state, commit_id }) =>
      state === 'APPROVED' &&
      (!parameters.dismiss_stale_reviews_on_push || commit_id === issue.pull.head_sha),
  );
  const needed = parameters.required_approving_review_count;
  if (approvals.length < needed) {
    const reviews = needed === 1 ? 'approving review is' : 'approving reviews are';
    return `At least ${needed} ${reviews} required by reviewers with write access.`;
  }
  const pusher_id = lastPusher(context, issue);
  if (parameters.require_last_push_approval && !approvals.some(({ user_id }) => user_id !== pusher_id)) {
    return 'New changes require approval from someone other than the last pusher.';
  }
  return undefined;
}

/** The newest verdict of each reviewer with write access; comments are none. */
export function opinionsOn(context: Context, issue: PullIssue): Review[] {
  const repository = context.store.repository(issue.repository_id);
  const verdicts = reviewsOf(context, issue).filter(
    ({ state, user_id }) =>
      ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state) &&
      mayWrite(context, repository, user_id),
  );
  return [...new Map(verdicts.map((review) => [review.user_id, review])).values()];
}

function mayWrite({ store }: Context, repository: Repository, account_id: number): boolean {
  if (atLeast(roleOf(store.account(account_id), repository), 'write')) return true;
  const app = store.data.apps.find(({ bot_id }) => bot_id === account_id);
  return store.data.installations.some(
    ({ app_id, repository_ids, permissions }) =>
      app_id === app?.id &&
      repository_ids.includes(repository.id) &&
      covers(permissions, { contents: 'write' }),
  );
}

function lastPusher({ store }: Context, { repository_id, pull }: PullIssue): number | null | undefined {
  const ref = `refs/heads/${pull.head_ref}`;
  return store.data.activities.findLast((one) => one.repository_id === repository_id && one.ref === ref)
    ?.actor_id;
}

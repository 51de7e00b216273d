import { gitOf } from '../context.ts';
import { type CommitRecord, readCommit } from '../git/commits.ts';
import type { Repository } from '../model.ts';
import { checkRunPayload, statusPayload } from '../payloads/checks.ts';
import { nodeId } from '../payloads/links.ts';
import { fulfils, protectionOn, requiredChecksOn } from '../rules/applied.ts';
import { type CommitAt, latestRuns, latestStatuses } from '../rules/requirements.ts';
import { connection, enumWord, type PageArguments } from './fields.ts';
import type { Viewer } from './viewer.ts';

export function commitNode(viewer: Viewer, repository: Repository, oid: string) {
  const commit = () => readCommit(gitOf(viewer.context, repository), oid);
  return {
    __typename: 'Commit',
    id: nodeId('Commit', oid),
    oid,
    views: [commit],
    authors: async (page: PageArguments) => connection([(await commit()).author], page),
    messageHeadline: async () => messageOf(await commit()).headline,
    messageBody: async () => messageOf(await commit()).body,
    statusCheckRollup: () => rollupNode(viewer, { repository, sha: oid }),
  };
}

export function refNode(repository: Repository, name: string) {
  const protection = protectionOn(repository, `refs/heads/${name}`);
  const strict = protection && { requiresStrictStatusChecks: protection.required_status_checks.strict };
  const updating = protection && { requiresSignatures: protection.required_signatures === true };
  return { name, branchProtectionRule: strict, refUpdateRule: updating ?? null };
}

function messageOf({ message }: CommitRecord) {
  const [headline = '', ...rest] = message.split('\n');
  return { headline, body: rest.join('\n').trim() };
}

/** All checks and statuses of a commit; null if there are none. */
export function rollupNode(viewer: Viewer, commit: CommitAt) {
  const { context } = viewer;
  const runs = latestRuns(context, commit);
  const statuses = latestStatuses(context, commit);
  if (runs.length + statuses.length === 0) return null;
  const isRequired = (name: string, app_id: number | null) => (asked: AskedPull) =>
    requires(viewer, commit.repository, { name, app_id, asked });
  const contexts = [
    ...runs.map((run) => ({
      __typename: 'CheckRun',
      views: [() => checkRunPayload(context, run)],
      isRequired: isRequired(run.name, run.app_id),
    })),
    ...statuses.map((status) => ({
      __typename: 'StatusContext',
      views: [() => statusPayload(context, commit.repository, status)],
      isRequired: isRequired(status.context, status.app_id),
    })),
  ];
  const ofRuns = runs.map(({ status, conclusion }) => conclusion ?? status);
  const ofStatuses = statuses.map(({ state }) => state);
  return {
    state: rollupState([...ofRuns, ...ofStatuses]),
    contexts: (page: PageArguments) => ({
      ...connection(contexts, page),
      checkRunCount: runs.length,
      checkRunCountsByState: counted(ofRuns),
      statusContextCount: statuses.length,
      statusContextCountsByState: counted(ofStatuses),
    }),
  };
}

/** A failure counts more than what is not finished. */
function rollupState(states: string[]): string {
  const rest = states.filter((state) => !['success', 'neutral', 'skipped'].includes(state));
  if (rest.length === 0) return 'SUCCESS';
  return rest.every((state) => ['queued', 'in_progress', 'pending'].includes(state)) ? 'PENDING' : 'FAILURE';
}

function counted(states: string[]) {
  return [...new Set(states)].map((state) => ({
    state: enumWord(state),
    count: states.filter((one) => one === state).length,
  }));
}

interface AskedPull {
  pullRequestId?: string | null;
  pullRequestNumber?: number | null;
}

/** Whether a rule of the pull request's base demands the check. */
function requires(
  { context }: Viewer,
  repository: Repository,
  { name, app_id, asked }: { name: string; app_id: number | null; asked: AskedPull },
): boolean {
  const issue = context.store
    .pulls(repository)
    .find(
      ({ number, pull }) =>
        number === asked.pullRequestNumber || nodeId('PullRequest', pull.id) === asked.pullRequestId,
    );
  const required = issue ? requiredChecksOn(context, repository, issue.pull.base_ref) : [];
  return required.some((one) => fulfils({ name, app_id }, one));
}

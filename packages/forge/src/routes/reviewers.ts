import type { Account, Team } from '../model.ts';
import { recordIssueEvent } from '../operations/issue-events.ts';
import { emitIssueEvent } from '../operations/issues.ts';
import { accountById, accountPayload } from '../payloads/accounts.ts';
import { pullSummary, requestedTeams } from '../payloads/pulls.ts';
import { teamPayload } from '../payloads/teams.ts';
import { needs, roleOf } from '../permissions.ts';
import { created, HttpError, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { authorIn, pullIn } from './shared.ts';

const read = needs('read', { pull_requests: 'read' });
const write = needs('triage', { pull_requests: 'write' });
const at = '/pulls/{pull_number}/requested_reviewers';

export const reviewerRoutes: Route[] = [
  repositoryRoute(`GET ${at}`, read, (request) => {
    const { pull } = pullIn(request);
    const users = pull.requested_reviewer_ids.map((id) => accountById(request.context, id));
    return ok({ users, teams: requestedTeams(request.context, pull) });
  }),
  repositoryRoute(`POST ${at}`, write, async (request) => {
    const issue = pullIn(request);
    const reviewers = reviewersIn(request);
    if (reviewers.some(({ id }) => id === issue.user_id)) {
      throw new HttpError(422, 'Review cannot be requested from pull request author.');
    }
    const teams = teamsIn(request);
    const added = reviewers.filter(({ id }) => !issue.pull.requested_reviewer_ids.includes(id));
    issue.pull.requested_reviewer_ids.push(...added.map(({ id }) => id));
    await emitForEach(request, 'review_requested', added);
    await addTeams(request, teams);
    return created(pullSummary(request.context, issue));
  }),
  repositoryRoute(`DELETE ${at}`, write, async (request) => {
    const { pull } = pullIn(request);
    const removed = reviewersIn(request).filter(({ id }) => pull.requested_reviewer_ids.includes(id));
    pull.requested_reviewer_ids = pull.requested_reviewer_ids.filter(
      (id) => !removed.some((one) => one.id === id),
    );
    await emitForEach(request, 'review_request_removed', removed);
    return ok(pullSummary(request.context, pullIn(request)));
  }),
];

async function addTeams(request: RepositoryRequest, teams: Team[]): Promise<void> {
  const issue = pullIn(request);
  const known = issue.pull.requested_team_ids ?? [];
  const added = teams.filter(({ id }) => !known.includes(id));
  issue.pull.requested_team_ids = [...known, ...added.map(({ id }) => id)];
  for (const team of added) {
    const more = { requested_team: teamPayload(request.context, team) };
    const sender_id = authorIn(request).user_id;
    await emitIssueEvent(request.context, issue, { action: 'review_requested', sender_id, more });
  }
}

async function emitForEach(
  request: RepositoryRequest,
  action: 'review_requested' | 'review_request_removed',
  reviewers: Account[],
): Promise<void> {
  const sender_id = authorIn(request).user_id;
  for (const account of reviewers) {
    const event = { event: action, reviewer_id: account.id, actor_id: sender_id };
    recordIssueEvent(request.context, pullIn(request), event);
    const more = { requested_reviewer: accountPayload(request.context, account) };
    await emitIssueEvent(request.context, pullIn(request), { action, sender_id, more });
  }
}

/** Reviews can only be requested from collaborators. */
function reviewersIn({ context, repository, input }: RepositoryRequest): Account[] {
  return (input.texts('reviewers') ?? []).map((login) => {
    const account = context.store.accountNamed(login);
    const given =
      account && (repository.collaborators[String(account.id)] ?? account.id === repository.owner_id);
    if (account && given && roleOf(account, repository)) return account;
    throw noCollaborator();
  });
}

/** Of the organization that owns the repository, and with access to it. */
function teamsIn({ context, repository, input }: RepositoryRequest): Team[] {
  return (input.texts('team_reviewers') ?? []).map((slug) => {
    const team = context.store.data.teams.find(
      (one) => one.organization_id === repository.owner_id && one.slug === slug,
    );
    if (team?.repository_ids.includes(repository.id)) return team;
    throw noCollaborator();
  });
}

function noCollaborator(): HttpError {
  return new HttpError(
    422,
    'Reviews may only be requested from collaborators. One or more of the users or teams' +
      ' you specified is not a collaborator of the repository.',
  );
}

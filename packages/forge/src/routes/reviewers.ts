import { type Answer, created, ok, Refusal } from '../answers.ts';
import type { Account } from '../model.ts';
import { recordIssueEvent } from '../operations/issue-events.ts';
import { emitIssueEvent } from '../operations/issues.ts';
import { accountById, accountPayload } from '../payloads/accounts.ts';
import { pullSummary } from '../payloads/pulls.ts';
import { needs, roleOf } from '../permissions.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { authorIn, pullIn } from './shared.ts';

const read = needs('read', { pull_requests: 'read' });
const write = needs('triage', { pull_requests: 'write' });
const at = '/pulls/{pull_number}/requested_reviewers';

export const reviewerRoutes: Route[] = [
  repositoryRoute(`GET ${at}`, read, list),
  repositoryRoute(`POST ${at}`, write, request),
  repositoryRoute(`DELETE ${at}`, write, remove),
];

function list(asked: RepositoryRequest): Answer {
  const ids = pullIn(asked).pull.requested_reviewer_ids;
  return ok({ users: ids.map((id) => accountById(asked.context, id)), teams: [] });
}

async function request(asked: RepositoryRequest): Promise<Answer> {
  const issue = pullIn(asked);
  const people = peopleIn(asked);
  if (people.some(({ id }) => id === issue.user_id)) {
    throw new Refusal(422, 'Review cannot be requested from pull request author.');
  }
  const added = people.filter(({ id }) => !issue.pull.requested_reviewer_ids.includes(id));
  issue.pull.requested_reviewer_ids.push(...added.map(({ id }) => id));
  await emitForEach(asked, 'review_requested', added);
  return created(pullSummary(asked.context, issue));
}

async function remove(asked: RepositoryRequest): Promise<Answer> {
  const { pull } = pullIn(asked);
  const gone = peopleIn(asked).filter(({ id }) => pull.requested_reviewer_ids.includes(id));
  pull.requested_reviewer_ids = pull.requested_reviewer_ids.filter(
    (id) => !gone.some((one) => one.id === id),
  );
  await emitForEach(asked, 'review_request_removed', gone);
  return ok(pullSummary(asked.context, pullIn(asked)));
}

async function emitForEach(
  asked: RepositoryRequest,
  action: 'review_requested' | 'review_request_removed',
  people: Account[],
): Promise<void> {
  const sender_id = authorIn(asked).user_id;
  for (const account of people) {
    const event = { event: action, reviewer_id: account.id, actor_id: sender_id };
    recordIssueEvent(asked.context, pullIn(asked), event);
    const more = { requested_reviewer: accountPayload(asked.context, account) };
    await emitIssueEvent(asked.context, pullIn(asked), { action, sender_id, more });
  }
}

/** Only people with a role of their own can be asked. */
function peopleIn({ context, repository, input }: RepositoryRequest): Account[] {
  return (input.texts('reviewers') ?? []).map((login) => {
    const account = context.store.accountNamed(login);
    const given =
      account && (repository.collaborators[String(account.id)] ?? account.id === repository.owner_id);
    if (account && given && roleOf(account, repository)) return account;
    throw new Refusal(
      422,
      'Reviews may only be requested from collaborators. One or more of the users or teams' +
        ' you specified is not a collaborator of the repository.',
    );
  });
}

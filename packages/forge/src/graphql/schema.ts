import type { Actor } from '../actors.ts';
import { Refusal } from '../answers.ts';
import { type Context, fullName } from '../context.ts';
import type { Json } from '../json.ts';
import { isObject } from '../json.ts';
import type { PullIssue, Repository } from '../model.ts';
import { mergeWhenClean } from '../operations/merging.ts';
import { mergeability } from '../operations/pull-details.ts';
import { setAutoMerge, setDraft } from '../operations/pulls.ts';
import { htmlLink, nodeId, nodeIdParts } from '../payloads/links.ts';
import { atLeast, covers, needs, refuseUnlessAllowed, roleOf, sees } from '../permissions.ts';
import { isPull } from '../store.ts';
import { FieldRefusal, type Node, type Schema } from './execute.ts';

/** The corner of GitHub's GraphQL that has no REST: drafts and auto-merge, and enough to read them. */
export function schemaFor(context: Context, actor: Actor): Schema {
  return { query: queryNode(context, actor), mutation: mutationNode(context, actor) };
}

function queryNode(context: Context, actor: Actor): Node {
  return {
    type: 'Query',
    fields: {
      viewer: () => ({ type: 'User', fields: { login: () => loginOf(actor) } }),
      repository: ({ owner, name }) => repositoryNode(context, actor, `${String(owner)}/${String(name)}`),
      node: ({ id }) => pullNode(context, pullByNodeId(context, actor, id)),
    },
  };
}

function mutationNode(context: Context, actor: Actor): Node {
  const draft =
    (to: boolean) =>
    async ({ input }: Json) => {
      const issue = writablePull(context, actor, input);
      await setDraft(context, issue, { draft: to, sender_id: accountOf(actor) });
      await mergeWhenClean(context, issue);
      return payloadNode(context, issue, input);
    };
  return {
    type: 'Mutation',
    fields: {
      markPullRequestReadyForReview: draft(false),
      convertPullRequestToDraft: draft(true),
      enablePullRequestAutoMerge: ({ input }) => autoMerge(context, actor, input),
    },
  };
}

async function autoMerge(context: Context, actor: Actor, input: unknown): Promise<Node> {
  const issue = writablePull(context, actor, input);
  const repository = context.store.repository(issue.repository_id);
  if (!repository.settings.allow_auto_merge) {
    throw new FieldRefusal('UNPROCESSABLE', 'Auto merge is not allowed for this repository');
  }
  if ((await mergeability(context, issue)).state === 'clean') {
    throw new FieldRefusal('UNPROCESSABLE', 'Pull request is in clean status');
  }
  const method = String((isObject(input) && input['mergeMethod']) || 'MERGE').toLowerCase();
  if (method !== 'merge' && method !== 'squash' && method !== 'rebase') {
    throw new FieldRefusal('UNPROCESSABLE', `there is no merge method ${method}`);
  }
  await setAutoMerge(context, issue, { method, sender_id: accountOf(actor) });
  return payloadNode(context, issue, input);
}

function payloadNode(context: Context, issue: PullIssue, input: unknown): Node {
  const mutation_id = isObject(input) ? input['clientMutationId'] : null;
  return {
    type: 'Payload',
    fields: {
      clientMutationId: () => (typeof mutation_id === 'string' ? mutation_id : null),
      pullRequest: () => pullNode(context, issue),
    },
  };
}

function repositoryNode(context: Context, actor: Actor, path: string): Node {
  const [owner = '', name = ''] = path.split('/');
  const repository = context.store.repositoryNamed(owner, name);
  if (!repository || !sees(actor, repository)) {
    throw new FieldRefusal('NOT_FOUND', `Could not resolve to a Repository with the name '${path}'.`);
  }
  return {
    type: 'Repository',
    fields: {
      id: () => nodeId('Repository', repository.id),
      nameWithOwner: () => fullName(context, repository),
      isPrivate: () => repository.private,
      pullRequest: ({ number }) => pullNode(context, pullNumbered(context, repository, number)),
    },
  };
}

function pullNode(context: Context, issue: PullIssue): Node {
  const repository = context.store.repository(issue.repository_id);
  const { pull } = issue;
  return {
    type: 'PullRequest',
    fields: {
      id: () => nodeId('PullRequest', pull.id),
      number: () => issue.number,
      title: () => issue.title,
      body: () => issue.body ?? '',
      url: () => htmlLink(context, repository, `/pull/${issue.number}`),
      isDraft: () => pull.draft,
      merged: () => pull.merged_at !== null,
      state: () => (pull.merged_at === null ? issue.state.toUpperCase() : 'MERGED'),
      headRefName: () => pull.head_ref,
      headRefOid: () => pull.head_sha,
      baseRefName: () => pull.base_ref,
      autoMergeRequest: () => autoMergeNode(issue),
    },
  };
}

function autoMergeNode({ pull }: PullIssue): Node | null {
  const auto = pull.auto_merge;
  if (auto === null) return null;
  return { type: 'AutoMergeRequest', fields: { mergeMethod: () => auto.merge_method.toUpperCase() } };
}

function pullNumbered(context: Context, repository: Repository, number: unknown): PullIssue {
  const issue = context.store.issue(repository, Number(number));
  if (issue && isPull(issue)) return issue;
  throw new FieldRefusal('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${number}.`);
}

function pullByNodeId(context: Context, actor: Actor, id: unknown): PullIssue {
  const parts = nodeIdParts(String(id));
  const issue = context.store.data.issues.filter(isPull).find(({ pull }) => String(pull.id) === parts.id);
  const visible = issue && sees(actor, context.store.repository(issue.repository_id));
  if (issue && visible && parts.kind === 'PullRequest') return issue;
  throw new FieldRefusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

/** The author or someone with write; an App with `pull_requests: write`. */
function writablePull(context: Context, actor: Actor, input: unknown): PullIssue {
  const issue = pullByNodeId(context, actor, isObject(input) ? input['pullRequestId'] : undefined);
  const repository = context.store.repository(issue.repository_id);
  const own = actor.kind === 'user' && actor.account.id === issue.user_id;
  const wanted = needs(own ? 'read' : 'write', { pull_requests: 'write' });
  try {
    refuseUnlessAllowed(actor, { repository, needs: wanted });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new FieldRefusal('FORBIDDEN', forbiddenWords(actor, repository));
  }
  return issue;
}

function forbiddenWords(actor: Actor, repository: Repository): string {
  if (actor.kind === 'installation' && !covers(actor.permissions, { pull_requests: 'write' })) {
    return 'Resource not accessible by integration';
  }
  const role = actor.kind === 'user' ? roleOf(actor.account, repository) : undefined;
  const what = atLeast(role, 'read') ? 'update this pull request' : 'see this pull request';
  return `${loginOf(actor)} does not have the correct permissions to ${what}`;
}

function loginOf(actor: Actor): string {
  return actor.kind === 'user' || actor.kind === 'installation' ? actor.account.login : actor.kind;
}

function accountOf(actor: Actor): number {
  if (actor.kind === 'user' || actor.kind === 'installation') return actor.account.id;
  throw new FieldRefusal('FORBIDDEN', 'This endpoint requires you to be authenticated.');
}

import type { Actor } from '../actors.ts';
import { Refusal } from '../answers.ts';
import { mergeability } from '../git/changes.ts';
import { isObject } from '../input.ts';
import { mergeWhenClean } from '../life/merging.ts';
import { setAutoMerge, setDraft } from '../life/pulls.ts';
import type { PullIssue, Repository } from '../model.ts';
import { htmlLink, nodeId, nodeIdParts } from '../payloads/links.ts';
import { atLeast, covers, needs, refuseUnlessAllowed, roleOf, sees } from '../permissions.ts';
import { fullName, type Json, type Site } from '../site.ts';
import { isPull } from '../store.ts';
import { FieldRefusal, type Node, type Schema } from './execute.ts';

/** The corner of GitHub's GraphQL that has no REST: drafts and auto-merge, and enough to read them. */
export function schemaFor(site: Site, actor: Actor): Schema {
  return { query: queryNode(site, actor), mutation: mutationNode(site, actor) };
}

function queryNode(site: Site, actor: Actor): Node {
  return {
    type: 'Query',
    fields: {
      viewer: () => ({ type: 'User', fields: { login: () => loginOf(actor) } }),
      repository: ({ owner, name }) => repositoryNode(site, actor, `${String(owner)}/${String(name)}`),
      node: ({ id }) => pullNode(site, pullByNodeId(site, actor, id)),
    },
  };
}

function mutationNode(site: Site, actor: Actor): Node {
  const draft =
    (to: boolean) =>
    async ({ input }: Json) => {
      const issue = writablePull(site, actor, input);
      await setDraft(site, issue, { draft: to, sender_id: accountOf(actor) });
      await mergeWhenClean(site, issue);
      return payloadNode(site, issue, input);
    };
  return {
    type: 'Mutation',
    fields: {
      markPullRequestReadyForReview: draft(false),
      convertPullRequestToDraft: draft(true),
      enablePullRequestAutoMerge: ({ input }) => autoMerge(site, actor, input),
    },
  };
}

async function autoMerge(site: Site, actor: Actor, input: unknown): Promise<Node> {
  const issue = writablePull(site, actor, input);
  const repository = site.store.repository(issue.repository_id);
  if (!repository.settings.allow_auto_merge) {
    throw new FieldRefusal('UNPROCESSABLE', 'Auto merge is not allowed for this repository');
  }
  if ((await mergeability(site, issue)).state === 'clean') {
    throw new FieldRefusal('UNPROCESSABLE', 'Pull request is in clean status');
  }
  const method = String((isObject(input) && input['mergeMethod']) || 'MERGE').toLowerCase();
  if (method !== 'merge' && method !== 'squash' && method !== 'rebase') {
    throw new FieldRefusal('UNPROCESSABLE', `there is no merge method ${method}`);
  }
  await setAutoMerge(site, issue, { method, sender_id: accountOf(actor) });
  return payloadNode(site, issue, input);
}

function payloadNode(site: Site, issue: PullIssue, input: unknown): Node {
  const mutation_id = isObject(input) ? input['clientMutationId'] : null;
  return {
    type: 'Payload',
    fields: {
      clientMutationId: () => (typeof mutation_id === 'string' ? mutation_id : null),
      pullRequest: () => pullNode(site, issue),
    },
  };
}

function repositoryNode(site: Site, actor: Actor, path: string): Node {
  const [owner = '', name = ''] = path.split('/');
  const repository = site.store.repositoryNamed(owner, name);
  if (!repository || !sees(site, actor, repository)) {
    throw new FieldRefusal('NOT_FOUND', `Could not resolve to a Repository with the name '${path}'.`);
  }
  return {
    type: 'Repository',
    fields: {
      id: () => nodeId('Repository', repository.id),
      nameWithOwner: () => fullName(site, repository),
      isPrivate: () => repository.private,
      pullRequest: ({ number }) => pullNode(site, pullNumbered(site, repository, number)),
    },
  };
}

function pullNode(site: Site, issue: PullIssue): Node {
  const repository = site.store.repository(issue.repository_id);
  const { pull } = issue;
  return {
    type: 'PullRequest',
    fields: {
      id: () => nodeId('PullRequest', pull.id),
      number: () => issue.number,
      title: () => issue.title,
      body: () => issue.body ?? '',
      url: () => htmlLink(site, repository, `/pull/${issue.number}`),
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

function pullNumbered(site: Site, repository: Repository, number: unknown): PullIssue {
  const issue = site.store.issue(repository, Number(number));
  if (issue && isPull(issue)) return issue;
  throw new FieldRefusal('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${number}.`);
}

function pullByNodeId(site: Site, actor: Actor, id: unknown): PullIssue {
  const parts = nodeIdParts(String(id));
  const issue = site.store.data.issues.filter(isPull).find(({ pull }) => String(pull.id) === parts.id);
  const visible = issue && sees(site, actor, site.store.repository(issue.repository_id));
  if (issue && visible && parts.kind === 'PullRequest') return issue;
  throw new FieldRefusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

/** The author or someone with write; an App with `pull_requests: write`. */
function writablePull(site: Site, actor: Actor, input: unknown): PullIssue {
  const issue = pullByNodeId(site, actor, isObject(input) ? input['pullRequestId'] : undefined);
  const repository = site.store.repository(issue.repository_id);
  const own = actor.kind === 'user' && actor.account.id === issue.user_id;
  const wanted = needs(own ? 'read' : 'write', { pull_requests: 'write' });
  try {
    refuseUnlessAllowed(site, actor, { repository, needs: wanted });
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

import { fullName } from '../context.ts';
import { isObject, type Json } from '../model.ts';
import { nodeId, nodeIdParts } from '../payloads/links.ts';
import { HttpError } from '../responses.ts';
import { lockReasons } from '../routes/issues.ts';
import { enumWord, viewerNode } from './fields.ts';
import { nodeById } from './nodes.ts';
import { accountOf, notPermitted, type Viewer } from './viewer.ts';

/** A call of the REST API on behalf of the viewer; returns the body of the response. */
export type Perform = (call: { method: string; path: string; body?: Json }) => Promise<unknown>;

interface Input {
  clientMutationId?: string | null;
  labelIds?: string[] | null;
  // The fields of each mutation, which GraphQL has validated.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  [field: string]: any;
}

interface Call {
  /** The field of the input that names what is changed, or where something is created. */
  of: string;
  method: string;
  /** Below the repository; `{}` is the number of an issue or pull request, or the id of a comment. */
  path: string;
  /**
   * Of names of labels those that the input names, and those that the thing has and the input does not name.
   */
  body?: (input: Input, labels: { named: string[]; others: string[] }) => Json;
}

/** What the mutations do by the REST API. */
const calls: Record<string, Call> = {
  addComment: call('subjectId', 'POST /issues/{}/comments', ({ body }) => ({ body })),
  addLabelsToLabelable: call('labelableId', 'POST /issues/{}/labels', (_, { named }) => ({ labels: named })),
  addPullRequestReview: call('pullRequestId', 'POST /pulls/{}/reviews', ({ body, event, commitOID }) => ({
    body,
    event,
    commit_id: commitOID,
  })),
  closeIssue: call('issueId', 'PATCH /issues/{}', ({ stateReason }) => ({
    state: 'closed',
    state_reason: stateReason?.toLowerCase(),
  })),
  closePullRequest: call('pullRequestId', 'PATCH /pulls/{}', () => ({ state: 'closed' })),
  createIssue: call('repositoryId', 'POST /issues', ({ title, body }, { named }) => ({
    ...{ title, body, labels: named },
  })),
  createPullRequest: call('repositoryId', 'POST /pulls', ({ title, body, draft, ...refs }) => ({
    ...{ title, body, draft },
    base: refs['baseRefName'],
    head: refs['headRefName'],
  })),
  lockLockable: call('lockableId', 'PUT /issues/{}/lock', ({ lockReason }) => ({
    lock_reason: lockReasons.find((reason) => enumWord(reason) === lockReason),
  })),
  mergePullRequest: call('pullRequestId', 'PUT /pulls/{}/merge', (input) => ({
    commit_title: input['commitHeadline'],
    commit_message: input['commitBody'],
    merge_method: input['mergeMethod']?.toLowerCase(),
    sha: input['expectedHeadOid'],
  })),
  removeLabelsFromLabelable: call('labelableId', 'PUT /issues/{}/labels', (_, { others }) => ({
    labels: others,
  })),
  reopenIssue: call('issueId', 'PATCH /issues/{}', () => ({ state: 'open' })),
  reopenPullRequest: call('pullRequestId', 'PATCH /pulls/{}', () => ({ state: 'open' })),
  unlockLockable: call('lockableId', 'DELETE /issues/{}/lock'),
  updateIssue: call('id', 'PATCH /issues/{}', ({ title, body, state, labelIds }, { named }) => ({
    ...{ title, body, state: state?.toLowerCase() },
    ...(labelIds && { labels: named }),
  })),
  updateIssueComment: call('id', 'PATCH /issues/comments/{}', ({ body }) => ({ body })),
  updatePullRequest: call('pullRequestId', 'PATCH /pulls/{}', ({ title, body, state, baseRefName }) => ({
    ...{ title, body, state: state?.toLowerCase(), base: baseRefName },
  })),
};

function call(of: string, line: string, body?: Call['body']): Call {
  const [method = '', path = ''] = line.split(' ');
  return { of, method, path, ...(body && { body }) };
}

export function restMutations(viewer: Viewer, perform: Perform) {
  return Object.fromEntries(
    Object.entries(calls).map(([name, one]) => [
      name,
      ({ input }: { input: Input }) =>
        mutate(viewer, perform, { ...one, input }).catch((error: unknown) => {
          // GitHub has other words for people here.
          const isRole =
            error instanceof HttpError && error.message === 'Must have admin rights to Repository.';
          throw isRole ? notPermitted(viewer, `${name.charAt(0).toUpperCase()}${name.slice(1)}`) : error;
        }),
    ]),
  );
}

type Asked = Call & { input: Input };

async function mutate(viewer: Viewer, perform: Perform, { of, method, path, body, input }: Asked) {
  const id = String(input[of]);
  // The viewer must see it.
  nodeById(viewer, id);
  const { at, key, labels } = placeOf(viewer, id, input.labelIds ?? []);
  const result = await perform({
    method,
    path: at + path.replace('{}', String(key)),
    body: withoutNulls(body?.(input, labels) ?? {}),
  });
  if (of === 'pullRequestId' && input.labelIds) {
    await perform({ method: 'PUT', path: `${at}/issues/${key}/labels`, body: { labels: labels.named } });
  }
  const made = isObject(result) && result['node_id'] ? nodeById(viewer, String(result['node_id'])) : null;
  const changed = key === undefined ? made : nodeById(viewer, id);
  return {
    clientMutationId: input.clientMutationId,
    actor: () => viewerNode(viewer.context, accountOf(viewer).id),
    commentEdge: { node: made },
    issue: changed,
    issueComment: made,
    labelable: changed,
    lockedRecord: changed,
    pullRequest: changed,
    pullRequestReview: made,
    subject: changed,
    unlockedRecord: changed,
  };
}

/** The path of the repository, the number or id there (none for the repository itself), and the labels. */
function placeOf({ context }: Viewer, node_id: string, labelIds: string[]) {
  const { store } = context;
  const { kind, id: text } = nodeIdParts(node_id);
  const id = Number(text);
  const comment = kind === 'IssueComment' ? store.data.comments.find((one) => one.id === id) : undefined;
  const issue = store.data.issues.find((one) => id === (kind === 'PullRequest' ? one.pull?.id : one.id));
  const repository = store.repository(kind === 'Repository' ? id : ((comment ?? issue)?.repository_id ?? 0));
  const isNamed = (label: { id: number }) => labelIds.includes(nodeId('Label', label.id));
  const others = issue === undefined ? [] : store.labelsOn(issue).filter((one) => !isNamed(one));
  return {
    at: `/repos/${fullName(context, repository)}`,
    key: kind === 'Repository' ? undefined : (comment?.id ?? issue?.number),
    labels: {
      named: repository.labels.filter(isNamed).map(({ name }) => name),
      others: others.map(({ name }) => name),
    },
  };
}

function withoutNulls(fields: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

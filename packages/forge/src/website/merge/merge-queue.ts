import type { Json, PullIssue, QueueEntry } from '../../model.ts';
import { verdictOn } from '../../operations/merge-queue.ts';
import { mergeability } from '../../operations/pull-details.ts';
import { encodedPath, nodeId } from '../../payloads/links.ts';
import { atLeast } from '../../permissions.ts';
import { HttpError } from '../../responses.ts';
import { groupOf, queueOf, queueRuleOn } from '../../rules/queue.ts';
import { form, type Html, html, person, shortSha } from '../html.ts';
import { pullIn } from '../pull-frame.ts';
import type { Deed, RepositoryVisit } from '../visit.ts';
import { icon } from './check-list.ts';

/** The page of a branch's merge queue. */
export function queueLink({ at }: RepositoryVisit, branch: string): Html {
  return html`<a href="${at}/queue/${encodedPath(branch)}">the merge queue</a> of <code>${branch}</code>`;
}

/** The button that adds a pull request to the merge queue, now or as soon as its requirements are met. */
export function joinPart(visit: RepositoryVisit, { pull }: PullIssue): Html {
  if (!atLeast(visit.role, 'write')) {
    return html`<p class="muted">Only those with write access to this repository can add pull requests to the merge queue.</p>`;
  }
  const words = html`<p class="muted">Adds commit <code>${shortSha(pull.head_sha)}</code> to ${queueLink(visit, pull.base_ref)}, which tests and merges it.</p>`;
  return form(
    visit,
    { does: 'merge-when-ready', fields: { sha: pull.head_sha }, className: 'fields' },
    html`<div class="buttons"><button class="primary">Merge when ready</button></div>${words}`,
  );
}

/** Where a queued pull request stands, and the button that takes it out. */
export function queuedPart(visit: RepositoryVisit, entry: QueueEntry): Html {
  const { context, repository } = visit;
  const all = queueOf(context, repository, entry.base_ref);
  const remove = form(visit, { does: 'dequeue' }, html`<button>Remove from queue</button>`);
  const place = html`Number ${all.indexOf(entry) + 1} of ${all.length} in ${queueLink(visit, entry.base_ref)}`;
  return html`<h3>${icon('pending')} Queued to merge</h3>
<p>${place}, added by ${person(context, entry.enqueuer_id)}: ${stateWords(visit, entry)}.</p>${atLeast(visit.role, 'write') && remove}`;
}

const verdictWords = {
  passing: 'its checks have passed',
  failing: 'its checks have failed',
  late: 'its checks are late',
  pending: 'its checks are under way',
} as const;

/** What an entry waits for. */
export function stateWords({ context, repository }: RepositoryVisit, entry: QueueEntry): string {
  const group = groupOf(context, entry);
  const rule = queueRuleOn(context, repository, entry.base_ref);
  return group && rule ? verdictWords[verdictOn(context, group, rule)] : 'it waits for its turn';
}

/** Does what only GraphQL can do, which answers with 200 even if it refuses. */
export async function mutate(visit: RepositoryVisit, name: string, input: Json): Promise<void> {
  const query = `mutation($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { clientMutationId } }`;
  const result = await visit.api('POST', '/graphql', { query, variables: { input } });
  // A response of GraphQL: `errors` has messages, if there is one.
  const { errors } = result as { errors?: { message: string }[] };
  if (errors?.[0]) throw new HttpError(422, errors[0].message);
}

const mergeWhenReady: Deed = async (visit, { params, form: fields }) => {
  const issue = pullIn(visit, params['number']);
  const { state } = await mergeability(visit.context, issue);
  const isReady = state === 'clean' || state === 'unstable';
  await mutate(visit, isReady ? 'enqueuePullRequest' : 'enablePullRequestAutoMerge', {
    pullRequestId: nodeId('PullRequest', issue.pull.id),
    expectedHeadOid: fields.get('sha'),
  });
  return `${visit.path}#partial-pull-merging`;
};

const dequeue: Deed = async (visit, { params }) => {
  await mutate(visit, 'dequeuePullRequest', {
    id: nodeId('PullRequest', pullIn(visit, params['number']).pull.id),
  });
  return `${visit.path}#partial-pull-merging`;
};

export const queueDeeds: Readonly<Record<string, Deed>> = {
  'merge-when-ready': mergeWhenReady,
  dequeue,
};

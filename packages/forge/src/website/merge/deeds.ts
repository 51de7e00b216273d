import { encodedPath, nodeId } from '../../payloads/links.ts';

import { requireDone } from '../problems.ts';
import { pullIn } from '../pull-frame.ts';
import type { Deed } from '../visit.ts';

const merge: Deed = async (visit, { params, form }) => {
  const words = { commit_title: form.get('title'), commit_message: form.get('message') };
  await visit.api('PUT', `/repos${visit.at}/pulls/${Number(params['number'])}/merge`, {
    merge_method: form.get('method') ?? 'merge',
    sha: form.get('sha'),
    ...Object.fromEntries(Object.entries(words).filter(([, text]) => text)),
  });
  return `${visit.path}#partial-pull-merging`;
};

/** What only GraphQL can do with a pull request. */
const mutation =
  (name: string): Deed =>
  async (visit, { params, form }) => {
    const issue = pullIn(visit, params['number']);
    const method = form.get('method');
    const query = `mutation($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { clientMutationId } }`;
    const input = {
      pullRequestId: nodeId('PullRequest', issue.pull.id),
      ...(method === null ? {} : { mergeMethod: method.toUpperCase(), expectedHeadOid: form.get('sha') }),
    };
    requireDone(await visit.api('POST', '/graphql', { query, variables: { input } }));
    return `${visit.path}#partial-pull-merging`;
  };

const updateBranch: Deed = async (visit, { params, form }) => {
  const path = `/repos${visit.at}/pulls/${Number(params['number'])}/update-branch`;
  await visit.api('PUT', path, { expected_head_sha: form.get('sha') });
  return `${visit.path}#partial-pull-merging`;
};

const deleteBranch: Deed = async (visit, { params }) => {
  const { pull } = pullIn(visit, params['number']);
  await visit.api('DELETE', `/repos${visit.at}/git/refs/heads/${encodedPath(pull.head_ref)}`);
  return `${visit.path}#partial-pull-merging`;
};

export const mergeDeeds: Readonly<Record<string, Deed>> = {
  merge,
  ready: mutation('markPullRequestReadyForReview'),
  draft: mutation('convertPullRequestToDraft'),
  'enable-auto-merge': mutation('enablePullRequestAutoMerge'),
  'disable-auto-merge': mutation('disablePullRequestAutoMerge'),
  'update-branch': updateBranch,
  'delete-branch': deleteBranch,
};

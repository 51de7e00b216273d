import type { Actor } from '../actors.ts';
import { fullName, gitOf } from '../context.ts';
import { listChanges, listCommits } from '../git/commits.ts';
import type { PullIssue } from '../model.ts';
import { disableAutoMerge } from '../operations/auto-merge.ts';
import { editText } from '../operations/issues.ts';
import { mergePull, mergeWhenReady } from '../operations/merging.ts';
import { forkPoint, pullDetails } from '../operations/pull-details.ts';
import { openPull } from '../operations/pulls.ts';
import { retarget } from '../operations/retargeting.ts';
import { setState } from '../operations/state.ts';
import { page } from '../pagination.ts';
import { commitPayload, filePayload } from '../payloads/commits.ts';
import { pullSummary } from '../payloads/pulls.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, created, HttpError, missingField, ok, validationFailed } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { sorted } from './issues.ts';
import { authorIn, mayModerate, pullIn, requireEditAccess } from './shared.ts';

const read = needs('read', { pull_requests: 'read' });
const write = needs('read', { pull_requests: 'write' });

export const pullRoutes: Route[] = [
  repositoryRoute('GET /pulls', read, (request) => {
    const { context, repository, query } = request;
    const state = query.get('state') ?? 'open';
    const base = query.get('base');
    const head = query.get('head');
    const owner = fullName(context, repository).split('/')[0];
    const pulls = context.store
      .pulls(repository)
      .filter((issue) => state === 'all' || issue.state === state)
      .filter(({ pull }) => base === null || pull.base_ref === base)
      // GitHub ignores a `head` without an owner.
      .filter(
        ({ pull }) =>
          !head?.includes(':') || `${owner}:${pull.head_ref}`.toLowerCase() === head.toLowerCase(),
      );
    return page(request, sorted(pulls, query), (issue) => pullSummary(context, issue));
  }),
  repositoryRoute('POST /pulls', write, async (request) => {
    const { context, repository, input, actor } = request;
    requireActionsSetting(request, actor);
    const issue = await openPull(context, repository, {
      title: titleIn(request),
      body: input.text('body') ?? null,
      head_ref: headIn(request),
      base_ref: input.requiredText('base'),
      draft: input.flag('draft') ?? false,
      maintainer_can_modify: input.flag('maintainer_can_modify') ?? false,
      author: authorIn(request),
    });
    return created(await pullDetails(context, issue));
  }),
  repositoryRoute('GET /pulls/{pull_number}', read, async (request) => {
    const { context, repository, accept } = request;
    const issue = pullIn(request);
    if (!/\.(diff|patch)\b/.test(accept)) return ok(await pullDetails(context, issue));
    const git = gitOf(context, repository);
    const from = await forkPoint(context, issue);
    const head = issue.pull.head_sha;
    if (accept.includes('.patch')) {
      return plain('patch', await git.run(['format-patch', '--stdout', `${from}..${head}`]));
    }
    return plain('diff', await git.run(['diff', from, head]));
  }),
  repositoryRoute('PATCH /pulls/{pull_number}', write, async (request) => {
    const { context, input } = request;
    const issue = pullIn(request);
    requireEditAccess(request, issue.user_id);
    const sender_id = authorIn(request).user_id;
    const body = input.fields['body'] === null ? '' : input.text('body');
    await editText(context, issue, { title: input.text('title'), body, sender_id });
    const base = input.text('base');
    if (base !== undefined) await changeBase(request, issue, base);
    issue.pull.maintainer_can_modify =
      input.flag('maintainer_can_modify') ?? issue.pull.maintainer_can_modify;
    const state = input.oneOf('state', ['open', 'closed']);
    if (state !== undefined) await changeState(request, issue, state);
    return ok(await pullDetails(context, issue));
  }),
  repositoryRoute('GET /pulls/{pull_number}/files', read, async (request) => {
    const { context, repository } = request;
    const issue = pullIn(request);
    const at = issue.pull.head_sha;
    const changes = await listChanges(gitOf(context, repository), await forkPoint(context, issue), at);
    return page(request, changes, (change) => filePayload(context, repository, { ...change, at }));
  }),
  repositoryRoute('GET /pulls/{pull_number}/commits', read, async (request) => {
    const { context, repository } = request;
    const { pull } = pullIn(request);
    const found = await listCommits(gitOf(context, repository), [`${pull.base_sha}..${pull.head_sha}`]);
    return page(request, found, (commit) => commitPayload(context, repository, commit));
  }),
  repositoryRoute(
    'PUT /pulls/{pull_number}/merge',
    needs('write', { contents: 'write' }),
    async (request) => {
      const { context, repository, input } = request;
      const method = input.oneOf('merge_method', ['merge', 'squash', 'rebase']) ?? 'merge';
      const allowed = {
        merge: repository.settings.allow_merge_commit,
        squash: repository.settings.allow_squash_merge,
        rebase: repository.settings.allow_rebase_merge,
      };
      if (!allowed[method]) {
        const word = { merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' }[method];
        throw new HttpError(405, `${word} are not allowed on this repository.`);
      }
      const sha = await mergePull(context, pullIn(request), {
        method,
        title: input.text('commit_title'),
        message: input.text('commit_message'),
        sha: input.text('sha'),
        sender_id: authorIn(request).user_id,
      });
      return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
    },
  ),
];

/** A repository setting controls whether GITHUB_TOKEN may open and approve pull requests. */
export function requireActionsSetting({ repository }: RepositoryRequest, actor: Actor): void {
  const isActions = actor.kind === 'installation' && actor.app.slug === 'github-actions';
  if (!isActions || repository.settings.actions_may_create_pull_requests) return;
  throw new HttpError(403, 'GitHub Actions is not permitted to create or approve pull requests.');
}

function titleIn({ input }: RepositoryRequest): string {
  const title = input.text('title');
  if (title) return title;
  throw missingField('PullRequest', 'title');
}

/** `branch` or `owner:branch`; the owner must be the repository's, because the forge has no forks. */
function headIn({ input, context, repository }: RepositoryRequest): string {
  const head = input.requiredText('head');
  const [owner = '', branch] = head.split(/:(.*)/s);
  if (branch === undefined) return head;
  if (owner.toLowerCase() === fullName(context, repository).split('/')[0]?.toLowerCase()) return branch;
  throw new HttpError(422, 'Validation Failed', {
    errors: [{ resource: 'PullRequest', field: 'head', code: 'invalid' }],
  });
}

export function plain(kind: 'diff' | 'patch', content: string): ApiResponse {
  const type = `application/vnd.github.v3.${kind}; charset=utf-8`;
  return { status: 200, text: { type, content: content === '' ? '' : `${content}\n` } };
}

/** The author needs no write access for this, but without it auto-merge ends. */
async function changeBase(request: RepositoryRequest, issue: PullIssue, base: string): Promise<void> {
  const { context, repository, actor } = request;
  const sender_id = authorIn(request).user_id;
  const before = issue.pull.base_ref;
  await retarget(context, issue, { base, sender_id });
  if (base === before) return;
  if (!mayModerate(actor, repository)) await disableAutoMerge(context, issue, { sender_id, why: 'base' });
  await mergeWhenReady(context, issue);
}

/** A pull request that was merged or whose branch was deleted cannot be reopened. */
async function changeState(
  request: RepositoryRequest,
  issue: PullIssue,
  state: 'open' | 'closed',
): Promise<void> {
  const { context, repository } = request;
  if (state === 'open' && issue.state === 'closed') {
    const git = gitOf(context, repository);
    const head = await git.ref(`refs/heads/${issue.pull.head_ref}`);
    const base = await git.ref(`refs/heads/${issue.pull.base_ref}`);
    if (!head || !base || issue.pull.merged_at !== null) {
      const lost = head ? issue.pull.base_ref : issue.pull.head_ref;
      const why = head && base ? 'The pull request was merged.' : `The ${lost} branch has been deleted.`;
      throw validationFailed('PullRequest', `state cannot be changed. ${why}`, 'state');
    }
    issue.pull.head_sha = head;
    await gitOf(context, repository).run(['update-ref', `refs/pull/${issue.number}/head`, head]);
  }
  await setState(context, issue, { state, sender_id: authorIn(request).user_id });
}

import { fullName, gitOf, timestamp } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import type { CommitStatus } from '../model.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import { page } from '../pagination.ts';
import { accountById } from '../payloads/accounts.ts';
import { commitPayload } from '../payloads/commits.ts';
import { apiLink } from '../payloads/links.ts';
import { combinedStatusPayload, statusPayload } from '../payloads/statuses.ts';
import { needs } from '../permissions.ts';
import { created, HttpError, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { latestBy, statusesOn } from '../rules/checks.ts';
import { authorIn } from './shared.ts';

const read = needs('read', { statuses: 'read' });

export const statusRoutes: Route[] = [
  /** Anybody with write access may set any name; only what an App's installation sets counts as the App's. */
  repositoryRoute('POST /statuses/{sha}', needs('write', { statuses: 'write' }), async (request) => {
    const { context, repository, input, actor } = request;
    const sha = await commitIn(request, request.params['sha'] ?? '');
    input.requiredText('state');
    const status: CommitStatus = {
      id: context.store.id(),
      repository_id: repository.id,
      sha,
      state: input.oneOf('state', ['error', 'failure', 'pending', 'success']) ?? 'pending',
      context: input.text('context') ?? 'default',
      description: input.text('description') ?? null,
      target_url: input.text('target_url') ?? null,
      creator_id: authorIn(request).user_id,
      app_id: actor.kind === 'installation' ? actor.app.id : null,
      created_at: timestamp(context),
    };
    context.store.data.statuses.push(status);
    await emitStatusEvent(request, status);
    for (const issue of context.store.pulls(repository).filter(({ pull }) => pull.head_sha === sha)) {
      await mergeWhenReady(context, issue);
    }
    return created(statusPayload(context, repository, status));
  }),
  /** Newest first. */
  repositoryRoute('GET /commits/{ref}/statuses', read, async (request) => {
    const { context, repository, params } = request;
    const sha = await commitIn(request, params['ref'] ?? '');
    const statuses = statusesOn(context, { repository, sha }).reverse();
    return page(request, statuses, (status) => statusPayload(context, repository, status));
  }),
  repositoryRoute('GET /commits/{ref}/status', read, async (request) => {
    const { context, repository, params } = request;
    const sha = await commitIn(request, params['ref'] ?? '');
    const latest = latestBy(statusesOn(context, { repository, sha }), (status) => status.context);
    return ok(combinedStatusPayload(context, repository, { sha, latest }));
  }),
];

async function emitStatusEvent(
  { context, repository }: RepositoryRequest,
  status: CommitStatus,
): Promise<void> {
  const git = gitOf(context, repository);
  const { id, sha, state, description, target_url, created_at, creator_id } = status;
  const heads = await git.run([
    'for-each-ref',
    '--format=%(refname:lstrip=2)',
    '--points-at',
    sha,
    'refs/heads/',
  ]);
  const commit = { sha, url: apiLink(context, repository, `/commits/${sha}`) };
  const creator = accountById(context, creator_id);
  const payload = {
    id,
    sha,
    name: fullName(context, repository),
    context: status.context,
    state,
    description,
    target_url,
    avatar_url: creator?.['avatar_url'] ?? null,
    commit: commitPayload(context, repository, await readCommit(git, sha)),
    branches: heads
      .split('\n')
      .filter((name) => name !== '')
      .map((name) => ({ name, commit, protected: false })),
    created_at,
    updated_at: created_at,
  };
  context.emit({ name: 'status', repository, sender_id: creator_id, payload });
}

async function commitIn({ context, repository }: RepositoryRequest, name: string): Promise<string> {
  const sha = await gitOf(context, repository).commit(name);
  if (!sha) throw new HttpError(422, `No commit found for SHA: ${name}`);
  return sha;
}

import { type Context, timestamp } from '../context.ts';
import { commitsBetween, listChanges, listCommits, readCommit } from '../git/commits.ts';
import { ownIdentity, type Signed, signedIn, webIdentity } from '../git/committing.ts';
import type { Git } from '../git/plumbing.ts';
import { writeSigned } from '../git/signatures.ts';
import type { CommitStatus, Json, PullIssue } from '../model.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import { statusPayload } from '../payloads/checks.ts';
import { commitPayload, filePayload, gitCommitPayload } from '../payloads/commits.ts';
import { apiLink, encodedPath, htmlLink } from '../payloads/links.ts';
import { pullSummary } from '../payloads/pulls.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, created, invalidRequest, notFound, ok } from '../responses.ts';
import { page, type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { commitIn } from './shared.ts';

const read = needs('read', { contents: 'read' });
const readPulls = needs('read', { pull_requests: 'read' });
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export const commitRoutes: Route[] = [
  repositoryRoute('GET /commits', read, async ({ context, git, query, repository }) => {
    const sha = await git.commit(query.get('sha') ?? repository.default_branch);
    if (!sha) throw notFound();
    const path = query.get('path');
    const found = await listCommits(git, [sha, ...(path === null ? [] : ['--', path])], 'newest');
    return page(found, (commit) => commitPayload(context, repository, commit));
  }),
  repositoryRoute('GET /commits/{ref}', read, async (request) => {
    const { context, repository, params, git } = request;
    const sha = await commitIn(request, params['ref']);
    const commit = await readCommit(git, sha);
    const changes = await listChanges(git, commit.parents[0] ?? emptyTree, sha);
    const additions = changes.reduce((total, change) => total + change.additions, 0);
    const deletions = changes.reduce((total, change) => total + change.deletions, 0);
    return ok({
      ...commitPayload(context, repository, commit),
      stats: { additions, deletions, total: additions + deletions },
      files: changes.map((change) => filePayload(context, repository, { ...change, at: sha })),
    });
  }),
  /** Of a commit on the default branch, the pull request that brought it; of others, the open ones. */
  repositoryRoute('GET /commits/{commit_sha}/pulls', readPulls, async (request) => {
    const { context, repository, params, git } = request;
    const sha = await commitIn(request, params['commit_sha']);
    const isMerged = await git.isAncestor(sha, `refs/heads/${repository.default_branch}`);
    const found: PullIssue[] = [];
    for (const issue of context.store.pulls(repository)) {
      const { base_sha, head_sha, merged_at, merge_commit_sha } = issue.pull;
      if (isMerged ? merged_at === null : issue.state === 'closed') continue;
      const isOwn = (await git.isAncestor(sha, head_sha)) && !(await git.isAncestor(sha, base_sha));
      if (isOwn || (isMerged && merge_commit_sha === sha)) found.push(issue);
    }
    return page(found, (issue) => pullSummary(context, issue));
  }),
  repositoryRoute('GET /git/commits/{commit_sha}', read, async ({ context, repository, params, git }) => {
    const sha = params['commit_sha'] ?? '';
    if ((await git.commit(sha)) !== sha) throw notFound();
    return ok(gitCommitPayload(context, repository, await readCommit(git, sha)));
  }),
  repositoryRoute('POST /git/commits', needs('write', { contents: 'write' }), createCommit),
  repositoryRoute('GET /compare/{basehead}', read, compare),
  /** Anybody with write access may set any name; only what an App's installation sets counts as the App's. */
  repositoryRoute('POST /statuses/{sha}', needs('write', { statuses: 'write' }), async (request) => {
    const { context, repository, input, actor } = request;
    const sha = await commitIn(request, request.params['sha']);
    input.requiredText('state');
    const status: CommitStatus = {
      id: context.store.id(),
      repository_id: repository.id,
      sha,
      state: input.oneOf('state', ['error', 'failure', 'pending', 'success']) ?? 'pending',
      context: input.text('context') ?? 'default',
      description: input.text('description') ?? null,
      target_url: input.text('target_url') ?? null,
      creator_id: request.sender_id,
      app_id: actor.kind === 'installation' ? actor.app.id : null,
      created_at: timestamp(context),
    };
    context.store.data.statuses.push(status);
    for (const issue of context.store.pulls(repository).filter(({ pull }) => pull.head_sha === sha)) {
      await mergeWhenReady(context, issue);
    }
    return created(statusPayload(context, repository, status));
  }),
];

/**
 * Without an author of its own, the commit of an App is signed by GitHub, which is its committer then. It
 * begins no branch, and nobody is told of it.
 */
async function createCommit(request: RepositoryRequest): Promise<ApiResponse> {
  const { context, repository, git, input, actor, sender_id } = request;
  const message = input.requiredText('message');
  const tree = input.requiredText('tree');
  const parents = input.texts('parents') ?? [];
  await requireObjects(git, [[tree, 'tree'], ...parents.map((sha) => [sha, 'commit'] as const)]);
  const isOwn = ['author', 'committer', 'signature'].some((name) => input.has(name));
  const signs = actor.kind === 'installation' && !isOwn && context.faults.signing !== 'none';
  const { author, committer } = identities(context, sender_id, signs, signedIn(input));
  const lines = [`tree ${tree}`, ...parents.map((sha) => `parent ${sha}`), author, committer];
  const payload = `${lines.join('\n')}\n\n${message}`;
  const written = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  const sha = await (signs ? writeSigned(context, git, payload) : git.run(written, { input: payload }));
  const shown = gitCommitPayload(context, repository, await readCommit(git, sha));
  return created(context.faults.signing === 'other' ? { ...shown, sha: parents[0] ?? sha } : shown);
}

async function requireObjects(git: Git, objects: (readonly [string, string])[]): Promise<void> {
  for (const [sha, type] of objects) {
    const found = /^[0-9a-f]{40}$/.test(sha)
      ? (await git.attempt(['cat-file', '-t', sha])).stdout.trim()
      : '';
    if (found === type) continue;
    const what =
      type === 'tree' ? 'Tree SHA does not exist' : 'Parent SHA does not exist or is not a commit object';
    throw invalidRequest(what);
  }
}

function identities(context: Context, sender_id: number, signs: boolean, author: Signed | undefined) {
  const env = signs ? webIdentity(context, sender_id) : ownIdentity(context, sender_id, author);
  const line = (role: 'AUTHOR' | 'COMMITTER') =>
    `${env[`GIT_${role}_NAME`]} <${env[`GIT_${role}_EMAIL`]}> ${env[`GIT_${role}_DATE`]}`;
  return { author: `author ${line('AUTHOR')}`, committer: `committer ${line('COMMITTER')}` };
}

async function compare(request: RepositoryRequest): Promise<ApiResponse> {
  const { context, repository, git } = request;
  const { base, head, fork } = await comparisonIn(request);
  const [commits, behind, changes, baseCommit, forkCommit] = await Promise.all([
    commitsBetween(git, base, head),
    git.countBetween(head, base),
    listChanges(git, fork, head),
    readCommit(git, base),
    readCommit(git, fork),
  ]);
  return ok({
    ...addresses(request),
    base_commit: commitPayload(context, repository, baseCommit),
    merge_base_commit: commitPayload(context, repository, forkCommit),
    status: statusOf(commits.length, behind),
    ahead_by: commits.length,
    behind_by: behind,
    total_commits: commits.length,
    commits: commits.map((commit) => commitPayload(context, repository, commit)),
    files: changes.map((change) => filePayload(context, repository, { ...change, at: head })),
  });
}

/** `base...head`, each a branch, tag or commit, optionally with its owner as a prefix. */
async function comparisonIn({ params, git }: RepositoryRequest) {
  const names = (params['basehead'] ?? '').split('...').map((name) => name.replace(/^[^:]+:/, ''));
  const [base, head] = await Promise.all(names.map((name) => git.commit(name)));
  const fork = base && head ? await git.mergeBase(base, head) : undefined;
  if (!base || !head || !fork) throw notFound();
  return { base, head, fork };
}

function addresses({ context, repository, params }: RepositoryRequest): Json {
  const path = `/compare/${encodedPath(params['basehead'] ?? '')}`;
  const html = htmlLink(context, repository, path);
  return {
    url: apiLink(context, repository, path),
    html_url: html,
    permalink_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
  };
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

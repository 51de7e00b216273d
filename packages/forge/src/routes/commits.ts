import { gitOf } from '../context.ts';
import { listChanges, listCommits, readCommit } from '../git/commits.ts';
import type { Json } from '../json.ts';
import type { PullIssue } from '../model.ts';
import { page } from '../pagination.ts';
import { commitPayload, filePayload, gitCommitPayload } from '../payloads/commits.ts';
import { apiLink, encodedPath, htmlLink } from '../payloads/links.ts';
import { pullSummary } from '../payloads/pulls.ts';
import { needs } from '../permissions.ts';
import { type ApiResponse, HttpError, notFound, ok } from '../responses.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { plain } from './pulls.ts';

const read = needs('read', { contents: 'read' });
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export const commitRoutes: Route[] = [
  repositoryRoute('GET /commits', read, async (request) => {
    const { context, repository, query } = request;
    const git = gitOf(context, repository);
    const sha = await git.commit(query.get('sha') ?? repository.default_branch);
    if (!sha) throw notFound();
    const path = query.get('path');
    const found = await listCommits(git, [sha, ...(path === null ? [] : ['--', path])], 'newest');
    return page(request, found, (commit) => commitPayload(context, repository, commit));
  }),
  repositoryRoute('GET /commits/{ref}', read, async (request) => {
    const { context, repository, params, accept } = request;
    const git = gitOf(context, repository);
    const sha = await git.commit(params['ref'] ?? '');
    if (!sha) throw new HttpError(422, `No commit found for SHA: ${params['ref']}`);
    const commit = await readCommit(git, sha);
    const parent = commit.parents[0] ?? emptyTree;
    if (accept.includes('.diff')) return plain('diff', await git.run(['diff', parent, sha]));
    const changes = await listChanges(git, parent, sha);
    const additions = changes.reduce((total, change) => total + change.additions, 0);
    const deletions = changes.reduce((total, change) => total + change.deletions, 0);
    return ok({
      ...commitPayload(context, repository, commit),
      stats: { additions, deletions, total: additions + deletions },
      files: changes.map((change) => filePayload(context, repository, { ...change, at: sha })),
    });
  }),
  /** Of a commit on the default branch, the pull request that brought it; of others, the open ones with it. */
  repositoryRoute(
    'GET /commits/{commit_sha}/pulls',
    needs('read', { pull_requests: 'read' }),
    async (request) => {
      const { context, repository, params } = request;
      const git = gitOf(context, repository);
      const sha = await git.commit(params['commit_sha'] ?? '');
      if (!sha) throw new HttpError(422, `No commit found for SHA: ${params['commit_sha']}`);
      const isMerged = await git.isAncestor(sha, `refs/heads/${repository.default_branch}`);
      const found: PullIssue[] = [];
      for (const issue of context.store.pulls(repository)) {
        const { base_sha, head_sha, merged_at, merge_commit_sha } = issue.pull;
        if (isMerged ? merged_at === null : issue.state === 'closed') continue;
        const isOwn = (await git.isAncestor(sha, head_sha)) && !(await git.isAncestor(sha, base_sha));
        if (isOwn || (isMerged && merge_commit_sha === sha)) found.push(issue);
      }
      return page(request, found, (issue) => pullSummary(context, issue));
    },
  ),
  repositoryRoute('GET /git/commits/{commit_sha}', read, async ({ context, repository, params }) => {
    const git = gitOf(context, repository);
    const sha = params['commit_sha'] ?? '';
    if ((await git.commit(sha)) !== sha) throw notFound();
    return ok(gitCommitPayload(context, repository, await readCommit(git, sha)));
  }),
  repositoryRoute('GET /compare/{basehead}', read, compare),
];

interface Comparison {
  base: string;
  head: string;
  fork: string;
}

async function compare(request: RepositoryRequest): Promise<ApiResponse> {
  const { context, repository, accept } = request;
  const git = gitOf(context, repository);
  const comparison = await comparisonIn(request);
  const { base, head, fork } = comparison;
  if (accept.includes('.diff')) return plain('diff', await git.run(['diff', fork, head]));
  const [commits, behind, changes, baseCommit, forkCommit] = await Promise.all([
    listCommits(git, [`${base}..${head}`]),
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
async function comparisonIn({ context, repository, params }: RepositoryRequest): Promise<Comparison> {
  const git = gitOf(context, repository);
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

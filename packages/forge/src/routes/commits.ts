import { type Answer, notFound, ok, Refusal } from '../answers.ts';
import { listChanges, listCommits, readCommit } from '../git/commits.ts';
import { page } from '../pagination.ts';
import { commitPayload, filePayload, gitCommitPayload } from '../payloads/commits.ts';
import { apiLink, htmlLink } from '../payloads/links.ts';
import { needs } from '../permissions.ts';
import { type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { gitOf, type Json } from '../site.ts';
import { plain } from './pulls.ts';

const read = needs('read', { contents: 'read' });
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export const commitRoutes: Route[] = [
  repositoryRoute('GET /commits', read, list),
  repositoryRoute('GET /commits/{ref}', read, show),
  repositoryRoute('GET /git/commits/{commit_sha}', read, showObject),
  repositoryRoute('GET /compare/{basehead}', read, compare),
];

async function list(request: RepositoryRequest): Promise<Answer> {
  const { site, repository, query } = request;
  const git = gitOf(site, repository);
  const sha = await git.commit(query.get('sha') ?? repository.default_branch);
  if (!sha) throw notFound();
  const path = query.get('path');
  const found = await listCommits(git, [sha, ...(path === null ? [] : ['--', path])], 'newest');
  return page(request, found, (commit) => commitPayload(site, repository, commit));
}

async function show(request: RepositoryRequest): Promise<Answer> {
  const { site, repository, params, accept } = request;
  const git = gitOf(site, repository);
  const sha = await git.commit(params['ref'] ?? '');
  if (!sha) throw new Refusal(422, `No commit found for SHA: ${params['ref']}`);
  const commit = await readCommit(git, sha);
  const parent = commit.parents[0] ?? emptyTree;
  if (accept.includes('.diff')) return plain('diff', await git.run(['diff', parent, sha]));
  const changes = await listChanges(git, parent, sha);
  const additions = changes.reduce((total, change) => total + change.additions, 0);
  const deletions = changes.reduce((total, change) => total + change.deletions, 0);
  return ok({
    ...commitPayload(site, repository, commit),
    stats: { additions, deletions, total: additions + deletions },
    files: changes.map((change) => filePayload(site, repository, { ...change, at: sha })),
  });
}

async function showObject({ site, repository, params }: RepositoryRequest): Promise<Answer> {
  const git = gitOf(site, repository);
  const sha = params['commit_sha'] ?? '';
  if ((await git.commit(sha)) !== sha) throw notFound();
  return ok(gitCommitPayload(site, repository, await readCommit(git, sha)));
}

interface Comparison {
  base: string;
  head: string;
  fork: string;
}

async function compare(request: RepositoryRequest): Promise<Answer> {
  const { site, repository, accept } = request;
  const git = gitOf(site, repository);
  const comparison = await comparisonIn(request);
  const { base, head, fork } = comparison;
  if (accept.includes('.diff')) return plain('diff', await git.run(['diff', fork, head]));
  const [commits, behind, changes, baseCommit, forkCommit] = await Promise.all([
    listCommits(git, [`${base}..${head}`]),
    git.run(['rev-list', '--count', `${head}..${base}`]),
    listChanges(git, fork, head),
    readCommit(git, base),
    readCommit(git, fork),
  ]);
  return ok({
    ...addresses(request),
    base_commit: commitPayload(site, repository, baseCommit),
    merge_base_commit: commitPayload(site, repository, forkCommit),
    status: statusOf(commits.length, Number(behind)),
    ahead_by: commits.length,
    behind_by: Number(behind),
    total_commits: commits.length,
    commits: commits.map((commit) => commitPayload(site, repository, commit)),
    files: changes.map((change) => filePayload(site, repository, { ...change, at: head })),
  });
}

/** `base...head`, each a branch, tag or commit, with or without its owner in front. */
async function comparisonIn({ site, repository, params }: RepositoryRequest): Promise<Comparison> {
  const git = gitOf(site, repository);
  const names = (params['basehead'] ?? '').split('...').map((name) => name.replace(/^[^:]+:/, ''));
  const [base, head] = await Promise.all(names.map((name) => git.commit(name)));
  const fork = base && head ? await git.mergeBase(base, head) : undefined;
  if (!base || !head || !fork) throw notFound();
  return { base, head, fork };
}

function addresses({ site, repository, params }: RepositoryRequest): Json {
  const path = `/compare/${encodeURI(params['basehead'] ?? '')}`;
  const html = htmlLink(site, repository, path);
  return {
    url: apiLink(site, repository, path),
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

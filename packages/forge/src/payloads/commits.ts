import type { Context } from '../context.ts';
import type { CommitRecord, FileChange } from '../git/commits.ts';
import { verificationOf } from '../git/signatures.ts';
import type { Json, Repository } from '../model.ts';
import { apiLink, encodedPath, htmlLink, nodeId } from './links.ts';

export function commitPayload(context: Context, repository: Repository, commit: CommitRecord): Json {
  const { sha, node_id, html_url, parents, ...shown } = gitCommitPayload(
    context,
    repository,
    commit,
    'commits',
  );
  const url = apiLink(context, repository, `/commits/${sha}`);
  return {
    url,
    sha,
    node_id,
    html_url,
    comments_url: `${url}/comments`,
    commit: { ...shown, comment_count: 0 },
    author: null,
    committer: null,
    parents,
  };
}

/** A commit as in the Git database API, where also its parents lead to. */
export function gitCommitPayload(
  context: Context,
  repository: Repository,
  { sha, author, committer, message, tree, parents }: CommitRecord,
  parentsAt = 'git/commits',
) {
  return {
    sha,
    node_id: nodeId('Commit', sha),
    url: apiLink(context, repository, `/git/commits/${sha}`),
    html_url: htmlLink(context, repository, `/commit/${sha}`),
    author,
    committer,
    message,
    tree: { sha: tree, url: apiLink(context, repository, `/git/trees/${tree}`) },
    parents: parents.map((parent) => ({
      sha: parent,
      url: apiLink(context, repository, `/${parentsAt}/${parent}`),
      html_url: htmlLink(context, repository, `/commit/${parent}`),
    })),
    verification: verificationOf(context, sha),
  };
}

/** A commit as in `push` webhooks. */
export function pushedCommitPayload(context: Context, repository: Repository, commit: CommitRecord): Json {
  return {
    ...simpleCommitPayload(commit),
    distinct: true,
    url: htmlLink(context, repository, `/commit/${commit.sha}`),
    added: commit.files.filter((file) => file.status === 'added').map((file) => file.filename),
    removed: commit.files.filter((file) => file.status === 'removed').map((file) => file.filename),
    modified: commit.files.filter((file) => file.status === 'modified').map((file) => file.filename),
  };
}

export function simpleCommitPayload(commit: CommitRecord): Json {
  const { name, email } = commit.author;
  return {
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: commit.committer.date,
    author: { name, email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}

export function filePayload(
  context: Context,
  repository: Repository,
  change: FileChange & { at: string },
): Json {
  const { at, previous_filename, patch, ...entry } = change;
  const path = encodedPath(change.filename);
  return {
    ...entry,
    changes: change.additions + change.deletions,
    blob_url: htmlLink(context, repository, `/blob/${at}/${path}`),
    raw_url: htmlLink(context, repository, `/raw/${at}/${path}`),
    contents_url: apiLink(context, repository, `/contents/${path}?ref=${at}`),
    ...(patch === undefined ? {} : { patch }),
    ...(previous_filename === undefined ? {} : { previous_filename }),
  };
}

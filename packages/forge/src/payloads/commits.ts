import type { Context } from '../context.ts';
import type { CommitRecord, FileChange } from '../git/commits.ts';
import type { Json, Repository } from '../model.ts';
import { apiLink, encodedPath, htmlLink, nodeId } from './links.ts';

export function commitPayload(context: Context, repository: Repository, commit: CommitRecord): Json {
  const url = apiLink(context, repository, `/commits/${commit.sha}`);
  return {
    url,
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    html_url: htmlLink(context, repository, `/commit/${commit.sha}`),
    comments_url: `${url}/comments`,
    commit: {
      url: apiLink(context, repository, `/git/commits/${commit.sha}`),
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      comment_count: 0,
      tree: { sha: commit.tree, url: apiLink(context, repository, `/git/trees/${commit.tree}`) },
      verification,
    },
    author: null,
    committer: null,
    parents: commit.parents.map((sha) => ({
      sha,
      url: apiLink(context, repository, `/commits/${sha}`),
      html_url: htmlLink(context, repository, `/commit/${sha}`),
    })),
  };
}

/** A commit as in the Git database API. */
export function gitCommitPayload(context: Context, repository: Repository, commit: CommitRecord): Json {
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', commit.sha),
    url: apiLink(context, repository, `/git/commits/${commit.sha}`),
    html_url: htmlLink(context, repository, `/commit/${commit.sha}`),
    author: commit.author,
    committer: commit.committer,
    message: commit.message,
    tree: { sha: commit.tree, url: apiLink(context, repository, `/git/trees/${commit.tree}`) },
    parents: commit.parents.map((sha) => ({
      sha,
      url: apiLink(context, repository, `/git/commits/${sha}`),
      html_url: htmlLink(context, repository, `/commit/${sha}`),
    })),
    verification,
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

const verification = {
  verified: false,
  reason: 'unsigned',
  signature: null,
  payload: null,
  verified_at: null,
};

import { join } from 'node:path';
import type { Remote, TokenSource } from '../../git/git.ts';

import { type Mirror, openMirror } from '../../git/mirror.ts';

import type { Repository as GitHubRepository } from '../../github/events/github-event.ts';
import type { Connection } from '../../github/octokit/connect.ts';
import type { Own } from '../../github/own.ts';
import { PushLimiter } from './push-limiter.ts';

/** A repository with the client and remote of its entry point. */
export interface Repository extends GitHubRepository {
  readonly octokit: Connection;
  readonly remote: Remote;
  readonly pushes: PushLimiter;
  readonly own: Own;
  /** Opened on first use, then shared. */
  mirror(): Promise<Mirror>;
}

/** Where a repository's mirror is kept. */
export function mirrorDir({ data }: { readonly data: string }, { id }: Pick<Repository, 'id'>): string {
  return join(data, 'mirrors', `${id}.git`);
}

export interface RepositoryFacts {
  readonly repository: GitHubRepository;
  readonly octokit: Connection;
  /** For Git; requested before each command that needs it. */
  readonly token: TokenSource;
  readonly own: Own;
  readonly data: string;
  /** Called with the mirror before its first use. */
  readonly onOpen?: (mirror: Mirror) => Promise<void>;
}

/** A repository whose mirror is opened on first use, and again after a failure. */
export function repositoryFrom({
  repository,
  octokit,
  token,
  own,
  data,
  onOpen,
}: RepositoryFacts): Repository {
  const remote = { url: repository.clone_url, token };
  const dir = mirrorDir({ data }, repository);
  const open = async (where: string): Promise<Mirror> => {
    const opened = await openMirror({ dir: where, remote });
    await onOpen?.(opened);
    return opened;
  };
  let mirror: Promise<Mirror> | undefined;
  return {
    ...repository,
    octokit,
    own,
    remote,
    pushes: new PushLimiter(),
    mirror: () => {
      mirror ??= open(dir).catch((fault: unknown) => {
        mirror = undefined;
        throw fault;
      });
      return mirror;
    },
  };
}

import type { Mirror } from '../git/mirror.ts';
import { openMirror } from '../git/mirror.ts';
import type { Repository as HeardRepository } from '../github/listen/heard.ts';
import type { Connection } from '../github/octokit/connect.ts';
import { mirrorDir, type Repository } from './workshop.ts';

export interface RepositoryFacts {
  readonly repository: HeardRepository;
  readonly octokit: Connection;
  /** For Git; asked for before each command that needs it. */
  readonly token: () => Promise<string>;
  readonly own: { readonly login: string };
  readonly data: string;
}

/** A repository whose mirror is opened when it is first needed, and again when that failed. */
export function repositoryFrom({ repository, octokit, token, own, data }: RepositoryFacts): Repository {
  const remote = { url: repository.clone_url, token };
  const dir = mirrorDir({ data }, repository);
  let mirror: Promise<Mirror> | undefined;
  return {
    ...repository,
    octokit,
    own,
    remote,
    mirror: () => {
      mirror ??= openMirror({ dir, remote }).catch((fault: unknown) => {
        mirror = undefined;
        throw fault;
      });
      return mirror;
    },
  };
}

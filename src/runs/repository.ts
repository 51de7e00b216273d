import type { Mirror } from '../git/mirror.ts';
import { openMirror } from '../git/mirror.ts';
import type { Connection } from '../github/octokit/connect.ts';
import { mirrorDir, type Repository } from './workshop.ts';

export interface RepositoryFacts {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly clone_url: string;
  readonly octokit: Connection;
  /** For Git; asked for before each command that needs it. */
  readonly token: () => Promise<string>;
  readonly own: { readonly login: string };
  readonly data: string;
}

/** A repository whose mirror is opened when it is first needed, and again when that failed. */
export function repositoryFrom({ data, clone_url, token, ...facts }: RepositoryFacts): Repository {
  const remote = { url: clone_url, token };
  let mirror: Promise<Mirror> | undefined;
  return {
    ...facts,
    remote,
    mirror: () => {
      mirror ??= openMirror({ dir: mirrorDir({ data }, facts), remote }).catch((fault: unknown) => {
        mirror = undefined;
        throw fault;
      });
      return mirror;
    },
  };
}

import type { Mirror } from '../git/mirror.ts';
import { openMirror } from '../git/mirror.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import type { Connection } from '../github/octokit/connect.ts';
import { PushLimiter } from './push-limiter.ts';
import { mirrorDir, type Repository } from './services.ts';

export interface RepositoryFacts {
  readonly repository: GitHubRepository;
  readonly octokit: Connection;
  /** For Git; asked for before each command that needs it. */
  readonly token: () => Promise<string>;
  readonly own: { readonly login: string };
  readonly data: string;
  /** Called with the mirror before anybody uses it. */
  readonly onOpen?: (mirror: Mirror) => Promise<void>;
}

/** A repository whose mirror is opened when it is first needed, and again when that failed. */
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

import type { RunIdentity } from '../../steering/state.ts';
import type { Log, Octokit } from '../octokit/connect.ts';
import { repoParams } from '../read/repository.ts';

/** The issue or pull request we comment on, and our own login. */
export interface CommentTarget {
  readonly octokit: Octokit;
  readonly run: Pick<RunIdentity, 'owner' | 'repo' | 'number' | 'presenter'>;
  /** Our own login on GitHub, such as `coxswain[bot]`; only its comments are ours. */
  readonly own: { readonly login: string };
  /** Values that must not be posted, in addition to everything in the format of a token. */
  readonly secrets: readonly string[];
}

/** The pull request a presenter renders on. */
export interface PullTarget extends CommentTarget {
  readonly run: Pick<RunIdentity, 'id' | 'owner' | 'repo' | 'number' | 'presenter'>;
  readonly log: PresenterLog;
}

/** Where a presenter reports what it could not do. */
export type PresenterLog = Pick<Log, 'info' | 'warn'>;

/** The repository as Octokit's parameters. */
export function repoParamsOf({ run }: CommentTarget): { owner: string; repo: string } {
  return repoParams({ owner: run.owner, name: run.repo });
}

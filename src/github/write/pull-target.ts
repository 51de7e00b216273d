import type { Octokit } from '@octokit/rest';
import type { RunIdentity } from '../../steering/state.ts';
import type { Log } from '../octokit/connect.ts';

/** The issue or pull request we comment on, and our own login. */
export interface CommentTarget {
  readonly octokit: Octokit;
  readonly run: Pick<RunIdentity, 'owner' | 'repo' | 'number' | 'presenter'>;
  /** Our own login on GitHub, such as `coxswain[bot]`; only its comments are ours. */
  readonly own: { readonly login: string };
}

/** The pull request a presenter renders on. */
export interface PullTarget extends CommentTarget {
  readonly run: Pick<RunIdentity, 'id' | 'owner' | 'repo' | 'number' | 'presenter'>;
  readonly log: PresenterLog;
}

/** Where a presenter reports what it could not do. */
export type PresenterLog = Pick<Log, 'info' | 'warn'>;

/** The repository as Octokit's parameters. */
export function repositoryOf({ run }: CommentTarget): { readonly owner: string; readonly repo: string } {
  return { owner: run.owner, repo: run.repo };
}

/** An App writes as `slug[bot]` and makes check runs as `slug`. */
export function appSlug({ own }: PullTarget): string {
  return own.login.replace(/\[bot\]$/, '');
}

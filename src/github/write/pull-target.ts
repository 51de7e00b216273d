import type { Octokit } from '@octokit/rest';
import type { RunIdentity } from '../../steering/state.ts';
import type { Log } from '../octokit/connect.ts';

/** Where we comment: an issue or a pull request, and who we are there. */
export interface CommentTarget {
  readonly octokit: Octokit;
  readonly run: Pick<RunIdentity, 'owner' | 'repo' | 'number' | 'presenter'>;
  /** Our own login on GitHub, as `coxswain[bot]`: only what it wrote is ours. */
  readonly own: { readonly login: string };
}

/** Where a presenter draws: one pull request. */
export interface PullTarget extends CommentTarget {
  readonly run: Pick<RunIdentity, 'id' | 'owner' | 'repo' | 'number' | 'presenter'>;
  readonly log: PresenterLog;
}

/** Where a presenter says what it could not do as wanted. */
export type PresenterLog = Pick<Log, 'info' | 'warn'>;

/** The repository as Octokit's parameters want it. */
export function repositoryOf({ run }: CommentTarget): { readonly owner: string; readonly repo: string } {
  return { owner: run.owner, repo: run.repo };
}

/** An App writes as `slug[bot]` and makes check runs as `slug`. */
export function appSlug({ own }: PullTarget): string {
  return own.login.replace(/\[bot\]$/, '');
}

import type { Octokit } from '@octokit/rest';
import type { RunIdentity } from '../../steering/state.ts';
import type { Log } from '../octokit/connect.ts';

/** Where a presenter draws: one pull request, with the hand that draws there. */
export interface PullTarget {
  readonly octokit: Octokit;
  readonly run: Pick<RunIdentity, 'id' | 'owner' | 'repo' | 'number' | 'presenter'>;
  /** Our own login on GitHub, as `coxswain[bot]`: only what this hand made is ours. */
  readonly own: { readonly login: string };
  readonly log: PresenterLog;
}

/** Whom a presenter tells what it could not do as wished. */
export type PresenterLog = Pick<Log, 'info' | 'warn'>;

/** The repository as Octokit's parameters want it. */
export function repositoryOf({ run }: PullTarget): { readonly owner: string; readonly repo: string } {
  return { owner: run.owner, repo: run.repo };
}

/** An App writes as `slug[bot]` and makes check runs as `slug`. */
export function appSlug({ own }: PullTarget): string {
  return own.login.replace(/\[bot\]$/, '');
}

/** The HTTP status of what Octokit, or our own connection, threw. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined;
}

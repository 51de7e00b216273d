import type { Seals } from '../../seal/seals.ts';
import type { RunIdentity } from '../../steering/shapes/task.ts';
import type { State } from '../../steering/state/state.ts';
import type { Log, Octokit } from '../octokit/connect.ts';
import type { Own } from '../own.ts';
import { repoParams } from '../read/repository-ref.ts';

/** The issue or pull request we comment on, and our own login. */
export interface CommentTarget {
  readonly octokit: Octokit;
  readonly run: Pick<RunIdentity, 'owner' | 'repo' | 'number' | 'presenter'>;
  /** Only comments of this login, and check runs of this App, are ours. */
  readonly own: Own;
  /** Values that must not be posted, in addition to everything in the format of a token. */
  readonly secrets: readonly string[];
  /** Whether other processes of ours may write here, too; by default none does. */
  readonly others?: { readonly present: boolean } | undefined;
}

/** The pull request a presenter renders on. */
export interface PullTarget extends CommentTarget {
  readonly run: Pick<RunIdentity, 'id' | 'repository_id' | 'owner' | 'repo' | 'number' | 'presenter'>;
  readonly log: PresenterLog;
  /** GitHub's time, as far as it is known. */
  readonly clock: { now(): Date };
  /** Where people find the details of a run: its page, or the log of a job. Check runs lead there. */
  readonly detailsUrl?: ((state: State) => string | undefined) | undefined;
  /** The App's; in the Action, blocks are not sealed. */
  readonly seals?: Seals | undefined;
}

/** Where a presenter reports what it could not do. */
export type PresenterLog = Pick<Log, 'info' | 'warn'>;

/** The repository as Octokit's parameters. */
export function repoParamsOf({ run }: CommentTarget): { owner: string; repo: string } {
  return repoParams({ owner: run.owner, name: run.repo });
}

/** Whether what we are about to create may just have been created by another process of ours. */
export function hasOthers({ run, others }: CommentTarget): boolean {
  return run.presenter === 'action' || others?.present === true;
}

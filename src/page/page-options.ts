import type { Octokit } from '../github/octokit/connect.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { ProgressBoard } from '../runs/progress-board.ts';
import type { Repository } from '../runs/repository.ts';
import type { Guide } from './guide.ts';
import type { Reach } from './reach.ts';

/** What the page is opened with. */
export interface PageOptions {
  /** The client that the page reads and comments with: a GitHub user's, not the App's. */
  readonly person: Octokit;
  /** The repositories whose runs are shown. */
  repositories(): Promise<readonly Repository[]>;
  readonly liveRuns: LiveRuns;
  /** What the agents of this process are doing. */
  readonly progress: ProgressBoard;
  /** Gives access to the page, as `/?key=<key>`; must be hard to guess. */
  readonly key: string;
  /** The address of the page, such as `http://127.0.0.1:3000`; called for each request. */
  origin(): string;
  /** Who can reach it: beyond this machine, approvals and the like are said on GitHub only. */
  readonly reach: Reach;
  /** Says what to try next, in a demonstration. */
  readonly guide?: Guide | undefined;
}

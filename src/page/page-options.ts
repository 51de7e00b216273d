import type { Octokit } from '../github/octokit/connect.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { Repository } from '../runs/repository.ts';

/** What the page is opened with. */
export interface PageOptions {
  /** The client in whose name the page reads and comments: a GitHub user's, not the App's. */
  readonly person: Octokit;
  /** The repositories whose runs are shown. */
  repositories(): Promise<readonly Repository[]>;
  readonly liveRuns: LiveRuns;
  /** Whoever opens `/?key=<key>` is let in; must be hard to guess. */
  readonly key: string;
  /** Where browsers find the page, as `http://127.0.0.1:3000`: asked at each request. */
  origin(): string;
}

import type { Account } from '../../../src/github/events/github-event.ts';
import type { BranchMove } from '../../../src/github/read/branch-history.ts';
import type { Role } from '../../../src/steering/shapes/people.ts';
import type { Settings } from '../../../src/steering/shapes/settings.ts';
import type { Dependency } from '../../../src/steering/shapes/task.ts';
import { ada, bob, mia, rea, robot, run, settingsOf, sha, tess } from '../samples.ts';
import { News } from './news.ts';

/** GitHub with one pull request. Nothing in it changes: a change puts a new value in the place of the old. */

export interface HubComment {
  readonly id: number;
  readonly by: Account;
  readonly body: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly edits: readonly { readonly by: Account; readonly at: string }[];
}

export interface HubReview {
  readonly id: number;
  readonly by: Account;
  readonly body: string;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED';
  readonly commit_id: string;
  readonly submitted_at: string;
}

export interface HubCheck {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly external_id: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly completed_at: string | null;
  readonly output: { readonly title: string; readonly summary: string; readonly text: string };
  readonly actions: readonly { readonly identifier: string }[];
}

export interface HubPull {
  readonly open: boolean;
  readonly merged: boolean;
  readonly draft: boolean;
  readonly head: string;
  readonly base: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
}

/** What the timeline says of the pull request. */
export interface HubTurn {
  readonly event: 'closed' | 'reopened' | 'review_dismissed' | 'retargeted' | 'comment_deleted';
  readonly at: string;
  readonly by: Account;
  /** The review, or the base. */
  readonly about?: number | string;
  /** Who had written the comment. */
  readonly author?: Account;
}

/** All that an answer of GitHub can tell. */
export interface Facts {
  readonly pull: HubPull;
  readonly comments: readonly HubComment[];
  readonly reviews: readonly HubReview[];
  readonly turns: readonly HubTurn[];
}

export const us: Account = { login: 'coxswain[bot]', id: 99, bot: true };
export const own = { login: us.login, app: { id: 4711 } } as const;
export const people: readonly Account[] = [ada, bob, mia, rea, robot];
export const repository = {
  ...{ id: 1, owner: 'acme', name: 'service', default_branch: 'main', private: false },
  clone_url: 'https://github.test/acme/service.git',
} as const;
export const noCommit = '0'.repeat(40);
const ages = 12;

export class Hub {
  /** How far other pull requests have come on which the run may depend. */
  readonly others = new Map<number, Dependency['is']>();
  /** What has taken the place of them. */
  readonly replacing = new Map<number, number>();
  facts: Facts;
  branch: string | undefined = run.head;
  moves: readonly BranchMove[];
  /** Ours. */
  checks: HubCheck[] = [];
  /** Those of the repository's own CI. */
  ci: HubCheck[] = [];
  /** The tip of the base, and how many commits have come to it. */
  base_sha = sha(0xbbb);
  base_commits = 0;
  readonly roles = new Map<number, Role>([ada, bob, mia, rea, tess].map(({ id, role }) => [id, role]));
  settings: Settings;
  readonly news = new News();
  readonly replies = new Map<string, number>();
  now = Date.parse('2025-03-03T12:00:00Z');
  /** How often the App closed the pull request. */
  closings = 0;
  #former: { readonly until: number; readonly facts: Facts }[] = [];
  #ids = 10;
  #commits = 0;

  constructor(settings: Settings = settingsOf()) {
    this.settings = settings;
    const at = this.at;
    this.moves = [{ before: noCommit, after: run.head, at, by: us }];
    const pull = { open: true, merged: false, draft: true, head: run.head, base: run.base };
    this.facts = { pull: { ...pull, updated_at: at, closed_at: null }, comments: [], reviews: [], turns: [] };
  }

  /** GitHub's times have whole seconds. */
  get at(): string {
    return new Date(this.now).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  get pull(): HubPull {
    return this.facts.pull;
  }

  newId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  newCommit(): string {
    this.#commits += 1;
    return sha(this.#commits);
  }

  moveBase(): void {
    this.base_commits += 1;
    this.base_sha = sha(0xbbb + 0x1000 * this.base_commits);
  }

  change(changed: Partial<Facts>): void {
    this.#former = [...this.#former, { until: this.now, facts: this.facts }].slice(-ages);
    this.facts = { ...this.facts, ...changed };
  }

  changePull(changed: Partial<HubPull>): void {
    this.change({ pull: { ...this.pull, updated_at: this.at, ...changed } });
  }

  /** What an answer says that is so many milliseconds old. */
  before(lag: number): Facts {
    return this.#former.find(({ until }) => until > this.now - lag)?.facts ?? this.facts;
  }

  /** Moves the branch, and the pull request with it unless that is closed. */
  move(to: string | undefined, by: Account): void {
    const move = { before: this.branch ?? noCommit, after: to ?? noCommit, at: this.at, by };
    this.moves = [move, ...this.moves].slice(0, 40);
    this.branch = to;
    if (to !== undefined && this.pull.open) this.changePull({ head: to });
  }

  turn(turn: Omit<HubTurn, 'at'>): void {
    this.change({ turns: [...this.facts.turns, { ...turn, at: this.at }] });
  }

  /** The settings that the configuration gives a base. */
  settingsFor(base: string): Settings {
    return base === run.base ? this.settings : { ...this.settings, check: `Coxswain (${base})` };
  }
}

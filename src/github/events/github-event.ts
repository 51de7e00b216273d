/** An event as GitHub reported it, through any entry point: nothing looked up, nothing decided. */
export type GitHubEvent = {
  readonly [K in GitHubEventKind]: EventOrigin & { readonly kind: K } & Facts[K];
}[GitHubEventKind];

type GitHubEventKind = keyof Facts;
export type GitHubEventOf<K extends GitHubEventKind> = Extract<GitHubEvent, { kind: K }>;

interface EventOrigin {
  /** Null for a workflow's token and where no App is installed. */
  readonly installation_id: number | null;
  readonly sender: Account;
}

/** The number of an issue or a pull request that was closed or reopened, or a branch that was pushed to. */
export type Turned = number | string;

/** An account on GitHub. Logins can be changed and reused, so `id` is who it is; 0 is a deleted account. */
export interface Account {
  readonly login: string;
  readonly id: number;
  readonly bot: boolean;
}

export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly default_branch: string;
  readonly clone_url: string;
  readonly private: boolean;
}

interface Facts {
  comment: InAt & {
    readonly action: 'created' | 'edited' | 'deleted';
    readonly comment: Comment;
    readonly author: Account;
    readonly issue: Issue;
  };
  labeled: InAt & { readonly label: string; readonly issue: Issue };
  review: InAt & {
    readonly action: 'submitted' | 'edited' | 'dismissed';
    readonly review: Review;
    readonly author: Account;
    readonly pull: Pull;
  };
  click: In & {
    readonly check_run_id: number;
    readonly check_name: string;
    readonly external_id: string;
    readonly identifier: string;
    readonly head_sha: string;
  };
  /** Someone asked GitHub to re-run one of our checks, or all of them. */
  recheck: InAt & {
    readonly suite_id: number;
    readonly check_run: { readonly id: number; readonly name: string; readonly external_id: string } | null;
    readonly head_sha: string;
    /** The pull requests with this head, as far as GitHub lists them. */
    readonly numbers: readonly number[];
  };
  /** A check run was completed, whatever with. */
  check_ended: In & {
    readonly check_name: string;
    /** The slug of the App that made it. */
    readonly app: string;
    readonly head_sha: string;
    /** Empty if GitHub names none. */
    readonly branch: string;
    readonly numbers: readonly number[];
  };
  /** The checks that one App made on a commit all succeeded, or do not matter. */
  checks_passed: In & {
    readonly branch: string;
    readonly numbers: readonly number[];
  };
  pushed: InAt & { readonly pull: Pull; readonly before: string; readonly after: string };
  branch_deleted: InAt & { readonly branch: string; readonly before: string };
  closed: InAt & { readonly pull: Pull; readonly merged: boolean };
  reopened: InAt & { readonly pull: Pull };
  /** A pull request was put into the merge queue of its base. */
  enqueued: InAt & { readonly pull: Pull };
  /** It left the queue, be it because it is merged; `reason` is GitHub's word for it. */
  dequeued: InAt & { readonly pull: Pull; readonly reason: string };
  /** GitHub wants checks on the head of a merge group, or there is no such group any more. */
  merge_group: In & {
    readonly action: 'checks_requested' | 'destroyed';
    /** The branch that it would be merged into. */
    readonly base: string;
    readonly head_sha: string;
    /** It no longer exists because it is merged. */
    readonly merged: boolean;
  };
  /** Something has happened for which runs may wait. */
  dependency_turned: In & { readonly what: Turned };
  /** A pull request was opened, or has another head or base; one that is not a run may get a check for it. */
  pull_changed: InAt & { readonly pull: Pull; readonly opener: Account; readonly commits: number };
  /** Someone changed the base branch. */
  retargeted: InAt & { readonly pull: Pull };
  /** A label was added to a pull request, or removed from it. */
  relabeled: InAt & { readonly pull: Pull; readonly label: string };
  body_edited: InAt & { readonly pull: Pull; readonly before: string; readonly after: string };
  /** The App has repositories more, or fewer. */
  installed: {
    readonly account: string;
    readonly repositories: readonly InstalledRepository[];
    /** The ids of those that it no longer has. */
    readonly removed: readonly number[];
  };
  /** The sender no longer lets the App act for them: none of their tokens of it is valid any more. */
  authorization_revoked: Readonly<Record<never, never>>;
  dispatch: In & {
    readonly run_id: number;
    readonly inputs: Readonly<Record<string, string>>;
    /** Who has run the job of the sender again, if that is somebody else. */
    readonly again_by?: string;
  };
  schedule: In;
}

interface In {
  readonly repository: Repository;
}

/** In a repository, with a time from GitHub (ISO 8601). Clicks and dispatches have none. */
interface InAt extends In {
  readonly at: string;
}

export interface Comment {
  readonly id: number;
  readonly node_id: string;
  readonly body: string;
  /** The body before the edit; null if there was none or it is unknown. */
  readonly former: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** The App that wrote it, on behalf of its author. */
  readonly via_app: { readonly id: number; readonly slug: string } | null;
  /** Whether it is known that nobody but its author has edited it. */
  readonly is_own_text: boolean;
}

/** An issue, or a pull request in its role as an issue. */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly open: boolean;
  readonly is_pull: boolean;
  /** The login of whoever opened it; absent where it was not read. */
  readonly opener?: string;
  readonly labels: readonly string[];
}

export interface Pull {
  readonly number: number;
  readonly head_ref: string;
  readonly head_sha: string;
  readonly base_ref: string;
  readonly labels: readonly string[];
  /** The login of whoever opened it; absent where it was not read. */
  readonly opener?: string;
  /** The head is in another repository, or in one that no longer exists. */
  readonly from_fork?: boolean;
}

export interface Review {
  readonly id: number;
  readonly node_id: string;
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  readonly body: string;
  readonly commit_id: string;
}

type InstalledRepository = Pick<Repository, 'id' | 'owner' | 'name' | 'private'>;

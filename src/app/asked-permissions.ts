/** What the App asks of GitHub, as in `app.yml`, and what for. */

/** A permission, with the least level that is enough. */
export interface AskedPermission {
  readonly level: 'read' | 'write';
  /** As GitHub names it to people. */
  readonly title: string;
  /** A sentence about the App without its subject and full stop. */
  readonly why: string;
  /** Where it matters, if not everywhere: Apps that were registered, and installations, may lack it. */
  readonly only?: 'queues';
}

export const askedPermissions = {
  contents: {
    level: 'write',
    title: 'Contents',
    why: 'reads the configuration, pushes the branches of runs, and keeps their history under refs/coxswain',
  },
  pull_requests: {
    level: 'write',
    title: 'Pull requests',
    why: 'opens a draft pull request for each run, finishes it once people have approved it, and proposes a configuration where there is none',
  },
  issues: {
    level: 'write',
    title: 'Issues',
    why: 'reads tasks, answers commands with comments and reactions, and sets the labels of runs',
  },
  checks: {
    level: 'write',
    title: 'Checks',
    why: 'shows what the verifiers say and what is decided as check runs, with buttons',
  },
  statuses: {
    level: 'write',
    title: 'Commit statuses',
    why: 'does not use it, but without it GitHub does not offer an App as the source of a required check',
  },
  merge_queues: {
    level: 'read',
    title: 'Merge queues',
    why: 'hears which checks a merge queue requires of its groups; it matters only where a branch has a queue',
    only: 'queues',
  },
  metadata: { level: 'read', title: 'Metadata', why: 'has it because GitHub requires it of every App' },
} as const satisfies Readonly<Record<string, AskedPermission>>;

/** The events of webhooks, each with what it tells the App. */
export const askedEvents = {
  issues: 'that an issue has been given the label that starts a run',
  issue_comment: 'what people say, such as /run, /steer and /approve, and that they have changed it',
  pull_request: 'that the pull request of a run is closed, reopened, edited or gets new commits',
  pull_request_review: 'that somebody has approved a run in a review, or asked for changes',
  check_run: 'that somebody has clicked a button of a check run, or wants it to run again',
  check_suite: 'that other checks, for which an approved run waits, have finished',
  push: 'that somebody has pushed to the branch of a run, or deleted it',
  merge_group: 'that a merge queue requires the check of a group of pull requests',
} as const satisfies Readonly<Record<string, string>>;

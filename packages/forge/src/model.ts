/** What the forge keeps: plain JSON, every thing by id, so that it can be written to disk and read back. */

import type { CheckRun, CheckSuite } from './model-checks.ts';

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin';
export type Level = 'read' | 'write' | 'admin';
export type Permissions = Record<string, Level>;

export interface Account {
  id: number;
  login: string;
  type: 'User' | 'Bot' | 'Organization';
  created_at: string;
}

export interface App {
  id: number;
  slug: string;
  name: string;
  owner_id: number;
  bot_id: number;
  client_id: string;
  client_secret: string;
  private_key: string;
  public_key: string;
  webhook_url: string;
  webhook_secret: string;
  hook_id: number;
  permissions: Permissions;
  events: string[];
  created_at: string;
}

export interface Installation {
  id: number;
  app_id: number;
  account_id: number;
  repository_ids: number[];
  permissions: Permissions;
  events: string[];
  created_at: string;
  updated_at: string;
}

export interface Token {
  token: string;
  account_id: number;
  installation_id: number | null;
  permissions: Permissions | null;
  repository_ids: number[] | null;
  expires_at: string | null;
}

export interface Label {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

/** What pushes to the refs that `pattern` covers may not do; see `ref-pattern.ts` for how it is read. */
export interface Rule {
  pattern: string;
  forbid_create?: boolean;
  forbid_update?: boolean;
  forbid_delete?: boolean;
  forbid_force?: boolean;
  require_linear?: boolean;
  /** Check runs that must have succeeded on the head before a pull request into the branch may be merged. */
  required_checks?: string[];
  /** Logins (of an App: `slug[bot]`) whom the rule does not bind. */
  bypass?: string[];
}

export interface Settings {
  drafts_supported: boolean;
  actions_may_create_pull_requests: boolean;
  allow_auto_merge: boolean;
  allow_merge_commit: boolean;
  allow_squash_merge: boolean;
  allow_rebase_merge: boolean;
  delete_branch_on_merge: boolean;
}

export interface Repository {
  id: number;
  owner_id: number;
  name: string;
  private: boolean;
  description: string | null;
  default_branch: string;
  collaborators: Record<string, Role>;
  rules: Rule[];
  settings: Settings;
  labels: Label[];
  next_number: number;
  created_at: string;
  updated_at: string;
  pushed_at: string;
}

export interface Reaction {
  id: number;
  user_id: number;
  content: string;
  created_at: string;
}

export interface AutoMerge {
  enabled_by_id: number;
  merge_method: 'merge' | 'squash' | 'rebase';
  commit_title: string | null;
  commit_message: string | null;
}

export interface Pull {
  id: number;
  head_ref: string;
  head_sha: string;
  base_ref: string;
  base_sha: string;
  draft: boolean;
  merged_at: string | null;
  merged_by_id: number | null;
  merge_commit_sha: string | null;
  requested_reviewer_ids: number[];
  auto_merge: AutoMerge | null;
  maintainer_can_modify: boolean;
}

export interface Issue {
  id: number;
  repository_id: number;
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  state_reason: 'completed' | 'not_planned' | 'reopened' | null;
  user_id: number;
  app_id: number | null;
  label_ids: number[];
  reactions: Reaction[];
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  closed_by_id: number | null;
  pull: Pull | null;
}

/** An issue that is a pull request. */
export type PullIssue = Issue & { pull: Pull };

export interface Comment {
  id: number;
  repository_id: number;
  issue_number: number;
  user_id: number;
  app_id: number | null;
  body: string;
  reactions: Reaction[];
  created_at: string;
  updated_at: string;
}

export interface ReviewComment {
  id: number;
  path: string;
  body: string;
  line: number | null;
  start_line: number | null;
  side: 'LEFT' | 'RIGHT';
  position: number | null;
  diff_hunk: string;
  created_at: string;
}

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

export interface Review {
  id: number;
  repository_id: number;
  pull_number: number;
  user_id: number;
  body: string;
  state: ReviewState;
  commit_id: string;
  submitted_at: string | null;
  comments: ReviewComment[];
}

export interface Delivery {
  id: number;
  guid: string;
  app_id: number;
  event: string;
  action: string | null;
  installation_id: number | null;
  repository_id: number | null;
  delivered_at: string;
  redelivery: boolean;
  /** Seconds. */
  duration: number;
  status: string;
  status_code: number;
  request: { headers: Record<string, string>; payload: Record<string, unknown> };
  response: { headers: Record<string, string>; payload: string };
}

export interface Dispatch {
  repository_id: number;
  workflow: string;
  ref: string;
  inputs: Record<string, unknown>;
  user_id: number;
  created_at: string;
}

export interface Data {
  next_id: number;
  accounts: Account[];
  apps: App[];
  installations: Installation[];
  tokens: Token[];
  repositories: Repository[];
  issues: Issue[];
  comments: Comment[];
  reviews: Review[];
  suites: CheckSuite[];
  check_runs: CheckRun[];
  deliveries: Delivery[];
  dispatches: Dispatch[];
  manifest_codes: Record<string, number>;
}

export type * from './model-checks.ts';

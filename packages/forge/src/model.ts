/** The forge's data: plain JSON with references by id, so that it can be saved and loaded. */

import type { Activity } from './model-activity.ts';
import type { CheckRun, CheckSuite } from './model-checks.ts';
import type { IssueEvent } from './model-issue-events.ts';
import type { Comment, Issue, Review } from './model-issues.ts';
import type { DeployKey } from './model-keys.ts';
import type { BranchProtection, Ruleset } from './model-rules.ts';
import type { CommitStatus } from './model-statuses.ts';
import type { Team } from './model-teams.ts';
import type { WorkflowRun } from './model-workflow-runs.ts';

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin';
export type Level = 'read' | 'write' | 'admin';
export type Permissions = Record<string, Level>;

export interface Account {
  id: number;
  login: string;
  type: 'User' | 'Bot' | 'Organization';
  created_at: string;
  /** The texts of a deleted account stay, with `ghost` as their author. */
  deleted: boolean;
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
  /** The App through which a person acts, for a user access token of an App. */
  via_app_id?: number;
}

export interface Label {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

export interface Settings {
  drafts_supported: boolean;
  actions_may_create_pull_requests: boolean;
  /** Absent: they are. */
  actions_enabled?: boolean;
  /** The names of the secrets of Actions; the forge has no values. */
  actions_secrets?: string[];
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
  rulesets: Ruleset[];
  /** Classic branch protection, oldest first. */
  protections: BranchProtection[];
  settings: Settings;
  deploy_keys: DeployKey[];
  labels: Label[];
  next_number: number;
  created_at: string;
  updated_at: string;
  pushed_at: string;
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

/** A file that somebody dropped into a text. */
export interface Attachment {
  id: string;
  /** Its media type. */
  type: string;
  /** Base64. */
  content: string;
  secret: string;
}

export interface Data {
  next_id: number;
  accounts: Account[];
  teams: Team[];
  apps: App[];
  installations: Installation[];
  tokens: Token[];
  repositories: Repository[];
  activities: Activity[];
  issues: Issue[];
  issue_events: IssueEvent[];
  comments: Comment[];
  attachments: Attachment[];
  reviews: Review[];
  suites: CheckSuite[];
  check_runs: CheckRun[];
  statuses: CommitStatus[];
  deliveries: Delivery[];
  dispatches: Dispatch[];
  workflow_runs: WorkflowRun[];
  manifest_codes: Record<string, number>;
}

export type * from './model-activity.ts';
export type * from './model-checks.ts';
export type * from './model-issue-events.ts';
export type * from './model-issues.ts';
export type * from './model-keys.ts';
export type * from './model-rules.ts';
export type * from './model-statuses.ts';
export type * from './model-teams.ts';
export type * from './model-workflow-runs.ts';

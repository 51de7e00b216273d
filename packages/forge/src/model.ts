import type { Changeable, InRepository, Made } from './model-base.ts';
import type { Comment, Issue, IssueEvent, MergeGroup, QueueEntry, Review } from './model-issues.ts';
import type { BranchProtection, Ruleset } from './model-rules.ts';

/** The forge's data: plain JSON with references by id, so that it can be saved and loaded. */

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin';
export type Level = 'read' | 'write' | 'admin';
export type Permissions = Record<string, Level>;

export interface Account extends Made {
  login: string;
  type: 'User' | 'Bot' | 'Organization';
}

export interface App extends Made {
  slug: string;
  name: string;
  owner_id: number;
  bot_id: number;
  client_id: string;
  client_secret: string;
  /** Where people may be sent back to after they signed in; the first one if the App names none. */
  callback_urls: string[];
  /** Whether tokens with which the App acts as people end after eight hours, a setting of the App. */
  user_tokens_expire: boolean;
  private_key: string;
  public_key: string;
  webhook_url: string;
  webhook_secret: string;
  hook_id: number;
  permissions: Permissions;
  events: string[];
}

export interface Installation extends Changeable {
  app_id: number;
  account_id: number;
  repository_ids: number[];
  permissions: Permissions;
  events: string[];
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

/** A person lets an App act as them. */
export interface Grant {
  app_id: number;
  account_id: number;
}

/** What an App exchanges once for a token of the person who came back with it. */
export interface AuthorizationCode extends Grant {
  code: string;
  redirect_uri: string;
  /** Of PKCE, by SHA-256; null if the App sent none. */
  code_challenge: string | null;
  expires_at: string;
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
}

export interface Repository extends Changeable {
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
  pushed_at: string;
}

/** A name that a repository had; GitHub leads from it to the repository until another one takes it. */
export interface FormerName extends InRepository {
  owner_id: number;
  name: string;
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

export interface Dispatch extends InRepository {
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

/** A signature that the forge has made as GitHub's own. */
export interface CommitSignature {
  payload: string;
  signature: string;
  verified_at: string;
}

/** The data of a forge in which nothing has happened yet. */
export function emptyData() {
  return {
    next_id: 1000,
    accounts: list<Account>(),
    teams: list<Team>(),
    apps: list<App>(),
    installations: list<Installation>(),
    tokens: list<Token>(),
    grants: list<Grant>(),
    authorization_codes: list<AuthorizationCode>(),
    repositories: list<Repository>(),
    former_names: list<FormerName>(),
    activities: list<Activity>(),
    issues: list<Issue>(),
    issue_events: list<IssueEvent>(),
    /** In the order of their queues. */
    queue_entries: list<QueueEntry>(),
    merge_groups: list<MergeGroup>(),
    comments: list<Comment>(),
    attachments: list<Attachment>(),
    reviews: list<Review>(),
    suites: list<CheckSuite>(),
    check_runs: list<CheckRun>(),
    statuses: list<CommitStatus>(),
    deliveries: list<Delivery>(),
    workflow_runs: list<WorkflowRun>(),
    signatures: noSignatures(),
  };
}

export type Data = ReturnType<typeof emptyData>;

/** By the commit's id. */
function noSignatures(): Record<string, CommitSignature> {
  return {};
}

function list<Item>(): Item[] {
  return [];
}

export type * from './model-issues.ts';
export type * from './model-rules.ts';

/** The fields of a JSON object. */
export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The data of a repository's activity: who moved which branch, and when. */

export type ActivityType =
  | 'push'
  | 'force_push'
  | 'branch_creation'
  | 'branch_deletion'
  | 'pr_merge'
  | 'merge_queue_merge';

/** One change of a branch; forty zeros as on GitHub for a branch that did not exist before or afterwards. */
export interface Activity extends InRepository {
  id: number;
  ref: string;
  before: string;
  after: string;
  timestamp: string;
  activity_type: ActivityType;
  /** Null if GitHub does not know who it was. */
  actor_id: number | null;
}

/** The data of check suites and check runs. */
export interface CheckSuite extends Changeable, InRepository {
  app_id: number;
  head_sha: string;
  head_branch: string | null;
  before: string | null;
  after: string | null;
}

export interface Annotation {
  path: string;
  start_line: number;
  end_line: number;
  start_column: number | null;
  end_column: number | null;
  annotation_level: string;
  message: string;
  title: string | null;
  raw_details: string | null;
}

export interface CheckAction {
  label: string;
  description: string;
  identifier: string;
}

export interface CheckRun extends InRepository {
  id: number;
  suite_id: number;
  app_id: number;
  name: string;
  head_sha: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  started_at: string;
  completed_at: string | null;
  details_url: string | null;
  external_id: string;
  output: { title: string | null; summary: string | null; text: string | null };
  annotations: Annotation[];
  actions: CheckAction[];
}

/** A key with which a machine reads, or also pushes to, one repository by SSH. */
export interface DeployKey extends Made {
  title: string;
  key: string;
  read_only: boolean;
  added_by_id: number;
}

/** The data of commit statuses, which anybody with write access may set under any name. */
export interface CommitStatus extends Made, InRepository {
  sha: string;
  state: 'error' | 'failure' | 'pending' | 'success';
  context: string;
  description: string | null;
  target_url: string | null;
  creator_id: number;
  /** The App whose installation set it; null for a person. */
  app_id: number | null;
}

/** A team of an organization. Members of a child team are members of its parents. */
export interface Team extends Made {
  organization_id: number;
  name: string;
  slug: string;
  parent_id: number | null;
  member_ids: number[];
  /** Where reviews can be requested from the team. */
  repository_ids: number[];
}

/** A run of a workflow. The forge plays none: whoever does sets them. */
export interface WorkflowRun extends Changeable, InRepository {
  /** Counts from 1; re-running a workflow keeps its id. */
  run_attempt: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | null;
  /** What it was triggered by, such as `issue_comment`. */
  event: string;
  /** Such as `.github/workflows/ci.yml`. */
  path: string;
  head_sha: string;
}

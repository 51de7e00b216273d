import type { NewApp } from '../apps.ts';
import type { ActivityFault, Fault } from '../faults.ts';
import type { FileContent } from '../git/create.ts';
import type {
  App,
  BranchProtection,
  Permissions,
  PullRequestRule,
  Repository,
  Role,
  Ruleset,
  RulesetRule,
  Settings,
  StatusCheckRule,
  WorkflowRun,
} from '../model.ts';

export type NewRepository = RepositoryDetails & (FirstFiles | CopiedHistory);

interface RepositoryDetails {
  owner: string;
  name: string;
  private?: boolean;
  description?: string;
  default_branch?: string;
}

interface FirstFiles {
  files: Record<string, FileContent>;
}

interface CopiedHistory {
  /** A folder with a repository: the default branch begins with what is checked out there. */
  history: string;
}

/** What an administrator does on GitHub's website. Repositories are named `owner/name`. */
export interface Seed {
  /** Returns a personal access token of the user. */
  addUser(login: string): string;
  /** Returns a token with which an App acts as a person who authorized it ("user-to-server"). */
  userToken(app: { id: number }, login: string): string;
  addOrganization(login: string): void;
  /** A team, named `organization/slug`; reviews can be requested from it in these repositories. */
  addTeam(name: string, options?: { parent?: string; repositories?: string[] }): void;
  setMember(team: string, login: string, is: boolean): void;
  addRepository(wanted: NewRepository): Promise<Repository>;
  /** Adds a commit to the default branch without sending a webhook; returns its SHA. */
  commit(repository: string, files: Record<string, FileContent>, message?: string): Promise<string>;
  /** A key that can be listed; pushes by SSH are not possible. */
  addDeployKey(repository: string, login: string, key: { title: string; read_only: boolean }): void;
  /** Uploads a file; returns its address, for an image in a text. */
  addAttachment(type: string, content: Uint8Array): string;
  setCollaborator(repository: string, login: string, role: Role | 'none'): void;
  createApp(wanted: NewApp): App;
  setWebhook(app: { id: number }, webhook: { url?: string; secret?: string }): void;
  /** Returns the installation's id. */
  installApp(app: { id: number }, repositories: string[]): number;
  addToInstallation(installation_id: number, repositories: string[]): void;
  setInstallationPermissions(installation_id: number, permissions: Permissions): void;
  /** Returns the ruleset's id. */
  addRuleset(repository: string, ruleset: NewRuleset): number;
  /** Classic protection of the branches whose names match the pattern. */
  addProtection(
    repository: string,
    pattern: string,
    protection: Pick<BranchProtection, 'required_status_checks'> & Partial<BranchProtection>,
  ): void;
  /** A ruleset for the refs that match one pattern, in a short form. */
  protect(repository: string, pattern: string, rule: RefRule): void;
  /** Removes all rulesets and classic protections. */
  unprotect(repository: string): void;
  settings(repository: string, settings: Partial<Settings>): void;
  /** Returns a GITHUB_TOKEN of the GitHub Actions app, valid for `minutes` (default 60). */
  actionsToken(repository: string, permissions: Permissions, minutes?: number): string;
  /** Ends all tokens of an installation, as GitHub does with one that has leaked. */
  revokeTokens(installation_id: number): void;
  fault(fault: Fault): void;
  /** Hides, delays or changes entries of a repository's activity; `clearFaults` ends it. */
  showActivity(repository: string, shown: ActivityFault): void;
  clearFaults(): void;
  /** Clicks a button of a check run, which only people with write access see. */
  clickCheckRunAction(
    repository: string,
    check_run_id: number,
    click: { identifier: string; login: string },
  ): void;
  /** Sets what is known of a run of a workflow on the default branch, which begins with this if it is new. */
  setWorkflowRun(
    repository: string,
    run: Pick<WorkflowRun, 'id' | 'status'> &
      Partial<Pick<WorkflowRun, 'run_attempt' | 'conclusion' | 'event'>>,
  ): Promise<void>;
}

/** A rule whose parameters have the defaults of GitHub's website. */
export type NewRule =
  | { type: Exclude<RulesetRule['type'], 'required_status_checks'>; parameters?: never }
  | { type: 'pull_request'; parameters: Partial<PullRequestRule['parameters']> }
  | {
      type: 'required_status_checks';
      parameters: Pick<StatusCheckRule['parameters'], 'required_status_checks'> &
        Partial<StatusCheckRule['parameters']>;
    };

/** A ruleset for the default branch, unless it says otherwise. */
export interface NewRuleset extends Partial<Pick<Ruleset, 'name' | 'include'>> {
  bypass_actors?: Omit<Ruleset['bypass_actors'][number], 'bypass_mode'>[];
  rules: NewRule[];
}

/** A short form of a ruleset for the refs that match one pattern. */
export interface RefRule {
  forbid_create?: boolean;
  forbid_update?: boolean;
  /** Checks from any source that a head must pass before it can be merged. */
  required_checks?: string[];
}

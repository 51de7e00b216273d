/** The folders of an attempt, and what else it may see. */
export interface SandboxPaths {
  readonly workspace: string;
  readonly home: string;
  readonly temp: string;
  /** For the prompt and the report. */
  readonly exchange: string;
  /** Visible but read-only: the mirror, which contains the workspace's Git directory. */
  readonly readable: readonly string[];
  /** Files and folders of the workspace to hide: the branch's own configuration of agents. */
  readonly masked?: readonly string[];
}

/** What an attempt may see and change. */
export interface Walls {
  readonly workspace: string;
  readonly home: string;
  readonly temp: string;
  /** Prompt and report are handed over here. */
  readonly exchange: string;
  /** Seen, never changed: the mirror, in which the workspace's Git directory lies. */
  readonly readable: readonly string[];
  /** Names in the workspace that are empty inside: the branch's own configuration of agents. */
  readonly masked?: readonly string[];
}

/** Identifies a run, which is one pull request. Names may change, `repository_id` does not. */
export interface RunIdentity {
  /** `owner/repo#n` */
  readonly id: string;
  readonly repository_id: number;
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  readonly branch: string;
  /** The base of the pull request, as last recorded: it can be changed. */
  readonly base: string;
  /** The head when the run started. */
  readonly head: string;
  readonly presenter: 'app' | 'action';
  readonly issue: number | null;
  /** Whether the pull request existed before the run. */
  readonly adopted: boolean;
}

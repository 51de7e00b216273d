/** The data of a repository's activity: who moved which branch, and when. */

export type ActivityType =
  | 'push'
  | 'force_push'
  | 'branch_creation'
  | 'branch_deletion'
  | 'pr_merge'
  | 'merge_queue_merge';

/** One change of a branch; forty zeros as on GitHub for a branch that did not exist before or afterwards. */
export interface Activity {
  id: number;
  repository_id: number;
  ref: string;
  before: string;
  after: string;
  timestamp: string;
  activity_type: ActivityType;
  /** Null if GitHub does not know who it was. */
  actor_id: number | null;
}

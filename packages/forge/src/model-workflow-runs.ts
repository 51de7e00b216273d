/** A run of a workflow. The forge plays none: whoever does sets them. */
export interface WorkflowRun {
  id: number;
  repository_id: number;
  /** Counts from 1; re-running a workflow keeps its id. */
  run_attempt: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: 'success' | 'failure' | 'cancelled' | null;
  /** What it was triggered by, such as `issue_comment`. */
  event: string;
  /** Such as `.github/workflows/ci.yml`. */
  path: string;
  head_sha: string;
  created_at: string;
  updated_at: string;
}

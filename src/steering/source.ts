/** Where a command came from; approvals are read there again just before finishing. */
export type Source = Readonly<
  | { from: 'comment'; comment_id: number; text_sha256: string; written_at: string }
  | { from: 'review'; review_id: number; commit_id: string; text_sha256: string }
  | { from: 'click'; check_run_id: number; head_sha: string; interaction: string }
  | { from: 'dispatch'; workflow_run_id: number }
>;

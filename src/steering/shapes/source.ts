/** What of ours people can say something through, in place of GitHub's own website. */
export const doors = ['page', 'api'] as const;
export type Door = (typeof doors)[number];

/**
 * Where a command came from; approvals are read there again just before finishing. `door` is proved by its
 * seal; absent in ledgers of older versions.
 */
export type Source = Readonly<
  | { from: 'comment'; comment_id: number; text_sha256: string; written_at: string; door?: Door }
  | { from: 'review'; review_id: number; commit_id: string; text_sha256: string }
  | { from: 'click'; check_run_id: number; head_sha: string; interaction: string }
  | { from: 'dispatch'; workflow_run_id: number }
>;

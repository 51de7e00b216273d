/** Where a command came from; approvals are read there again just before finishing. */
export type Source =
  | {
      readonly from: 'comment';
      readonly comment_id: number;
      readonly text_sha256: string;
      readonly written_at: string;
    }
  | {
      readonly from: 'review';
      readonly review_id: number;
      readonly commit_id: string;
      readonly text_sha256: string;
    }
  | {
      readonly from: 'click';
      readonly check_run_id: number;
      readonly head_sha: string;
      readonly interaction: string;
    }
  | { readonly from: 'dispatch'; readonly workflow_run_id: number };

/** The data of issue events. */

/** The types of issue events, with GitHub's names and the properties that each type adds. */
export type IssueEventDetails =
  | { event: 'labeled' | 'unlabeled'; label: { name: string; color: string } }
  | { event: 'renamed'; rename: { from: string; to: string } }
  | { event: 'closed' | 'reopened'; state_reason: string | null }
  | { event: 'merged'; commit_id: string }
  | { event: 'head_ref_force_pushed'; commit_id: string; before: string }
  | { event: 'base_ref_changed'; previous: string; current: string }
  | { event: 'auto_merge_enabled' | 'auto_squash_enabled' | 'auto_rebase_enabled' }
  | { event: 'auto_merge_disabled'; reason: string }
  | { event: 'review_requested' | 'review_request_removed'; reviewer_id: number }
  | { event: 'comment_deleted'; author_id: number }
  | { event: 'review_dismissed'; dismissed_review: DismissedReview }
  | { event: 'base_ref_deleted' | 'head_ref_deleted' | 'convert_to_draft' | 'ready_for_review' };

export type IssueEvent = IssueEventDetails & {
  id: number;
  issue_id: number;
  actor_id: number;
  created_at: string;
};

export interface DismissedReview {
  /** The state before the dismissal, in lower case. */
  state: string;
  review_id: number;
  dismissal_message: string;
}

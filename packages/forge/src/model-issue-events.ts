/** The part of the model that keeps the history of issues and pull requests. */

/** Named as in GitHub's list of issue event types, each with the properties that its type adds. */
export type IssueEventDetails =
  | { event: 'labeled' | 'unlabeled'; label: { name: string; color: string } }
  | { event: 'renamed'; rename: { from: string; to: string } }
  | { event: 'closed' | 'reopened'; state_reason: string | null }
  | { event: 'merged' | 'head_ref_force_pushed'; commit_id: string }
  | { event: 'review_requested' | 'review_request_removed'; reviewer_id: number }
  | { event: 'review_dismissed'; dismissed_review: DismissedReview }
  | { event: 'base_ref_changed' | 'head_ref_deleted' | 'convert_to_draft' | 'ready_for_review' };

export type IssueEvent = IssueEventDetails & {
  id: number;
  issue_id: number;
  actor_id: number;
  created_at: string;
};

export interface DismissedReview {
  /** As it was before, in lower case. */
  state: string;
  review_id: number;
  dismissal_message: string;
}

/** The data of issues, pull requests and their comments and reviews. */

export interface Reaction {
  id: number;
  user_id: number;
  content: string;
  created_at: string;
}

/** One version of a text. */
export interface Edit {
  body: string;
  editor_id: number;
  edited_at: string;
}

export interface AutoMerge {
  enabled_by_id: number;
  merge_method: 'merge' | 'squash' | 'rebase';
  commit_title: string | null;
  commit_message: string | null;
}

export interface Pull {
  id: number;
  head_ref: string;
  head_sha: string;
  base_ref: string;
  base_sha: string;
  draft: boolean;
  merged_at: string | null;
  merged_by_id: number | null;
  merge_commit_sha: string | null;
  requested_reviewer_ids: number[];
  /** Absent: none. */
  requested_team_ids?: number[];
  auto_merge: AutoMerge | null;
}

export interface Issue {
  id: number;
  repository_id: number;
  number: number;
  title: string;
  body: string | null;
  edits: Edit[];
  state: 'open' | 'closed';
  state_reason: 'completed' | 'not_planned' | 'reopened' | null;
  user_id: number;
  app_id: number | null;
  label_ids: number[];
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  closed_by_id: number | null;
  pull: Pull | null;
}

/** An issue that is a pull request. */
export type PullIssue = Issue & { pull: Pull };

export interface Comment {
  id: number;
  repository_id: number;
  issue_number: number;
  user_id: number;
  app_id: number | null;
  body: string;
  edits: Edit[];
  reactions: Reaction[];
  created_at: string;
  updated_at: string;
}

export interface ReviewComment {
  id: number;
  path: string;
  body: string;
  edits: Edit[];
  line: number | null;
  start_line: number | null;
  side: 'LEFT' | 'RIGHT';
  position: number | null;
  created_at: string;
}

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

export interface Review {
  id: number;
  repository_id: number;
  pull_number: number;
  user_id: number;
  body: string;
  edits: Edit[];
  state: ReviewState;
  commit_id: string;
  created_at: string;
  submitted_at: string | null;
  comments: ReviewComment[];
}

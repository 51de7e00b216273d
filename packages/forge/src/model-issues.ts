import type { Changeable, InRepository, Made } from './model-base.ts';

/** The data of issues, pull requests and their comments and reviews. */

export interface Reaction extends Made {
  user_id: number;
  content: string;
}

/** The author of a text, with the App if the author is one or wrote through it. */
export interface Author {
  user_id: number;
  app_id: number | null;
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

interface Pull {
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

export interface Issue extends Changeable, InRepository, Author {
  number: number;
  title: string;
  body: string | null;
  edits: Edit[];
  state: 'open' | 'closed';
  state_reason: 'completed' | 'not_planned' | 'reopened' | null;
  label_ids: number[];
  closed_at: string | null;
  closed_by_id: number | null;
  pull: Pull | null;
  /** The issues that block it, by their ids, in the order in which they were named. Absent: none. */
  blocked_by_ids?: number[];
  /** Only people with write access speak there; the reason may be null. Absent: everybody. */
  locked?: { reason: string | null };
}

/** An issue that is a pull request. */
export type PullIssue = Issue & { pull: Pull };

/** A pull request in the merge queue of its base. */
export interface QueueEntry extends Made, InRepository {
  issue_id: number;
  base_ref: string;
  /** The head with which it joined. */
  head_sha: string;
  enqueuer_id: number;
  jump: boolean;
}

/** What an entry comes to when it is merged onto the base and the entries before it, for checks to test. */
export interface MergeGroup extends Made, InRepository {
  entry_id: number;
  /** The full name of its branch. */
  ref: string;
  base_ref: string;
  base_sha: string;
  head_sha: string;
}

export interface Comment extends Changeable, InRepository, Author {
  issue_number: number;
  body: string;
  edits: Edit[];
  reactions: Reaction[];
}

export interface ReviewComment extends Made {
  path: string;
  body: string;
  edits: Edit[];
  line: number | null;
  start_line: number | null;
  side: 'LEFT' | 'RIGHT';
  position: number | null;
}

export interface Review extends Made, InRepository {
  pull_number: number;
  user_id: number;
  body: string;
  edits: Edit[];
  state: 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';
  commit_id: string;
  submitted_at: string | null;
  comments: ReviewComment[];
}

/** The types of issue events, with GitHub's names and the properties that each type adds. */
export type IssueEventDetails =
  | { event: 'labeled' | 'unlabeled'; label: { name: string; color: string } }
  | { event: 'renamed'; rename: { from: string; to: string } }
  /** `closer`: the number of the pull request whose merge closed it; absent if somebody did. */
  | { event: 'closed'; state_reason: string | null; closer?: number }
  | { event: 'reopened'; state_reason: string | null }
  | { event: 'merged'; commit_id: string }
  | { event: 'head_ref_force_pushed'; commit_id: string; before: string }
  | { event: 'base_ref_changed'; previous: string; current: string }
  | { event: 'auto_merge_enabled' | 'auto_squash_enabled' | 'auto_rebase_enabled' }
  | { event: 'auto_merge_disabled'; reason: string }
  | { event: 'added_to_merge_queue' }
  /** `reason` is as in GraphQL; `before` is the head of the pull request. */
  | { event: 'removed_from_merge_queue'; reason: string; before: string }
  | ({ event: 'review_requested' | 'review_request_removed' } & (
      | { reviewer_id: number }
      | { team_id: number }
    ))
  | { event: 'comment_deleted'; author_id: number }
  /** `state` is the one before the dismissal, in lower case. */
  | {
      event: 'review_dismissed';
      dismissed_review: { state: string; review_id: number; dismissal_message: string };
    }
  | { event: 'base_ref_deleted' | 'head_ref_deleted' | 'convert_to_draft' | 'ready_for_review' };

export type IssueEvent = IssueEventDetails & Made & { issue_id: number; actor_id: number };

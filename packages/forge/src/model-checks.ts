/** The data of check suites and check runs. */
export interface CheckSuite {
  id: number;
  repository_id: number;
  app_id: number;
  head_sha: string;
  head_branch: string | null;
  before: string | null;
  after: string | null;
  created_at: string;
  updated_at: string;
}

export interface Annotation {
  path: string;
  start_line: number;
  end_line: number;
  start_column: number | null;
  end_column: number | null;
  annotation_level: string;
  message: string;
  title: string | null;
  raw_details: string | null;
}

export interface CheckAction {
  label: string;
  description: string;
  identifier: string;
}

export type CheckStatus = 'queued' | 'in_progress' | 'completed';

export interface CheckRun {
  id: number;
  repository_id: number;
  suite_id: number;
  app_id: number;
  name: string;
  head_sha: string;
  status: CheckStatus;
  conclusion: string | null;
  started_at: string;
  completed_at: string | null;
  details_url: string | null;
  external_id: string;
  output: { title: string | null; summary: string | null; text: string | null };
  annotations: Annotation[];
  actions: CheckAction[];
}

/** The data of commit statuses, which anybody with write access may set under any name. */
export interface CommitStatus {
  id: number;
  repository_id: number;
  sha: string;
  state: 'error' | 'failure' | 'pending' | 'success';
  context: string;
  description: string | null;
  target_url: string | null;
  creator_id: number;
  /** The App whose installation set it; null for a person. */
  app_id: number | null;
  created_at: string;
}

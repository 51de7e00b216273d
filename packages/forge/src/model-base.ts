/** What the data of most things begins with. */

export interface Made {
  id: number;
  created_at: string;
}

export interface Changeable extends Made {
  updated_at: string;
}

export interface InRepository {
  repository_id: number;
}

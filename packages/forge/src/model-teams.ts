/** A team of an organization. Members of a child team are members of its parents. */
export interface Team {
  id: number;
  organization_id: number;
  name: string;
  slug: string;
  parent_id: number | null;
  member_ids: number[];
  /** Where reviews can be requested from the team. */
  repository_ids: number[];
  created_at: string;
}

/** A key with which a machine reads, or also pushes to, one repository by SSH. */
export interface DeployKey {
  id: number;
  title: string;
  key: string;
  read_only: boolean;
  added_by_id: number;
  created_at: string;
}

/** Who was answered when, ISO 8601. */
export interface Answered {
  readonly login: string;
  /** Absent if an older version recorded it. */
  readonly id?: number;
  readonly at: string;
}

/** What a human wants done. Each task becomes one run. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptance_criteria: readonly string[];
  /** `owner/repo` */
  readonly repository: string;
  readonly base: string;
  readonly component: string;
  readonly kind: 'plan' | 'build' | 'test';
  readonly worker_profile: string;
  readonly depends_on: readonly string[];
}

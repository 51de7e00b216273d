/** Why the run stopped for a human. */
export interface Interrupt {
  /**
   * `budget_exceeded`: the run has used up what it may spend on models, or an attempt its tool calls.
   * `agent_unusable`: the agent cannot work here, or its model's key is missing or refused.
   * `red_before`: what fails, fails on the base without the change, too.
   * `conflict`: the head cannot be merged with the base, which the verifiers were to see.
   * `manual_interrupt`: a person wanted it.
   */
  readonly type:
    | 'task_exceeded_retries'
    | 'zero_confidence'
    | 'budget_exceeded'
    | 'agent_unusable'
    | 'red_before'
    | 'conflict'
    | 'manual_interrupt';
  readonly retry_count: number;
  readonly failure_reason: string;
  /** Who wanted it; absent if no person did. */
  readonly by?: string;
}

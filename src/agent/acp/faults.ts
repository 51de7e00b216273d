import type { Failure } from '../../steering/shapes/attempt-result.ts';

/** The agent cannot go on, or we cannot go on with it. */
export class AgentFault extends Error {
  override name = 'AgentFault';
  readonly failure: Failure;

  constructor(kind: Failure['kind'], message: string) {
    super(message);
    this.failure = { kind, message };
  }
}

/** Its process has ended; how says why. */
export class AgentGone extends Error {
  override name = 'AgentGone';
}

/** How confident the system is in a commit. */
export interface Confidence {
  /** 0..1, six decimals. */
  readonly score: number;
  readonly band: Band;
  /** No verifier ran: the score is capped, and nothing proceeds automatically. */
  readonly unverified: boolean;
  readonly components: readonly Component[];
  /** The caps that lowered the score, as text. */
  readonly caps: readonly string[];
  /** The version of the formula, so that only comparable scores are compared. */
  readonly formula: 'coxswain-1';
}

export type Band = 'high' | 'medium' | 'low' | 'zero';

export interface Component {
  readonly name: 'verifiers' | 'reviewer' | 'no_retries' | 'not_destructive' | 'tool_calls';
  readonly weight: number;
  /** 0..1 */
  readonly value: number;
  readonly evidence: string;
}

export type Decision = 'proceed' | 'wait' | 'wait_with_timeout' | 'abort';

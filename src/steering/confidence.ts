/** How sure the system is of a commit (REQUIREMENTS L-1 … L-9). */
export interface Confidence {
  /** 0..1, six decimals. */
  readonly score: number;
  readonly band: Band;
  /** No verifier spoke: capped, and nothing proceeds by itself. */
  readonly unverified: boolean;
  readonly components: readonly Component[];
  /** Bounds that lowered the score, in words. */
  readonly caps: readonly string[];
  /** Names the formula, so that old scores stay comparable. */
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

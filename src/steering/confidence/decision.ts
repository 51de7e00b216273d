import type { ApprovalMode } from '../settings.ts';
import type { Confidence } from './score.ts';

export type Decision = 'proceed' | 'wait' | 'wait_with_timeout' | 'abort';

export interface DecisionInputs {
  readonly confidence: Pick<Confidence, 'score' | 'band' | 'unverified'>;
  readonly gated: boolean;
  readonly mode: ApprovalMode;
  readonly threshold: number;
}

/** What to do with a commit whose required verifiers passed; failures are handled before this. */
export function decisionOf({ confidence, gated, mode, threshold }: DecisionInputs): Decision {
  if (confidence.band === 'zero') return 'abort';
  if (gated || confidence.unverified || mode === 'manual') return 'wait';
  if (mode === 'confidence_threshold') return confidence.score >= threshold ? 'proceed' : 'wait';
  if (confidence.band === 'high') return 'proceed';
  return confidence.band === 'medium' ? 'wait_with_timeout' : 'wait';
}

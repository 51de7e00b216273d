import { failedRequired } from '../../steering/confidence/evaluation.ts';
import { leavesTimeForBaseline } from '../../steering/confidence/trial-time.ts';
import { type Baseline, isRed, type Proof } from '../../steering/shapes/proof.ts';
import type { VerifierResult } from '../attempt/verifiers.ts';
import { baselineOf } from './baseline.ts';
import type { Compared } from './compared.ts';
import { prove } from './prove.ts';
import type { TrialWatching } from './trial.ts';
import type { Verifying } from './verifier-run.ts';

/** What is found out about a change once its verifiers have ended. */
export interface Beyond {
  readonly proof?: Proof;
  readonly baseline?: Baseline;
}

/**
 * A change on which a required verifier fails is compared with the base, which is as red perhaps; nobody
 * waits for a proof of it. One that passes is proven, where the settings say so, and compared with the base
 * only where its tests look as if they had been made to fit.
 */
export async function lookBeyond(
  compared: Compared,
  verifying: Verifying,
  watching: TrialWatching & { readonly results: readonly VerifierResult[] },
): Promise<Beyond | 'cancelled'> {
  const { results, tookMs } = watching;
  const { settings } = verifying.assignment.state;
  if (results.length === 0) return {};
  if (failedRequired(results.map(({ full }) => full)).length > 0) {
    const baseline = await baselineOf(compared, verifying, watching);
    return baseline === 'cancelled' ? baseline : { baseline };
  }
  if (settings.proof !== 'on') return {};
  const began = performance.now();
  const proof = await prove(compared, verifying, watching);
  if (proof === 'cancelled') return proof;
  if (!suspectsTests(proof) || !leavesTimeForBaseline(settings, tookMs, performance.now() - began))
    return { proof };
  const baseline = await baselineOf(compared, verifying, watching);
  return baseline === 'cancelled' ? baseline : { proof, baseline };
}

/** Whether the tests look as if made to fit; if the old ones were red without the change, they were not. */
function suspectsTests({ old_tests, without_change }: Proof): boolean {
  return isRed(old_tests) && without_change.outcome === 'ran' && !isRed(without_change);
}

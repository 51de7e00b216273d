import { failedRequired } from '../../steering/confidence/evaluation.ts';
import type { Baseline, Proof } from '../../steering/confidence/proof.ts';
import type { VerifierResult } from '../verifiers.ts';
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
 * waits for a proof of it. One that passes is proven, where the settings say so.
 */
export async function lookBeyond(
  compared: Compared,
  verifying: Verifying,
  watching: TrialWatching & { readonly results: readonly VerifierResult[] },
): Promise<Beyond | 'cancelled'> {
  const { results } = watching;
  if (results.length === 0) return {};
  if (failedRequired(results.map(({ full }) => full)).length > 0) {
    const baseline = await baselineOf(compared, verifying, watching);
    return baseline === 'cancelled' ? baseline : { baseline };
  }
  if (verifying.assignment.state.settings.proof !== 'on') return {};
  const proof = await prove(compared, verifying, watching);
  return proof === 'cancelled' ? proof : { proof };
}

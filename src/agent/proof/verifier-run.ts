import type { Failure, Observations } from '../../steering/attempt-result.ts';
import type { Trial, VerifierProgress } from '../../steering/progress.ts';
import type { Assignment, AttemptResources } from '../assignment.ts';
import { observationsOf } from '../findings.ts';
import type { SandboxContext } from '../sandboxed-run.ts';
import { setUp } from '../setup.ts';
import { progressOf, runVerifiers, type VerifierResult } from '../verifiers.ts';

/** What the verifiers are run for, and with. */
export interface Verifying {
  readonly assignment: Assignment;
  readonly resources: AttemptResources;
}

/** Who waits for the verifiers. */
export interface Watching {
  readonly signal: AbortSignal;
  /** `trial` is set while they run for what decides nothing by itself. */
  readonly onProgress?: (verifiers: readonly VerifierProgress[], trial?: Trial) => void;
}

export type VerifierRun =
  | {
      readonly kind: 'ran';
      readonly results: readonly VerifierResult[];
      readonly met: Observations;
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly met?: Observations }
  | { readonly kind: 'cancelled' };

/** Sets a workspace up and runs the verifiers there, in order. */
export async function verifyIn(
  context: SandboxContext,
  { assignment, resources }: Verifying,
  { signal, onProgress = () => undefined }: Watching,
): Promise<VerifierRun> {
  const { run, settings } = assignment.state;
  onProgress(progressOf(settings.verifiers, []));
  const ready = await setUp(context, settings.setup, { timeoutMs: settings.limits.minutes * 60_000, signal });
  const met = () => observationsOf(context.network, settings, resources.secrets);
  if (ready.kind === 'cancelled') return ready;
  if (ready.kind === 'failed') return { ...ready, met: met() };
  const { verifiers } = settings;
  const verification = { repository: run.repo, verifiers, secrets: resources.secrets, onProgress };
  const results = await runVerifiers(context, verification, signal);
  return results === undefined ? { kind: 'cancelled' } : { kind: 'ran', results, met: met() };
}

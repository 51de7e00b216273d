import picomatch from 'picomatch';
import type { Trial, VerifierProgress } from '../../steering/shapes/agent-progress.ts';
import type { Failure, Observations } from '../../steering/shapes/attempt-result.ts';
import { redactAll } from '../../text/redact.ts';
import { observationsOf } from '../attempt/attempt-limits.ts';
import { StartingState, TooLargeToKeep } from '../attempt/starting-state.ts';
import { isBare, type VerifierResult, VerifierRuns } from '../attempt/verifier-runs.ts';
import { setUp } from '../attempt/workspace.ts';
import type { Assignment, AttemptResources } from '../port/assignment.ts';
import type { SandboxContext } from '../port/sandboxed-run.ts';

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

/**
 * Runs the verifiers in a workspace: those without set-up, then set-up, then the others, in order. Files of
 * the commit that set-up has changed are put back before, unless the configuration says that it may.
 */
export async function verifyIn(
  context: SandboxContext,
  { assignment, resources }: Verifying,
  { signal, onProgress = () => undefined }: Watching,
): Promise<VerifierRun> {
  const { run, settings } = assignment.state;
  const { verifiers, setup, limits, flaky: { reruns } = { reruns: 0 } } = settings;
  const verification = { repository: run.repo, verifiers, secrets: resources.secrets, reruns, onProgress };
  const runs = new VerifierRuns(context, verification, signal);
  const met = (): Observations => observationsOf(context.network, settings, resources.secrets);
  const mayChange = picomatch([...(settings.setup_changes ?? [])], { dot: true });
  try {
    const needed = setup.length > 0 || verifiers.some(isBare) || (reruns > 0 && !runs.areSeveral);
    const bare = needed ? await StartingState.keep(context, signal) : undefined;
    if (bare !== undefined && !(await runs.runBare(bare))) return { kind: 'cancelled' };
    const began = performance.now();
    const timeMs = limits.minutes * 60_000;
    const ready = await setUp(context, setup, { timeoutMs: timeMs, signal, reruns });
    if (ready.kind === 'cancelled') return ready;
    if (ready.kind === 'failed') return { ...ready, met: met() };
    const tookMs = performance.now() - began;
    let leftMs = timeMs - tookMs;
    const putBack = await bare?.restoreFiles(mayChange);
    // Where nothing is kept that set-up has made, it is made once more.
    const setUpAgain = async () => {
      if (bare === undefined || leftMs < tookMs) return false;
      await bare.restore();
      const anew = performance.now();
      const again = await setUp(context, setup, { timeoutMs: leftMs, signal, reruns: 0 });
      leftMs -= performance.now() - anew;
      if (again.kind === 'ready') await bare.restoreFiles(mayChange);
      return again.kind === 'ready';
    };
    if (!(await runs.runOthers(setUpAgain))) return { kind: 'cancelled' };
    const notices = [...ready.notices, ...putBackNotices(redactAll(putBack ?? [], resources.secrets))];
    return {
      kind: 'ran',
      results: runs.results,
      met: withNotices(met(), redactAll(notices, resources.secrets)),
    };
  } catch (fault) {
    if (!(fault instanceof TooLargeToKeep)) throw fault;
    return { kind: 'failed', failure: { kind: 'resources', message: tooLarge }, met: met() };
  }
}

const tooLarge =
  'there is no room to keep what set-up made for each verifier: it is more than half of the free disk';
const maxNamed = 5;

function putBackNotices(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, maxNamed).join(', ');
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  return [
    `set-up changed files of the commit, which were put back before the verifiers ran: ${named}${more}; ` +
      'if the verifiers need them changed, list them under `setup_changes`',
  ];
}

function withNotices(met: Observations, added: readonly string[]): Observations {
  return added.length === 0 ? met : { ...met, notices: [...(met.notices ?? []), ...added] };
}

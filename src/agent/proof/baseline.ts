import { createHash } from 'node:crypto';
import { treesOf } from '../../git/objects.ts';
import { type Baseline, type ProofRun, trialTime } from '../../steering/shapes/proof.ts';
import type { Compared } from '../attempt/commits.ts';
import type { VerifierResult } from '../attempt/verifier-runs.ts';
import { resultOf, skipped, steered, type TrialWatching, tryOut } from './prove.ts';
import type { Verifying } from './verify-in.ts';

/**
 * What the verifiers say of the base without the change. Each base is looked at once, as long as it is
 * remembered: in the state of the run, and where there are `baselines` for all runs.
 */
export async function baselineOf(
  compared: Compared,
  verifying: Verifying,
  watching: TrialWatching & { readonly results: readonly VerifierResult[] },
): Promise<Baseline | 'cancelled'> {
  const { base } = compared;
  const run =
    rememberedIn(verifying, base) ??
    (await unchanged(compared, verifying, watching.results)) ??
    (await shared(base, verifying, watching));
  return run === 'cancelled' ? run : { base, run };
}

function rememberedIn({ assignment }: Verifying, base: string): ProofRun | undefined {
  const { baseline } = assignment.state;
  return baseline?.base === base && baseline.run.outcome === 'ran' ? baseline.run : undefined;
}

/** A change that changes nothing was just verified as the base. */
async function unchanged(
  { base, subject }: Compared,
  { resources }: Verifying,
  results: readonly VerifierResult[],
): Promise<ProofRun | undefined> {
  const { mirror } = resources;
  const [before, after] = await mirror.reading(() => treesOf(mirror.dir, [base, subject]));
  if (before === undefined || before !== after) return undefined;
  return { outcome: 'ran', verifiers: results.map(resultOf), duration_s: 0 };
}

async function shared(
  base: string,
  verifying: Verifying,
  watching: TrialWatching,
): Promise<ProofRun | 'cancelled'> {
  const { baselines } = verifying.resources;
  const run = () => tryOut({ commit: base, trial: 'baseline' }, verifying, watching);
  if (baselines === undefined) return run();
  const key = keyOf(base, verifying);
  const waiting = new Waiting(watching, trialTime(verifying.assignment.state.settings, watching.tookMs));
  const running = baselines.exclusively(key, async () => {
    // Whoever has waited may find that nobody wants it any more, or that it is done.
    if (waiting.isOver) return waiting.result;
    const known = await baselines.read(key);
    if (known !== undefined) return known;
    waiting.end();
    const made = await run();
    // What cannot be remembered, for the disk may be full, is looked at again.
    if (made !== 'cancelled' && made.outcome === 'ran' && isOfTheCode(made))
      await baselines.write(key, made).catch(() => undefined);
    return made;
  });
  return Promise.race([running, waiting.over]);
}

/** A command that ran out of time may say more of a busy machine than of the code. */
function isOfTheCode({ verifiers }: Extract<ProofRun, { outcome: 'ran' }>): boolean {
  return !verifiers.some(({ timed_out }) => timed_out);
}

/** Two runs can wait for the same base: not for longer than they would need themselves, or are wanted. */
class Waiting {
  readonly over: Promise<ProofRun | 'cancelled'>;
  readonly #watching: TrialWatching;
  readonly #stop: AbortSignal;
  #end: (() => void) | undefined;

  constructor(watching: TrialWatching, timeMs = 0) {
    const { signal, enough } = watching;
    this.#watching = watching;
    this.#stop = AbortSignal.any([signal, AbortSignal.timeout(timeMs), ...(enough ? [enough] : [])]);
    this.over = new Promise((resolve) => {
      const onStop = () => resolve(this.result);
      this.#stop.addEventListener('abort', onStop, { once: true });
      this.#end = () => this.#stop.removeEventListener('abort', onStop);
      if (this.#stop.aborted) onStop();
    });
  }

  get isOver(): boolean {
    return this.#stop.aborted;
  }

  get result(): ProofRun | 'cancelled' {
    const { signal, enough } = this.#watching;
    if (signal.aborted) return 'cancelled';
    return enough?.aborted ? steered : skipped('it took too long');
  }

  /** It is our turn: what we run then ends by itself, and is waited for until it is gone. */
  end(): void {
    this.#end?.();
  }
}

/**
 * Everything that decides what the verifiers say, as far as it is known, in letters and digits; `commit` may
 * be the tree of one.
 */
export function keyOf(commit: string, { assignment, resources }: Verifying): string {
  const { run, settings } = assignment.state;
  const { setup, verifiers, limits, network, registries = [], flaky } = settings;
  const commands = verifiers.map(({ name, run: line, timeout_s }) => [name, line, timeout_s]);
  const shape = [network, registries, limits.minutes, flaky, resources.sandbox.kind];
  const parts = [run.owner, run.repo, commit, setup, commands, shape];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

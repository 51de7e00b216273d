import { constants } from 'node:os';
import { failedRun, withFailedRuns } from '../../steering/confidence/verifier-results.ts';
import type { VerifierProgress } from '../../steering/shapes/agent-progress.ts';
import type { TestReport, VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import type { VerifierSpec } from '../../steering/shapes/settings.ts';
import { endingOf, shortened } from '../../text/characters.ts';
import { redact } from '../../text/redact.ts';
import { mayPassAgain, notRunnable, runShell, type SandboxContext, seenBy } from '../port/sandboxed-run.ts';
import type { ProcessResult } from '../process/child.ts';
import { timeIn } from '../test-reports/find-reports.ts';
import { testsOf } from '../test-reports/tests-of.ts';
import { StartingState } from './starting-state.ts';

interface Verification {
  readonly repository: string;
  readonly verifiers: readonly VerifierSpec[];
  readonly secrets: readonly string[];
  /** How often a required one that failed is run once more, within its time. */
  readonly reruns: number;
  /** Called before each of them begins, and after the last has ended. */
  readonly onProgress: (verifiers: readonly VerifierProgress[]) => void;
}

/** A verifier's result: complete for the ledger, and with only the end of its output for people. */
export interface VerifierResult {
  readonly excerpt: VerifierOutput;
  readonly full: VerifierOutput;
}

/** Puts everything back to what the verifiers begin from; false if that cannot be done. */
type PutBack = () => Promise<boolean>;

/**
 * Runs the verifiers of an attempt, some of them before its set-up and the others after it. A required one
 * that fails is run once more, from the same state and in what is left of its time: what it says last counts.
 */
export class VerifierRuns {
  readonly #ended = new Map<string, Ended>();
  readonly #verification: Verification;
  readonly #context: SandboxContext;
  readonly #signal: AbortSignal;
  readonly #others: readonly VerifierSpec[];

  constructor(context: SandboxContext, verification: Verification, signal: AbortSignal) {
    this.#context = context;
    this.#verification = verification;
    this.#signal = signal;
    this.#others = verification.verifiers.filter((spec) => !isBare(spec));
    this.#tell();
  }

  /** Whether several begin from the state after set-up, which is then kept. */
  get areSeveral(): boolean {
    return this.#others.slice(1).some(({ after }) => after === undefined);
  }

  /** Runs those that need no set-up, and leaves `state`, which they begin from. False when cancelled. */
  async runBare(state: StartingState): Promise<boolean> {
    for (const spec of this.#verification.verifiers.filter(isBare)) {
      if (!(await this.#run(spec))) return false;
      await state.restore();
      for (let round = 0; round < this.#verification.reruns && this.#mayPass([spec]); round++) {
        if (!(await this.#runAgain([spec]))) return false;
        await state.restore();
      }
    }
    return true;
  }

  /**
   * Runs the others, each from the same state unless it goes on from the one before. `putBack` is for those
   * that are run once more where that state is not kept. False when cancelled. Throws `TooLargeToKeep`.
   */
  async runOthers(putBack: PutBack): Promise<boolean> {
    const state = this.areSeveral ? await StartingState.keep(this.#context, this.#signal) : undefined;
    for (const [index, spec] of this.#others.entries()) {
      if (index > 0 && spec.after === undefined) await state?.restore();
      if (!(await this.#run(spec))) return false;
    }
    const done = await this.#runFailedAgain(
      state === undefined ? putBack : () => state.restore().then(() => true),
    );
    this.#tell();
    return done;
  }

  /** Those that go on from each other are run together, up to the last that failed. */
  async #runFailedAgain(putBack: PutBack): Promise<boolean> {
    for (let round = 0; round < this.#verification.reruns; round++) {
      for (const chain of chainsOf(this.#others)) {
        const specs = chain.slice(0, chain.findLastIndex((spec) => this.#isDue(spec)) + 1);
        if (!this.#mayPass(specs)) continue;
        const isBack = await putBack();
        if (this.#signal.aborted) return false;
        if (!isBack) return true;
        if (!(await this.#runAgain(specs))) return false;
      }
    }
    return true;
  }

  /** Whether one of them is due, and each has as much time left as it took. */
  #mayPass(specs: readonly VerifierSpec[]): boolean {
    const hasTime = ({ name }: VerifierSpec) => {
      const { leftMs = 0, tookMs = 0 } = this.#ended.get(name) ?? {};
      return leftMs >= tookMs;
    };
    return specs.some((spec) => this.#isDue(spec)) && specs.every(hasTime);
  }

  #isDue({ name, required }: VerifierSpec): boolean {
    return required && this.#ended.get(name)?.mayPass === true;
  }

  /** False when cancelled. What did not end in time says nothing, nor does what would go on from it. */
  async #runAgain(specs: readonly VerifierSpec[]): Promise<boolean> {
    for (const spec of specs) {
      const before = this.#ended.get(spec.name);
      const now = await this.#execute(spec);
      if (now === 'cancelled') return false;
      if (before === undefined || now.result.full.timed_out) return true;
      const { leftMs, tookMs } = now;
      if (this.#isDue(spec)) this.#ended.set(spec.name, afterFailure(now, before));
      else if (now.result.full.success) this.#ended.set(spec.name, { ...before, leftMs, tookMs });
      else {
        this.#ended.set(spec.name, { ...afterFailure(before, now), leftMs, tookMs });
        return true;
      }
    }
    return true;
  }

  async #run(spec: VerifierSpec): Promise<boolean> {
    const ended = await this.#execute(spec);
    if (ended !== 'cancelled') this.#ended.set(spec.name, ended);
    return ended !== 'cancelled';
  }

  async #execute(spec: VerifierSpec): Promise<Ended | 'cancelled'> {
    this.#tell(spec);
    const timeoutMs = this.#ended.get(spec.name)?.leftMs ?? spec.timeout_s * 1000;
    const limits = { timeoutMs, signal: this.#signal };
    const { root, workspace } = this.#context;
    const since = await timeIn(root);
    const result = await runShell(this.#context, spec.run, { ...limits, use: 'verifiers' });
    if (result.end === 'cancelled') return 'cancelled';
    const success = result.end === 'exited' && result.exitCode === 0;
    const tests = await testsOf({
      success,
      ...{ workspace, seenAs: seenBy(this.#context).workspace, since, globs: spec.report },
      secrets: this.#verification.secrets,
      // The closing lines of some of several packages would be taken for those of all.
      output: result.cut ? '' : `${result.stdout}\n${result.stderr}`,
    });
    return {
      result: resultOf(spec, { ...result, success, tests }, this.#verification),
      mayPass: mayPassAgain(result),
      leftMs: timeoutMs - result.durationMs,
      tookMs: result.durationMs,
    };
  }

  /** Those that have ended, in the order in which the configuration names them. */
  get results(): readonly VerifierResult[] {
    return this.#verification.verifiers.flatMap(({ name }) => this.#ended.get(name)?.result ?? []);
  }

  #tell(begun?: VerifierSpec): void {
    const since = new Date().toISOString();
    const progress = this.#verification.verifiers.map((spec) => {
      const { name, required } = spec;
      const ended = this.#ended.get(name)?.result.excerpt;
      if (ended === undefined) return { name, required, ...(spec === begun && { since }) };
      if (spec === begun) return { name, required, since, again: true as const };
      return { name, required, result: { success: ended.success, duration_s: ended.duration_s } };
    });
    this.#verification.onProgress(progress);
  }
}

/** How a verifier has ended. */
interface Ended {
  readonly result: VerifierResult;
  /** It failed, and another run of it could pass. */
  readonly mayPass: boolean;
  /** What is left of its time for other runs. */
  readonly leftMs: number;
  readonly tookMs: number;
}

/** Verifiers that go on from each other, together and in their order. */
function chainsOf(specs: readonly VerifierSpec[]): readonly (readonly VerifierSpec[])[] {
  const begins = specs.flatMap(({ after }, index) => (after === undefined || index === 0 ? [index] : []));
  return begins.map((begin, nth) => specs.slice(begin, begins[nth + 1]));
}

/** The one that counts, with the other among its runs that failed, which the ledger has in full. */
function afterFailure(counting: Ended, { result: failed }: Ended): Ended {
  const run = failedRun(failed.excerpt);
  const { stdout, stderr } = failed.full;
  const whole = { ...run, ...{ stdout, stderr } };
  const { full, excerpt } = counting.result;
  const result = {
    full: withFailedRuns(full, [...(failed.full.failed_runs ?? []), whole]),
    excerpt: withFailedRuns(excerpt, [...(failed.excerpt.failed_runs ?? []), run]),
  };
  return { ...counting, result };
}

export function isBare({ setup }: VerifierSpec): boolean {
  return setup === false;
}

const maxShownLength = 10_000;
/** The state, which is read and written with each event, lists only the first failures. */
const listedFailures = 20;
const maxListedMessage = 300;
const maxOtherMessage = 80;

function resultOf(
  spec: VerifierSpec,
  {
    success,
    tests,
    ...result
  }: ProcessResult & { readonly success: boolean; readonly tests: TestReport | undefined },
  { repository, secrets }: Verification,
): VerifierResult {
  const stdout = redact(result.stdout, secrets);
  const stderr = redact(withProblem(result), secrets);
  const full: VerifierOutput = {
    verifier: `${repository}:${spec.name}`,
    name: spec.name,
    required: spec.required,
    exit_code: exitCodeOf(result),
    stdout,
    stderr,
    success,
    duration_s: Math.round(result.durationMs / 100) / 10,
    timed_out: result.end === 'timed_out',
    truncated: result.cut,
    ...(tests !== undefined && { tests }),
  };
  const truncated = result.cut || stdout.length > maxShownLength || stderr.length > maxShownLength;
  const excerpt = { ...full, stdout: endOf(stdout), stderr: endOf(stderr), truncated };
  if (tests === undefined) return { full, excerpt };
  const failures = tests.failures.map((each, index) => {
    const most = index < listedFailures ? maxListedMessage : maxOtherMessage;
    return { ...each, message: shortened(each.message, most) };
  });
  return { full, excerpt: { ...excerpt, tests: { ...tests, failures } } };
}

const signals: ReadonlyMap<string, number> = new Map(Object.entries(constants.signals));

/** That of shells for what a signal has killed, in a sandbox or not; -1 for what says nothing of it. */
function exitCodeOf(result: ProcessResult): number {
  if (result.end === 'signalled') return 128 + (signals.get(result.signal) ?? 0);
  if (result.end !== 'exited') return -1;
  return notRunnable.includes(result.exitCode) ? -1 : result.exitCode;
}

function withProblem(result: ProcessResult): string {
  if (result.end === 'not_started') return `could not start: ${result.message}`;
  if (result.end === 'exceeded') return `${result.stderr}\nstopped: it used ${result.what}`.trim();
  if (result.end === 'signalled') return `${result.stderr}\nkilled by ${result.signal}`.trim();
  return result.stderr;
}

function endOf(text: string): string {
  return text.length > maxShownLength ? `[truncated]\n${endingOf(text, maxShownLength)}` : text;
}

import type { TestReport, VerifierOutput } from '../steering/attempt-result.ts';
import type { VerifierProgress } from '../steering/progress.ts';
import type { VerifierSpec } from '../steering/settings.ts';
import { endingOf, shortened } from '../text/cut.ts';
import { redact } from '../text/redact.ts';
import type { ProcessResult } from './process/child.ts';
import { runShell, type SandboxContext, seenBy } from './sandboxed-run.ts';
import { StartingState } from './starting-state.ts';
import { timeIn } from './test-reports/find-reports.ts';
import { testsOf } from './test-reports/tests-of.ts';

interface Verification {
  readonly repository: string;
  readonly verifiers: readonly VerifierSpec[];
  readonly secrets: readonly string[];
  /** Told before each of them, and after the last. */
  readonly onProgress: (verifiers: readonly VerifierProgress[]) => void;
}

/** A verifier's result: complete for the ledger, and with only the end of its output for people. */
export interface VerifierResult {
  readonly excerpt: VerifierOutput;
  readonly full: VerifierOutput;
}

/** Runs the verifiers of an attempt, some of them before its set-up and the others after it. */
export class VerifierRuns {
  readonly #ended = new Map<string, VerifierResult>();
  readonly #verification: Verification;
  readonly #context: SandboxContext;
  readonly #signal: AbortSignal;

  constructor(context: SandboxContext, verification: Verification, signal: AbortSignal) {
    this.#context = context;
    this.#verification = verification;
    this.#signal = signal;
    this.#tell();
  }

  /** Runs those that need no set-up, and leaves `state`, which they begin from. False when cancelled. */
  async runBare(state: StartingState): Promise<boolean> {
    for (const spec of this.#verification.verifiers.filter(isBare)) {
      if (!(await this.#run(spec))) return false;
      await state.restore();
    }
    return true;
  }

  /**
   * Runs the others, each from the same state unless it goes on from the one before. False when cancelled.
   * Throws `TooLargeToKeep`.
   */
  async runOthers(): Promise<boolean> {
    const others = this.#verification.verifiers.filter((spec) => !isBare(spec));
    const several = others.slice(1).some(({ after }) => after === undefined);
    const state = several ? await StartingState.keep(this.#context, this.#signal) : undefined;
    for (const [index, spec] of others.entries()) {
      if (index > 0 && spec.after === undefined) await state?.restore();
      if (!(await this.#run(spec))) return false;
    }
    this.#tell();
    return true;
  }

  async #run(spec: VerifierSpec): Promise<boolean> {
    this.#tell(spec);
    const timeoutMs = spec.timeout_s * 1000;
    const limits = { timeoutMs, signal: this.#signal };
    const { root, workspace } = this.#context;
    const since = await timeIn(root);
    const result = await runShell(this.#context, spec.run, { ...limits, use: 'verifiers' });
    if (result.end === 'cancelled') return false;
    const success = result.end === 'exited' && result.exitCode === 0;
    const tests = await testsOf({
      success,
      ...{ workspace, seenAs: seenBy(this.#context).workspace, since, globs: spec.report },
      secrets: this.#verification.secrets,
      // The closing lines of some of several packages would be taken for those of all.
      output: result.cut ? '' : `${result.stdout}\n${result.stderr}`,
    });
    this.#ended.set(spec.name, resultOf(spec, { ...result, success, tests }, this.#verification));
    return true;
  }

  /** In the order of the configuration. */
  get results(): readonly VerifierResult[] {
    return this.#verification.verifiers.flatMap(({ name }) => this.#ended.get(name) ?? []);
  }

  #tell(begun?: VerifierSpec): void {
    const since = new Date().toISOString();
    const progress = this.#verification.verifiers.map((spec) => {
      const { name, required } = spec;
      const ended = this.#ended.get(name)?.excerpt;
      if (ended === undefined) return { name, required, ...(spec === begun && { since }) };
      return { name, required, result: { success: ended.success, duration_s: ended.duration_s } };
    });
    this.#verification.onProgress(progress);
  }
}

export function isBare({ setup }: VerifierSpec): boolean {
  return setup === false;
}

const maxShownLength = 10_000;
/** Of what is kept in the state, which is read and written with each event: only the first are listed. */
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

/** In POSIX shells, 126 means that a command cannot be run, and 127 that it does not exist. */
const notRunnable = [126, 127];

/** -1 when there is no exit code: the command could not start or was killed. */
function exitCodeOf(result: ProcessResult): number {
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

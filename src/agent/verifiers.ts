import type { VerifierOutput } from '../steering/attempt-result.ts';
import type { VerifierProgress } from '../steering/progress.ts';
import type { VerifierSpec } from '../steering/settings.ts';
import { endingOf } from '../text/cut.ts';
import { redact } from '../text/redact.ts';
import type { ProcessResult } from './process/child.ts';
import { runShell, type SandboxContext } from './sandboxed-run.ts';

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

/** Runs the verifiers in order; undefined when cancelled. */
export async function runVerifiers(
  context: SandboxContext,
  verification: Verification,
  signal: AbortSignal,
): Promise<readonly VerifierResult[] | undefined> {
  const results: VerifierResult[] = [];
  for (const spec of verification.verifiers) {
    verification.onProgress(progressOf(verification.verifiers, results, new Date()));
    const result = await runShell(context, spec.run, {
      use: 'verifiers',
      timeoutMs: spec.timeout_s * 1000,
      signal,
    });
    if (result.end === 'cancelled') return undefined;
    results.push(resultOf(spec, result, verification));
  }
  verification.onProgress(progressOf(verification.verifiers, results));
  return results;
}

/** The one after those that have ended has begun at `since`. */
export function progressOf(
  specs: readonly VerifierSpec[],
  results: readonly VerifierResult[],
  since?: Date,
): readonly VerifierProgress[] {
  return specs.map(({ name, required }, index) => {
    const ended = results[index]?.excerpt;
    const begun = index === results.length && since !== undefined ? { since: since.toISOString() } : {};
    if (ended === undefined) return { name, required, ...begun };
    const { success, duration_s } = ended;
    return { name, required, result: { success, duration_s } };
  });
}

const maxShownLength = 10_000;

function resultOf(
  spec: VerifierSpec,
  result: ProcessResult,
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
    success: result.end === 'exited' && result.exitCode === 0,
    duration_s: Math.round(result.durationMs / 100) / 10,
    timed_out: result.end === 'timed_out',
    truncated: result.cut,
  };
  const truncated = result.cut || stdout.length > maxShownLength || stderr.length > maxShownLength;
  return { full, excerpt: { ...full, stdout: endOf(stdout), stderr: endOf(stderr), truncated } };
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

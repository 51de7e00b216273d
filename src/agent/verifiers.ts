import type { VerifierOutput } from '../steering/evidence.ts';
import type { VerifierSpec } from '../steering/settings.ts';
import type { Ended } from './process/child.ts';
import { redact } from './redact.ts';
import { type Room, runShell } from './sandboxed-run.ts';

export interface Verification {
  readonly repository: string;
  readonly verifiers: readonly VerifierSpec[];
  readonly secrets: readonly string[];
}

/** What a verifier said: in full for the ledger, and its end for people (F-17). */
export interface Said {
  readonly shown: VerifierOutput;
  readonly whole: VerifierOutput;
}

/** Runs the verifiers in their order; undefined when it was cancelled. */
export async function runVerifiers(
  room: Room,
  verification: Verification,
  signal: AbortSignal,
): Promise<readonly Said[] | undefined> {
  const said: Said[] = [];
  for (const spec of verification.verifiers) {
    const ended = await runShell(room, spec.run, { timeoutMs: spec.timeout_s * 1000, signal });
    if (ended.end === 'cancelled') return undefined;
    said.push(whatWasSaid(spec, ended, verification));
  }
  return said;
}

const mostShown = 10_000;

function whatWasSaid(spec: VerifierSpec, ended: Ended, { repository, secrets }: Verification): Said {
  const stdout = redact(ended.stdout, secrets);
  const stderr = redact(withProblem(ended), secrets);
  const whole: VerifierOutput = {
    verifier: `${repository}:${spec.name}`,
    name: spec.name,
    required: spec.required,
    exit_code: exitCodeOf(ended),
    stdout,
    stderr,
    success: ended.end === 'exited' && ended.exitCode === 0,
    duration_s: Math.round(ended.durationMs / 100) / 10,
    timed_out: ended.end === 'timed_out',
    truncated: ended.cut,
  };
  const truncated = ended.cut || stdout.length > mostShown || stderr.length > mostShown;
  return { whole, shown: { ...whole, stdout: lastOf(stdout), stderr: lastOf(stderr), truncated } };
}

/** POSIX shells keep 126 and 127 for a command that cannot be run or is not there. */
const notRunnable = [126, 127];

/** -1 when there is no exit code to tell: it could not start, or was ended. */
function exitCodeOf(ended: Ended): number {
  if (ended.end !== 'exited') return -1;
  return notRunnable.includes(ended.exitCode) ? -1 : ended.exitCode;
}

function withProblem(ended: Ended): string {
  if (ended.end === 'not_started') return `could not start: ${ended.message}`;
  if (ended.end === 'signalled') return `${ended.stderr}\nended by ${ended.signal}`.trim();
  return ended.stderr;
}

function lastOf(text: string): string {
  return text.length > mostShown ? `[truncated]\n${text.slice(-mostShown)}` : text;
}

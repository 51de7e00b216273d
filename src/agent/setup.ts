import type { Failure } from '../steering/attempt-result.ts';
import { endingOf } from '../text/cut.ts';
import type { ProcessResult } from './process/child.ts';
import { type Limits, runShell, type SandboxContext } from './sandboxed-run.ts';

type SetupResult =
  | { readonly kind: 'ready' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Runs the repository's setup commands in order; the time limit covers all of them together. */
export async function setUp(
  context: SandboxContext,
  commands: readonly string[],
  limits: Limits,
): Promise<SetupResult> {
  const until = performance.now() + limits.timeoutMs;
  for (const command of commands) {
    const timeoutMs = Math.max(until - performance.now(), 1);
    const result = await runShell(context, command, { ...limits, use: 'setup', timeoutMs });
    if (result.end === 'cancelled') return { kind: 'cancelled' };
    if (result.end !== 'exited' || result.exitCode !== 0)
      return { kind: 'failed', failure: failureOf(command, result) };
  }
  return { kind: 'ready' };
}

function failureOf(command: string, result: ProcessResult): Failure {
  const output = endingOf(`${result.stdout}\n${result.stderr}`.trim(), 2_000);
  return {
    kind: result.end === 'exceeded' ? 'resources' : 'setup',
    message: `the setup command \`${command}\` ${describeEnd(result)}${output && `:\n${output}`}`,
  };
}

function describeEnd(result: ProcessResult): string {
  switch (result.end) {
    case 'exited':
      return `ended with exit code ${result.exitCode}`;
    case 'signalled':
      return `was killed by ${result.signal}`;
    case 'timed_out':
      return 'did not finish within the time limit of the attempt';
    case 'not_started':
      return `could not start: ${result.message}`;
    case 'exceeded':
      return `was stopped: it used ${result.what}`;
    case 'cancelled':
      return 'was cancelled';
  }
}

import type { Failure } from '../../steering/shapes/attempt-result.ts';
import { endingOf } from '../../text/cut.ts';
import { type Limits, mayPassAgain, runShell, type SandboxContext } from '../port/sandboxed-run.ts';
import type { ProcessResult } from '../process/child.ts';

type SetupResult =
  /** `notices` tell which commands passed only when they were run once more. */
  | { readonly kind: 'ready'; readonly notices: readonly string[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly failure: Failure };

interface SetupLimits extends Limits {
  /** How often a command that failed is run once more. */
  readonly reruns: number;
}

/** Runs the repository's setup commands in order; the time limit covers all of them together. */
export async function setUp(
  context: SandboxContext,
  commands: readonly string[],
  { reruns, ...limits }: SetupLimits,
): Promise<SetupResult> {
  const until = performance.now() + limits.timeoutMs;
  const run = (command: string): Promise<ProcessResult> => {
    const timeoutMs = Math.max(until - performance.now(), 1);
    return runShell(context, command, { ...limits, use: 'setup', timeoutMs });
  };
  const notices: string[] = [];
  for (const command of commands) {
    const first = await run(command);
    let result = first;
    for (let times = 0; times < reruns && mayPassAgain(result); times++) result = await run(command);
    if (result.end === 'cancelled') return { kind: 'cancelled' };
    if (result.end !== 'exited' || result.exitCode !== 0)
      return { kind: 'failed', failure: failureOf(command, result) };
    if (result !== first)
      notices.push(
        `the setup command \`${command}\` ${describeEnd(first)}, and passed when it was run again`,
      );
  }
  return { kind: 'ready', notices };
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

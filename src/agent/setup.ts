import type { Failure } from '../steering/evidence.ts';
import type { Ended } from './process/child.ts';
import { type Limits, type Room, runShell } from './sandboxed-run.ts';

export type SetupEnd =
  | { readonly kind: 'ready' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Runs the repository's set-up commands one after the other, all within the time limit together. */
export async function setUp(room: Room, lines: readonly string[], limits: Limits): Promise<SetupEnd> {
  const until = performance.now() + limits.timeoutMs;
  for (const line of lines) {
    const timeoutMs = Math.max(until - performance.now(), 1);
    const ended = await runShell(room, line, { ...limits, timeoutMs });
    if (ended.end === 'cancelled') return { kind: 'cancelled' };
    if (ended.end !== 'exited' || ended.exitCode !== 0)
      return { kind: 'failed', failure: failureOf(line, ended) };
  }
  return { kind: 'ready' };
}

function failureOf(line: string, ended: Ended): Failure {
  const said = `${ended.stdout}\n${ended.stderr}`.trim().slice(-2_000);
  return {
    kind: 'setup',
    message: `the set-up command \`${line}\` ${howItEnded(ended)}${said && `:\n${said}`}`,
  };
}

function howItEnded(ended: Ended): string {
  switch (ended.end) {
    case 'exited':
      return `ended with exit code ${ended.exitCode}`;
    case 'signalled':
      return `was ended by ${ended.signal}`;
    case 'timed_out':
      return 'did not finish within the time limit of the attempt';
    case 'not_started':
      return `could not start: ${ended.message}`;
    case 'cancelled':
      return 'was cancelled';
  }
}

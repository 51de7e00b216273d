import { constants } from 'node:os';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { AgentChoice } from '../../steering/shapes/settings.ts';
import { endingOf } from '../../text/characters.ts';
import {
  type AgentAdapter,
  type AgentHost,
  type Outcome,
  parking,
  type RunSpec,
} from '../port/agent-adapter.ts';
import type { ProcessResult } from '../process/child.ts';

/** How the process of an agent is called, for people. */
export interface Described {
  /** Its name, at the beginning of a sentence. */
  readonly name: string;
  /** What to say if there is no such program. */
  readonly notFound: string;
  readonly timeoutMs: number;
}

/** Exit code 127 alone would be ambiguous: an agent may exit with it too. */
const notFoundMarker = 'coxswain: command not found';
const launcher = `command -v "$1" >/dev/null 2>&1 || { echo '${notFoundMarker}' >&2; exit 127; }; exec "$@"`;

/** The command line by which a program that is missing can be told from one that fails. */
export function launched(argv: readonly string[]): readonly string[] {
  return ['sh', '-c', launcher, 'sh', ...argv];
}

/** Why an agent ended otherwise than by finishing its work; null if it succeeded, or was cancelled. */
export function processFailure(
  result: ProcessResult,
  { name, notFound, timeoutMs }: Described,
): Failure | null {
  const because = (kind: Failure['kind'], what: string): Failure => ({
    kind,
    message: what + outputTail(result),
  });
  if (result.end === 'timed_out')
    return because('timeout', `${name} did not finish within ${timeoutMs / 1000} s`);
  if (result.end === 'signalled') return because('crash', `${name} was killed by ${result.signal}`);
  if (result.end === 'not_started')
    return { kind: 'sandbox', message: `${name} could not start: ${result.message}` };
  if (result.end === 'exceeded') return because('resources', `${name} was stopped: it used ${result.what}`);
  if (result.end === 'cancelled' || result.exitCode === 0) return null;
  if (result.stderr.startsWith(notFoundMarker)) return { kind: 'not_found', message: notFound };
  const signal = signalBehind(result.exitCode);
  if (signal) return because('crash', `${name} was killed by ${signal} (exit code ${result.exitCode})`);
  return because('exit', `${name} ended with exit code ${result.exitCode}`);
}

/** A shell and the sandbox report death by a signal as 128 plus the signal's number. */
function signalBehind(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}

/** What it last wrote, to end a sentence with; empty if that is nothing. */
export function outputTail({ stdout, stderr }: Pick<ProcessResult, 'stdout' | 'stderr'>): string {
  const tail = tailOf(stderr) || tailOf(stdout);
  return tail === '' ? '' : `; its last output was:\n${tail}`;
}

/** The last 20 lines, at most 2,000 characters. */
export function tailOf(text: string): string {
  return endingOf(text.trim().split('\n').slice(-20).join('\n'), 2_000).trim();
}

export function failed(kind: Failure['kind'], message: string): Outcome {
  return { kind: 'failed', failure: { kind, message } };
}

/** An adapter of agents that nobody can tell anything while they work. */
export function deafAdapter<C extends AgentChoice>(
  play: (spec: RunSpec<C>, host: AgentHost, cancelled: AbortSignal) => Promise<Outcome>,
): AgentAdapter<C> {
  return {
    async start(spec, host) {
      const stop = new AbortController();
      const done = play(spec, host, stop.signal);
      const end = async (reason?: typeof parking): Promise<void> => {
        stop.abort(reason);
        await done;
      };
      return { done, cancel: () => end(), park: () => end(parking), steer: async () => 'unable' };
    },
  };
}

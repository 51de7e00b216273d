import { join } from 'node:path';
import { environment } from './environment.ts';
import { type Ended, runChild } from './process/child.ts';
import type { Walls } from './sandbox/paths.ts';
import type { Sandbox } from './sandbox/probe.ts';

/** The place of one attempt: every program of it, the agent's and ours, runs here and nowhere else. */
export interface Room extends Walls {
  readonly sandbox: Sandbox;
  /** Where living children are written down. */
  readonly workRoot: string;
  /** What the operator gives agents on purpose; set-up and verifiers never see it. */
  readonly agentEnvironment: Readonly<Record<string, string>>;
}

export interface Program {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly masked?: readonly string[];
  readonly onOutput?: (text: string) => void;
}

/** Runs a program in the workspace, inside the sandbox. */
export async function runIn(room: Room, program: Program, signal: AbortSignal): Promise<Ended> {
  const { argv, env, masked = [], ...rest } = program;
  const temp = room.sandbox.kind === 'bubblewrap' ? '/tmp' : room.temp;
  const paths = { home: room.home, temp };
  const request = {
    ...rest,
    argv: room.sandbox.wrap(argv, { ...room, masked }),
    cwd: room.workspace,
    env: { ...environment(paths), ...env },
    workRoot: room.workRoot,
  };
  const ended = await runChild(request, signal);
  return sandboxFailed(ended, room) ? { ...ended, end: 'not_started', message: ended.stderr.trim() } : ended;
}

/**
 * bubblewrap speaks before the program could: then nothing of ours was run, and its exit code says
 * nothing.
 */
function sandboxFailed(ended: Ended, { sandbox }: Room): boolean {
  const exited = ended.end === 'exited' && ended.exitCode === 1 && ended.stdout === '';
  return exited && sandbox.kind === 'bubblewrap' && ended.stderr.startsWith('bwrap: ');
}

/** Runs a line as a shell understands it. */
export function runShell(room: Room, line: string, limits: Limits): Promise<Ended> {
  return runIn(room, { argv: ['sh', '-c', line], timeoutMs: limits.timeoutMs }, limits.signal);
}

export interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function promptFile(room: Room): string {
  return join(room.exchange, 'prompt.md');
}

export function reportFile(room: Room): string {
  return join(room.exchange, 'report.json');
}

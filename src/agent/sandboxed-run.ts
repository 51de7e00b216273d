import { join } from 'node:path';
import { environment } from './environment.ts';
import { type ProcessResult, runChild } from './process/child.ts';
import type { SandboxPaths } from './sandbox/paths.ts';
import type { Sandbox } from './sandbox/probe.ts';

/** Where the programs of one attempt run, the agent's and ours alike. */
export interface SandboxContext extends SandboxPaths {
  readonly sandbox: Sandbox;
  /** Running children are registered below this folder. */
  readonly workRoot: string;
  /** Variables that the operator passes to agents; setup and verifiers never see them. */
  readonly agentEnvironment: Readonly<Record<string, string>>;
}

interface Program {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly masked?: readonly string[];
  readonly onOutput?: (text: string) => void;
}

/** Runs a program in the workspace, inside the sandbox. */
export async function runSandboxed(
  context: SandboxContext,
  program: Program,
  signal: AbortSignal,
): Promise<ProcessResult> {
  const { argv, env, masked = [], ...rest } = program;
  const temp = context.sandbox.kind === 'bubblewrap' ? '/tmp' : context.temp;
  const paths = { home: context.home, temp };
  const request = {
    ...rest,
    argv: context.sandbox.wrap(argv, { ...context, masked }),
    cwd: context.workspace,
    env: { ...environment(paths), ...env },
    workRoot: context.workRoot,
  };
  const result = await runChild(request, signal);
  return sandboxFailed(result, context)
    ? { ...result, end: 'not_started', message: result.stderr.trim() }
    : result;
}

/**
 * An error of bubblewrap itself: the program never ran, so the exit code is not the program's.
 */
function sandboxFailed(result: ProcessResult, { sandbox }: SandboxContext): boolean {
  const exited = result.end === 'exited' && result.exitCode === 1 && result.stdout === '';
  return exited && sandbox.kind === 'bubblewrap' && result.stderr.startsWith('bwrap: ');
}

/** Runs a line of shell. */
export function runShell(context: SandboxContext, line: string, limits: Limits): Promise<ProcessResult> {
  return runSandboxed(context, { argv: ['sh', '-c', line], timeoutMs: limits.timeoutMs }, limits.signal);
}

export interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function promptFile(context: SandboxContext): string {
  return join(context.exchange, 'prompt.md');
}

export function reportFile(context: SandboxContext): string {
  return join(context.exchange, 'report.json');
}

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { forwarded, forwarderEnvironment, shownHook } from '../../network/tools/proxy-settings.ts';
import type { Use } from '../../steering/shapes/settings.ts';
import { type ProcessResult, runChild, type Talk } from '../process/child.ts';
import { type Environment, environment } from '../process/program-environment.ts';
import {
  type AttemptFolders,
  type Confinement,
  foldersSeen,
  inside,
  type SandboxPaths,
} from '../sandbox/folders.ts';
import { forwarderFile, hookFile } from '../sandbox/mounts.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { AttemptNetwork } from './attempt-network.ts';

/** Where the programs of one attempt run, the agent's and ours alike. */
export interface SandboxContext extends SandboxPaths {
  readonly sandbox: Sandbox;
  readonly network: AttemptNetwork;
  /** Running children are registered below this folder. */
  readonly workRoot: string;
  /** Variables that the operator passes to agents; setup and verifiers never see them. */
  readonly agentEnvironment: Readonly<Record<string, string>>;
}

/** Its folders as its programs see them: whatever names a path to them names one of these. */
export function seenBy(context: SandboxContext): AttemptFolders {
  return foldersSeen({ folders: context, sandboxed: context.sandbox.kind !== 'none' });
}

interface Program {
  readonly argv: readonly string[];
  readonly use: Use;
  /** The line as people wrote it; they are told by it what was refused a host. */
  readonly command: string;
  readonly timeoutMs: number;
  readonly env?: Environment;
  readonly input?: string;
  /** Holds a conversation over its standard input and output, instead of giving it `input`. */
  readonly talk?: Talk;
  readonly confinement?: Confinement;
  readonly onOutput?: (text: string) => void;
}

/** Runs a program in the workspace, inside the sandbox, behind the egress for what it is for. */
export async function runSandboxed(
  context: SandboxContext,
  program: Program,
  signal: AbortSignal,
): Promise<ProcessResult> {
  const { timeoutMs, input, talk, onOutput } = program;
  const { argv, env, confinement } = throughEgress(context, program);
  const confined = await context.sandbox.confine(argv, context, confinement);
  const stop = new AbortController();
  let exceeded: string | null = null;
  const request = {
    ...{ argv: confined.argv, env, cwd: context.workspace, workRoot: context.workRoot, timeoutMs },
    ...(input !== undefined && { input }),
    ...(talk !== undefined && { talk }),
    ...(onOutput !== undefined && { onOutput }),
    onStart: (leader: number) =>
      confined.started(leader, (what) => {
        exceeded = what;
        stop.abort();
      }),
  };
  const running = runChild(request, AbortSignal.any([signal, stop.signal]));
  // Also after a fault of ours: nothing of the program may go on.
  const ended = await running.then(confined.ended, confined.ended);
  const result = await running;
  exceeded = ended.exceeded ?? exceeded;
  if (signal.aborted || succeeded(result)) return result;
  if (exceeded !== null) return { ...result, end: 'exceeded', what: exceeded };
  if (result.end !== 'exited' || ended.began) return result;
  const message = result.stderr.trim() || 'the sandbox could not be made, and bubblewrap did not say why';
  return { ...result, end: 'not_started', message };
}

/** The program as the sandbox starts it: with the forwarder to its egress, if it has one. */
function throughEgress(
  context: SandboxContext,
  { argv, use, command, env, confinement = {} }: Program,
): { readonly argv: readonly string[]; readonly env: Environment; readonly confinement: Confinement } {
  const { sandbox, network } = context;
  const own = { ...environment(seenBy(context)), ...env };
  const egress = network.egress(use);
  if (egress === null) return { argv, env: own, confinement: { ...confinement, hostNetwork: true } };
  if (sandbox.kind === 'none') return { argv, env: joined(egress.environment, own), confinement };
  egress.runs(command);
  const doors = egress.doors.map(({ port, socket }) => ({
    port,
    socket,
    path: `${inside.root}/${port}.sock`,
  }));
  const shown = [
    ...doors.map(({ path, socket }) => [path, socket] as const),
    ...[
      [node, realpathSync(process.execPath)] as const,
      [script, join(context.made, forwarderFile)] as const,
      [shownHook, join(context.made, hookFile)] as const,
    ],
  ];
  return {
    argv: forwarded(argv, { node, script, doors }),
    env: forwarderEnvironment(joined(egress.environment, own)),
    confinement: { ...confinement, shown: { ...confinement.shown, ...Object.fromEntries(shown) } },
  };
}

/** Options of Node.js that the operator gives to agents come besides those of the egress. */
function joined(ofEgress: Environment, own: Environment): Environment {
  const name = 'NODE_OPTIONS';
  const options = [ofEgress[name], own[name]].filter((each) => each !== undefined);
  return { ...ofEgress, ...own, ...(options.length > 0 && { [name]: options.join(' ') }) };
}

/** Where the sandbox shows our own programs. */
export const node = `${inside.root}/node`;
const script = `${inside.root}/forwarder.cjs`;

function succeeded(result: ProcessResult): boolean {
  return result.end === 'exited' && result.exitCode === 0;
}

/** Runs a line of shell. */
export function runShell(
  context: SandboxContext,
  line: string,
  { use, timeoutMs, signal }: Limits & { readonly use: Use },
): Promise<ProcessResult> {
  return runSandboxed(context, { argv: ['sh', '-c', line], use, command: line, timeoutMs }, signal);
}

export interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function promptFile({ exchange }: AttemptFolders): string {
  return join(exchange, 'prompt.md');
}

export function reportFile({ exchange }: AttemptFolders): string {
  return join(exchange, 'report.json');
}

/** In POSIX shells, 126 means that a command cannot be run, and 127 that it does not exist. */
export const notRunnable: readonly number[] = [126, 127];

/**
 * Whether what has failed could pass if it were run again: a registry that does not answer may do so a moment
 * later. What used too much time, or more of the machine than it may, would only do so again, and what is not
 * there is still not there.
 */
export function mayPassAgain(result: ProcessResult): boolean {
  if (result.end === 'exited') return result.exitCode !== 0 && !notRunnable.includes(result.exitCode);
  return result.end === 'signalled';
}

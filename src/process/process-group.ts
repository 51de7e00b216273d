import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';

export interface ProcessOptions {
  readonly cwd?: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to standard input, which is then closed. */
  readonly input?: string | Uint8Array;
  /** Instead of `input`: is given standard input, which stays open. Errors of it are dealt with. */
  onStdin?(stdin: Child['stdin']): void;
  readonly timeoutMs: number;
  /** How long after SIGTERM what is left is sent SIGKILL; 2,000 unless said otherwise. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
  /** Called with the leader's id, which is also the group's, before anything else happens. */
  onStart?(leader: number): void;
  /** Receives output as it arrives. One that throws ends the group. */
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

export type ProcessEnd =
  | { readonly end: 'exited'; readonly exitCode: number }
  | { readonly end: 'signalled'; readonly signal: string }
  | { readonly end: 'timed_out' }
  | { readonly end: 'cancelled' }
  | { readonly end: 'not_started'; readonly cause: Error }
  /** `onStdout` or `onStderr` threw `cause`. */
  | { readonly end: 'output_refused'; readonly cause: Error };

type Child = ChildProcessWithoutNullStreams;

/**
 * Runs one program in a new process group and resolves when no process of the group is left.
 * A time limit, an abort signal or refused output ends the whole group: SIGTERM, then SIGKILL after a grace
 * period. Processes that outlive their leader are killed too.
 */
export async function runProcessGroup(argv: readonly string[], options: ProcessOptions): Promise<ProcessEnd> {
  if (options.signal?.aborted) return { end: 'cancelled' };
  const child = start(argv, options);
  if (child instanceof Error) return { end: 'not_started', cause: child };
  const exit = exited(child);
  const leader = child.pid;
  if (leader === undefined) return exit;
  const closed = new Promise((resolve) => child.once('close', resolve));
  announce(leader, options);
  const limits = enforceLimits(leader, options);
  forwardOutput(child, options, limits.stop);
  feed(child, options);
  const end = await exit;
  limits.lift();
  signalGroup(leader, 'SIGKILL');
  await drain(child, closed);
  return limits.exceeded() ?? end;
}

/** Signals a whole process group. False: none of its processes exists any more. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ESRCH') return false;
    throw new Error(`could not send ${signal} to process group ${leader}`, { cause });
  }
}

/** `spawn` throws for an argument with a NUL byte; every other failure arrives as an event. */
function start([program = '', ...args]: readonly string[], { cwd, env }: ProcessOptions): Child | Error {
  try {
    const stdio = ['pipe', 'pipe', 'pipe', ...withoutInherited()] as const;
    const options = { ...(cwd !== undefined && { cwd }), env, detached: true };
    // With pipes for the first three, these are what they are for.
    return spawn(program, args, { ...options, stdio: [...stdio] }) as Child;
  } catch (cause) {
    if (cause instanceof Error) return cause;
    throw cause;
  }
}

let inherited: readonly ('ignore' | number)[] | undefined;

/**
 * Nothing in the place of files that whoever started us left open: Node closes its own in a child, and only
 * the lowest of others. Without `/proc` they are not known.
 */
function withoutInherited(): readonly ('ignore' | number)[] {
  inherited ??= coveringInherited();
  return inherited;
}

function coveringInherited(): readonly ('ignore' | number)[] {
  const open = openFiles().filter((file) => file > 2 && file < maxInherited && !isClosedOnExec(file));
  if (open.length === 0) return [];
  const nothing = openSync('/dev/null', 'r');
  const places = Array.from({ length: Math.max(...open) - 2 }, (_, index) => index + 3);
  return places.map((place) => (open.includes(place) ? nothing : 'ignore'));
}

/** No more is looked at: each becomes an open file of every program. */
const maxInherited = 1024;

function openFiles(): readonly number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number);
  } catch {
    return []; // not Linux
  }
}

const closedOnExec = 0o2000000;

function isClosedOnExec(file: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closedOnExec) !== 0;
  } catch {
    return true; // closed already
  }
}

function exited(child: Child): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve({ end: 'not_started', cause }));
    child.once('exit', (exitCode, signal) => {
      // Node gives exactly one of the two: without an exit code there is a signal.
      resolve(exitCode === null ? { end: 'signalled', signal: String(signal) } : { end: 'exited', exitCode });
    });
  });
}

function announce(leader: number, { onStart }: ProcessOptions): void {
  try {
    onStart?.(leader);
  } catch (fault) {
    signalGroup(leader, 'SIGKILL');
    throw fault;
  }
}

type Exceeded = Extract<ProcessEnd, { end: 'timed_out' | 'cancelled' | 'output_refused' }>;

/** Starts watching time limit and signal. The first reason to stop wins; `lift` ends the watching. */
function enforceLimits(leader: number, { timeoutMs, graceMs = 2_000, signal }: ProcessOptions) {
  let exceeded: Exceeded | undefined;
  let force: NodeJS.Timeout | undefined;
  const stop = (why: Exceeded): void => {
    if (exceeded !== undefined) return;
    exceeded = why;
    // SIGTERM lets Git remove its lock files.
    signalGroup(leader, 'SIGTERM');
    force = setTimeout(() => signalGroup(leader, 'SIGKILL'), graceMs);
  };
  const cancel = (): void => stop({ end: 'cancelled' });
  const limit = setTimeout(() => stop({ end: 'timed_out' }), timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  const lift = (): void => {
    clearTimeout(limit);
    clearTimeout(force);
    signal?.removeEventListener('abort', cancel);
  };
  return { stop, lift, exceeded: () => exceeded };
}

function forwardOutput(
  child: Child,
  { onStdout, onStderr }: ProcessOptions,
  stop: (why: Exceeded) => void,
): void {
  let refused = false;
  const forward = (sink: (chunk: Buffer) => void) => (chunk: Buffer) => {
    if (refused) return;
    try {
      sink(chunk);
    } catch (cause) {
      refused = true;
      stop({ end: 'output_refused', cause: cause instanceof Error ? cause : new Error(String(cause)) });
    }
  };
  child.stdout.on('data', forward(onStdout));
  child.stderr.on('data', forward(onStderr));
}

function feed(child: Child, { input = '', onStdin }: ProcessOptions): void {
  // EPIPE: a program need not read all of its input, and its exit code says how it went.
  child.stdin.on('error', () => undefined);
  if (onStdin === undefined) child.stdin.end(input);
  else onStdin(child.stdin);
}

/** How long output may still arrive after the last process of the group is gone. */
const drainMs = 1_000;

/** Waits for the rest of the output, but not for a process that left the group and still holds the pipe. */
async function drain({ stdout, stderr }: Child, closed: Promise<unknown>): Promise<void> {
  const destroy = (): void => {
    stdout.destroy();
    stderr.destroy();
  };
  // After a timer that is late, `setImmediate` lets Node first read what the pipes still hold.
  const timer = setTimeout(() => setImmediate(destroy), drainMs);
  await closed;
  clearTimeout(timer);
}

/**
 * The start time of a process in clock ticks since boot; null when it is gone or `/proc` is missing.
 * Process ids are reused; together with its start time an id is unique.
 */
export function startTime(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (cause) {
    if (isGone(cause)) return null;
    throw new Error(`could not read the start time of process ${pid}`, { cause });
  }
  // The program's name, in parentheses, may contain spaces and parentheses; starttime is field 22 (proc(5)).
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** ESRCH: no such process. ENOENT: no longer in `/proc`. */
export function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ESRCH' || cause.code === 'ENOENT');
}

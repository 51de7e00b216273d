import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { signalGroup, writeDown } from './leftovers.ts';
import { endMarked, marked, newMark } from './mark.ts';
import { Tail } from './tail.ts';

export interface ChildRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly input?: string;
  readonly timeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs?: number;
  /** How much of each stream is kept, from its end. */
  readonly keepBytes?: number;
  readonly onOutput?: (text: string) => void;
  /** Where the child is written down while it lives. */
  readonly workRoot: string;
}

export type Ended = End & {
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the beginning of a stream was given up. */
  readonly cut: boolean;
  readonly durationMs: number;
};

type End =
  | { readonly end: 'exited'; readonly exitCode: number }
  | { readonly end: 'signalled'; readonly signal: string }
  | { readonly end: 'timed_out' }
  | { readonly end: 'cancelled' }
  | { readonly end: 'not_started'; readonly message: string };

interface Streams {
  readonly stdout: Tail;
  readonly stderr: Tail;
}

export const mebibyte = 1024 * 1024;

/** How long output may still arrive after the last process of the group is dead. */
const drainMs = 1_000;

/**
 * Runs one program in a process group of its own and resolves when all of the group is gone.
 * Time limit and cancelling end the group, grandchildren included, and whoever has left it; what outlives its
 * leader in the group is ended too.
 */
export async function runChild(request: ChildRequest, signal: AbortSignal): Promise<Ended> {
  const began = performance.now();
  const keepBytes = request.keepBytes ?? mebibyte;
  const streams = { stdout: new Tail(keepBytes), stderr: new Tail(keepBytes) };
  const end: End = signal.aborted ? { end: 'cancelled' } : await live(request, signal, streams);
  return {
    ...end,
    stdout: streams.stdout.text(),
    stderr: streams.stderr.text(),
    cut: streams.stdout.cut || streams.stderr.cut,
    durationMs: performance.now() - began,
  };
}

async function live(request: ChildRequest, signal: AbortSignal, streams: Streams): Promise<End> {
  const mark = newMark();
  const child = begin({ ...request, env: marked(request.env, mark) });
  if (child instanceof Error) return { end: 'not_started', message: child.message };
  const exit = exited(child);
  const leader = child.pid;
  if (leader === undefined) return exit;
  const closed = new Promise((resolve) => child.once('close', resolve));
  const strikeOut = writeDown(leader, mark, request.workRoot);
  collect(child, streams, request.onOutput);
  feed(child, request.input ?? '');
  const limits = holdTo(leader, request, signal);
  const end = await exit;
  limits.lift();
  signalGroup(leader, 'SIGKILL');
  if (end.end === 'signalled' || limits.broken() !== undefined) endMarked(mark);
  await drain(child, closed);
  strikeOut();
  return limits.broken() ?? end;
}

/**
 * An argument that no program can be given (a NUL byte) is thrown by `spawn`, everything else comes as an
 * event.
 */
function begin({ argv, cwd, env }: ChildRequest): ChildProcessWithoutNullStreams | Error {
  const [program = '', ...rest] = argv;
  try {
    return spawn(program, rest, { cwd, env: { ...env }, detached: true, stdio: 'pipe' });
  } catch (cause) {
    if (cause instanceof Error) return cause;
    throw cause;
  }
}

function exited(child: ChildProcessWithoutNullStreams): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (fault) => resolve({ end: 'not_started', message: fault.message }));
    child.once('exit', (exitCode, signal) => {
      // Node gives exactly one of the two; a signal is what is left when there is no code.
      resolve(exitCode === null ? { end: 'signalled', signal: String(signal) } : { end: 'exited', exitCode });
    });
  });
}

function collect(
  child: ChildProcessWithoutNullStreams,
  streams: Streams,
  onOutput: ChildRequest['onOutput'],
): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const decoder = new TextDecoder();
    child[name].on('data', (chunk: Buffer) => {
      streams[name].add(chunk);
      onOutput?.(decoder.decode(chunk, { stream: true }));
    });
  }
}

function feed(child: ChildProcessWithoutNullStreams, input: string): void {
  // A program need not read its input: a pipe closed at the other end says nothing about the work.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
}

/** Arms time limit and cancelling. The first to break ends the group: asked first, then made to. */
function holdTo(leader: number, request: ChildRequest, signal: AbortSignal) {
  let reason: 'timed_out' | 'cancelled' | undefined;
  let force: NodeJS.Timeout | undefined;
  const stop = (why: 'timed_out' | 'cancelled'): void => {
    if (reason !== undefined) return;
    reason = why;
    signalGroup(leader, 'SIGTERM');
    force = setTimeout(() => signalGroup(leader, 'SIGKILL'), request.graceMs ?? 2_000);
  };
  const cancel = (): void => stop('cancelled');
  const limit = setTimeout(() => stop('timed_out'), request.timeoutMs);
  signal.addEventListener('abort', cancel, { once: true });
  return {
    lift(): void {
      clearTimeout(limit);
      clearTimeout(force);
      signal.removeEventListener('abort', cancel);
    },
    broken: (): End | undefined => (reason === undefined ? undefined : { end: reason }),
  };
}

/** Waits for the last output. Whoever left the group and holds a pipe open is not waited for. */
async function drain(child: ChildProcessWithoutNullStreams, closed: Promise<unknown>): Promise<void> {
  const patience = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, drainMs);
  await closed;
  clearTimeout(patience);
}

import { type ChildProcess, spawn } from 'node:child_process';

/** How to start Git. */
export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** How Git ended. */
export interface Outcome {
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Why we ended it, or why it could not start. */
  readonly stopped: Error | undefined;
}

/** Runs Git in a process group of its own until it ends, is overdue or aborted, or the sink throws. */
export function runGit(
  args: readonly string[],
  options: RunOptions,
  sink: (chunk: Buffer) => void,
): Promise<Outcome> {
  const { cwd, env, timeoutMs = 120_000, signal } = options;
  const child = spawn('git', args, { ...(cwd !== undefined && { cwd }), env, detached: true });
  let stopped: Error | undefined;
  const stop = (why: Error): void => {
    stopped ??= why;
    endGroup(child);
  };
  const release = watch({ timeoutMs, signal }, stop);
  child.stdout.on('data', (chunk: Buffer) => stopped ?? tryTo(() => sink(chunk), stop));
  const stderr = kept(child.stderr);
  child.on('error', (cause) => {
    stopped ??= new Error('could not start', { cause });
  });
  // Git may end before it has read everything; its exit code tells, not the broken pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return new Promise((resolve) => {
    child.on('close', (exitCode) => {
      release();
      resolve({ exitCode, stderr: String(Buffer.concat(stderr)), stopped });
    });
  });
}

interface Watch {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Stops what is overdue or aborted; answers with how to stop watching. */
function watch({ timeoutMs, signal }: Watch, stop: (why: Error) => void): () => void {
  const overdue = setTimeout(() => stop(new Error(`took longer than ${timeoutMs} ms`)), timeoutMs);
  const aborted = (): void => stop(new Error('was aborted', { cause: signal?.reason }));
  if (signal?.aborted) aborted();
  signal?.addEventListener('abort', aborted);
  return () => {
    clearTimeout(overdue);
    signal?.removeEventListener('abort', aborted);
  };
}

function tryTo(work: () => void, failed: (why: Error) => void): void {
  try {
    work();
  } catch (cause) {
    failed(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

/** At most about 4 MiB of what Git complains of. */
function kept(stream: NodeJS.ReadableStream): Buffer[] {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.length < 64 && chunks.push(chunk));
  return chunks;
}

/** First kindly, so that Git removes its lock files; two seconds later not so. */
function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const forced = setTimeout(() => signalGroup(child, 'SIGKILL'), 2_000);
  child.once('close', () => clearTimeout(forced));
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (cause) {
    // ESRCH: the group is gone already, which is what was wanted.
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause;
  }
}

import { basicCredentials, gitEnvironment, type Remote } from './environment.ts';
import { runGit } from './run.ts';

export type { Remote } from './environment.ts';

/** How to run one command. */
export interface GitOptions {
  readonly cwd?: string;
  /** Added to the minimal environment, e.g. `GIT_DIR`. Nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** The remote this one command talks to: its token travels in the command's environment. */
  readonly remote?: Remote;
  /** Default 120,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Default 256 MiB. */
  readonly maxBytes?: number;
}

/** A Git command that did not do what was asked. Nothing in it is secret. */
export class GitError extends Error {
  override name = 'GitError';
  readonly args: readonly string[];
  /** Null when Git could not start or was ended. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;

  constructor(what: string, ended: Ended & { readonly args: readonly string[] }, cause?: unknown) {
    super(`git ${ended.args.join(' ')}: ${what}`.trimEnd(), { cause });
    this.args = ended.args;
    this.exitCode = ended.exitCode;
    this.stdout = ended.stdout;
    this.stderr = ended.stderr;
  }
}

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one Git command, hardened, and answers with what it printed.
 * Throws `GitError` when it fails, takes too long, prints too much or is aborted.
 */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<string> {
  return String(await gitBytes(args, options));
}

/** Like `git`, for output that is not text. */
export async function gitBytes(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { maxBytes = 256 * 1024 * 1024 } = options;
  const chunks: Buffer[] = [];
  let bytes = 0;
  await gitChunks(args, options, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`printed more than ${maxBytes} bytes`);
    chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Like `git`, but what is printed is handed over piece by piece. A sink that throws ends Git. */
export async function gitChunks(
  args: readonly string[],
  options: GitOptions,
  sink: (chunk: Buffer) => void,
): Promise<void> {
  const token = await options.remote?.token?.();
  const env = { ...gitEnvironment(options.remote, token), ...options.env };
  const tail: Buffer[] = [];
  const sinkAll = (chunk: Buffer): void => {
    if (tail.length < 64) tail.push(chunk.subarray(0, 16_384));
    sink(chunk);
  };
  const { exitCode, stderr, stopped } = await runGit(args, { ...options, env }, sinkAll);
  if (exitCode === 0 && stopped === undefined) return;
  const clean = (text: string): string => redacted(text, token);
  const ended = { args: args.map(clean), exitCode, stdout: clean(String(Buffer.concat(tail))) };
  const words = clean(stderr).trim();
  const what = stopped instanceof Error ? clean(stopped.message) : `exit code ${exitCode}`;
  throw new GitError(words ? `${what}: ${words}` : what, { ...ended, stderr: words }, stopped);
}

/** Takes out of Git's words what must not reach a log: the token, and passwords in URLs. */
function redacted(text: string, token: string | undefined): string {
  const known = token ? [token, basicCredentials(token)] : [];
  return known
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
    .replace(/(\w+:\/\/)[^\s/@]+@/g, '$1***@')
    .replace(/\b(gh[a-z]_|github_pat_)\w{10,}/g, '$1***');
}

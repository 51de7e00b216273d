/**
 * Our own hardened runner does everything that writes, talks to a remote or works on what others have
 * touched; simple-git (git-log.ts) only reads the history of our own mirrors.
 */
import { type ProcessEnd, runProcessGroup } from '../process/process-group.ts';
import { shortened } from '../text/characters.ts';

/** A remote repository and the source of its token, which is requested for each command. */
export interface Remote {
  readonly url: string;
  readonly token?: TokenSource;
}

/** `renewed`: the last one was refused. A source that has no other returns the same again. */
export type TokenSource = (options?: { readonly renewed?: boolean }) => Promise<string>;

export interface GitOptions {
  readonly cwd?: string;
  /** It is added to the minimal environment, such as `GIT_DIR`; nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** The remote that this command talks to; its token is passed in the command's environment. */
  readonly remote?: Remote;
  /** It is 120,000 unless it is given. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** It is 256 MiB unless it is given. */
  readonly maxBytes?: number;
  /** No file that the command writes, such as a pack that it fetches, may become larger. */
  readonly maxFileBytes?: number;
}

/** What a message shows of a command, and of what Git printed: others choose the names of refs and files. */
const longestCommand = 1_000;
const longestProblem = 4_000;

/** A Git command that failed. Contains no secrets, and its message has a bound. */
export class GitError extends Error {
  override name = 'GitError';
  readonly args: readonly string[];
  /** Null when Git could not start or was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;

  constructor(
    what: string,
    ended: Pick<GitError, 'args' | 'exitCode' | 'stdout' | 'stderr'>,
    cause?: unknown,
  ) {
    const command = shortened(ended.args.join(' '), longestCommand);
    super(`git ${command}: ${shortened(what, longestProblem)}`.trimEnd(), { cause });
    this.args = ended.args;
    this.exitCode = ended.exitCode;
    this.stdout = ended.stdout;
    this.stderr = ended.stderr;
  }
}

/**
 * Runs one Git command, hardened, and returns its output.
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

/** Like `git`, but passes the output on in chunks. A sink that throws stops Git. */
export async function gitChunks(
  args: readonly string[],
  options: GitOptions,
  sink: (chunk: Buffer) => void,
): Promise<void> {
  const { token: tokenOf } = options.remote ?? {};
  const token = await tokenOf?.();
  try {
    await runOnce(args, { ...options, secret: token }, sink);
  } catch (fault) {
    if (isDamage(fault)) suspected.add(options.env?.['GIT_DIR'] ?? '');
    // A token can be revoked before it expires; nothing was done with it then.
    const renewed = isRefused(fault) ? await tokenOf?.({ renewed: true }) : token;
    if (renewed === token) throw fault;
    await runOnce(args, { ...options, secret: renewed }, sink);
  }
}

/** A directory should have an object, but its file is empty, torn or gone, as after a loss of power. */
export class ObjectDamaged extends Error {
  override name = 'ObjectDamaged';
}

/** The directories, absolute, in which a command found something damaged that nobody has mended since. */
export const suspected = new Set<string>();

/** None of these is said of a commit that was merely named and is not here, unless its files are listed. */
const damages = [
  'is corrupt',
  'object file .* is empty',
  'corrupt loose object',
  'inflate: ',
  'unable to unpack',
  'header for .* too long',
  'index file .* is too small',
  'packfile .* (cannot be accessed|does not match|is truncated)',
  'missing (blob|tree)',
  '(cannot|could not|failed to|unable to) read (object |tree|sha1 file|[0-9a-f]{40})',
  'failed to traverse parents',
  'invalid sha1 pointer',
  'not a tree object',
  'not a git repository',
];

/** Whether it failed because of what the directory holds, and not of what was asked. */
export function isDamage(fault: unknown): boolean {
  if (fault instanceof ObjectDamaged) return true;
  return fault instanceof GitError && new RegExp(damages.join('|'), 'i').test(fault.stderr);
}

function isRefused(fault: unknown): boolean {
  const words = /Authentication failed for|could not read Username for|returned error: 401/;
  return fault instanceof GitError && words.test(fault.stderr);
}

async function runOnce(
  args: readonly string[],
  { secret: token, ...options }: GitOptions & { readonly secret: string | undefined },
  sink: (chunk: Buffer) => void,
): Promise<void> {
  const { timeoutMs = 120_000 } = options;
  const env = { ...gitEnvironment(options.remote, token), ...options.env };
  const stdout = new Head();
  const stderr = new Head();
  const end = await runProcessGroup([...limited(options), 'git', ...args], {
    ...options,
    env,
    timeoutMs,
    onStdout: (chunk) => {
      stdout.add(chunk.subarray(0, 16_384));
      sink(chunk);
    },
    onStderr: (chunk) => stderr.add(chunk),
  });
  if (end.end === 'exited' && end.exitCode === 0) return;
  const clean = (text: string): string => redacted(text, token);
  const printed = clean(stderr.text()).trim();
  const what = clean(problemWith(end, timeoutMs));
  const exitCode = end.end === 'exited' ? end.exitCode : null;
  throw new GitError(
    printed ? `${what}: ${printed}` : what,
    { args: args.map(clean), exitCode, stdout: clean(stdout.text()), stderr: printed },
    causeOf(end, options.signal),
  );
}

/** A shell that becomes the command, with the limit that every system has; counted in blocks of 512 bytes. */
function limited({ maxFileBytes }: GitOptions): readonly string[] {
  if (maxFileBytes === undefined) return [];
  const limit = `ulimit -c 0; ulimit -f ${Math.ceil(maxFileBytes / 512)}; exec "$@"`;
  return ['sh', '-c', limit, 'sh'];
}

/** The first 64 chunks of a stream, at most about 4 MiB: enough to say what went wrong. */
class Head {
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    if (this.#chunks.length < 64) this.#chunks.push(chunk);
  }

  text(): string {
    return String(Buffer.concat(this.#chunks));
  }
}

function problemWith(end: ProcessEnd, timeoutMs: number): string {
  switch (end.end) {
    case 'exited':
      return `exit code ${end.exitCode}`;
    case 'signalled':
      return `killed by ${end.signal}`;
    case 'timed_out':
      return `took longer than ${timeoutMs} ms`;
    case 'cancelled':
      return 'was aborted';
    case 'not_started':
      return 'could not start';
    case 'output_refused':
      return end.cause.message;
  }
}

function causeOf(end: ProcessEnd, signal: AbortSignal | undefined): unknown {
  if (end.end === 'cancelled') return signal?.reason;
  return 'cause' in end ? end.cause : undefined;
}

/** Removes the token and passwords in URLs from Git's output, which may reach a log. */
function redacted(text: string, token: string | undefined): string {
  const known = token ? [token, basicCredentials(token)] : [];
  return known
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
    .replace(/\b(\w+:\/\/)[^\s/@]+@/g, '$1***@')
    .replace(/\b(gh[a-z]_|github_pat_)\w{10,}/g, '$1***');
}

type ConfigEntry = readonly [key: string, value: string];

/**
 * The whole environment of one Git command. The machine's and the user's Git configuration are ignored, the
 * repository's own cannot start a program, and the token is in the environment only: not in the arguments,
 * which every process on the machine can read, and not on disk.
 */
function gitEnvironment(remote: Remote | undefined, token: string | undefined): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/dev/null',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    ...(remote && proxyVariables()),
    ...configuration([...hardening, ...certificates(), ...authorization(remote, token)]),
  };
}

const hardening: readonly ConfigEntry[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  // Also where Git would not expect such a file system: others check out what we push.
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  // Otherwise Git would run `git status` inside a nested repository, with that repository's configuration.
  ['diff.ignoreSubmodules', 'dirty'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // Otherwise Git would send the token to the other host.
  ['http.followRedirects', 'false'],
  ['init.defaultBranch', 'main'],
  ['protocol.allow', 'never'],
  ['protocol.http.allow', 'always'],
  ['protocol.https.allow', 'always'],
  ['protocol.file.allow', 'always'],
  ['protocol.ext.allow', 'never'],
  ['submodule.recurse', 'false'],
];

/** The machine's proxy settings, for commands that use the network. */
function proxyVariables(): NodeJS.ProcessEnv {
  const names = [
    'http_proxy',
    'https_proxy',
    'HTTPS_PROXY',
    'all_proxy',
    'ALL_PROXY',
    'no_proxy',
    'NO_PROXY',
  ];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Git's HTTP library does not read `SSL_CERT_FILE` on every system. */
function certificates(): readonly ConfigEntry[] {
  const bundle = process.env['SSL_CERT_FILE'];
  return bundle ? [['http.sslCAInfo', bundle]] : [];
}

function authorization(remote: Remote | undefined, token: string | undefined): readonly ConfigEntry[] {
  if (remote === undefined || token === undefined) return [];
  const header = `Authorization: Basic ${basicCredentials(token)}`;
  return [[`http.${new URL(remote.url).origin}/.extraHeader`, header]];
}

/** A GitHub token as HTTP Basic credentials. */
function basicCredentials(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

function configuration(settings: readonly ConfigEntry[]): NodeJS.ProcessEnv {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

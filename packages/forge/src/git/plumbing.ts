import { spawn } from 'node:child_process';

/** The result of a Git command. */
export interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
  bytes: Buffer;
}

export interface GitOptions {
  input?: string | Buffer;
  env?: Record<string, string>;
}

export const zeroSha = '0'.repeat(40);

/** Git in one bare repository. It does not read the user's configuration. */
export class Git {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Standard output, trimmed at its end; throws when Git fails. */
  async run(args: string[], options: GitOptions = {}): Promise<string> {
    const result = await this.attempt(args, options);
    if (result.code === 0) return result.stdout.trimEnd();
    throw new Error(`git ${args.join(' ')} failed with ${result.code}: ${result.stderr.trim()}`);
  }

  /** Standard output as it is. */
  async bytes(args: string[]): Promise<Buffer> {
    const result = await this.attempt(args);
    if (result.code === 0) return result.bytes;
    throw new Error(`git ${args.join(' ')} failed with ${result.code}: ${result.stderr.trim()}`);
  }

  attempt(args: string[], options: GitOptions = {}): Promise<GitResult> {
    return runGit(['--git-dir', this.dir, ...args], options);
  }

  /** The object id that a full ref name points to. */
  async ref(name: string): Promise<string | undefined> {
    const result = await this.attempt(['rev-parse', '--verify', '--quiet', name]);
    return result.code === 0 ? result.stdout.trim() : undefined;
  }

  /** The commit that a branch, tag, full ref or (abbreviated) object id resolves to. */
  async commit(name: string): Promise<string | undefined> {
    if (name.startsWith('-')) return undefined;
    const candidates = name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`, name];
    for (const candidate of candidates) {
      const sha = await this.ref(`${candidate}^{commit}`);
      if (sha) return sha;
    }
    return undefined;
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    return (await this.attempt(['merge-base', '--is-ancestor', ancestor, descendant])).code === 0;
  }

  async mergeBase(left: string, right: string): Promise<string | undefined> {
    const result = await this.attempt(['merge-base', left, right]);
    return result.code === 0 ? result.stdout.trim() : undefined;
  }
}

/** The environment of every Git process of the forge. */
export function gitEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...extra,
  };
}

export function runGit(args: string[], options: GitOptions = {}): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { env: gitEnvironment(options.env), stdio: 'pipe' });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', (cause) => reject(new Error(`could not start git ${args.join(' ')}`, { cause })));
    child.on('close', (code) => {
      const bytes = Buffer.concat(stdout);
      resolve({ code: code ?? 1, bytes, stdout: String(bytes), stderr: String(Buffer.concat(stderr)) });
    });
    // Git may exit before it has read all input; its exit code matters, not the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

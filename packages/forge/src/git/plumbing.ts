import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The result of a Git command. */
interface GitResult {
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
  /** Object ids known to be commits; objects are never removed. */
  readonly #commits = new Set<string>();
  /** What Git said about commits, by its arguments. */
  readonly #answers = new Map<string, Promise<GitResult>>();

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Standard output, trimmed at its end; throws when Git fails. */
  async run(args: string[], options: GitOptions = {}): Promise<string> {
    return succeeded(args, await this.attempt(args, options)).stdout.trimEnd();
  }

  /** Standard output as it is. */
  async bytes(args: string[]): Promise<Buffer> {
    return succeeded(args, await this.attempt(args)).bytes;
  }

  /** The same as `run` for what `about` asks only once. */
  async tell(command: string[], commits: string[]): Promise<string> {
    return succeeded([...command, ...commits], await this.about(command, commits)).stdout.trimEnd();
  }

  attempt(args: string[], options: GitOptions = {}): Promise<GitResult> {
    return runGit(['--git-dir', this.dir, ...args], options);
  }

  /** The object id that a full ref name points to. */
  async ref(name: string): Promise<string | undefined> {
    if (!name.startsWith('refs/') || name.includes('..')) return this.#parse(name);
    // Most refs are a file of their own, and reading it is much faster than starting Git.
    const content = await readFile(join(this.dir, name), 'utf8').catch(() => undefined);
    if (content === undefined && !existsSync(join(this.dir, 'packed-refs'))) return undefined;
    return /^[0-9a-f]{40}(?=\n$)/.exec(content ?? '')?.[0] ?? this.#parse(name);
  }

  /** The commit that a branch, tag, full ref or (abbreviated) object id resolves to. */
  async commit(name: string): Promise<string | undefined> {
    if (name.startsWith('-')) return undefined;
    if (this.#commits.has(name)) return name;
    for (const candidate of candidatesFor(name)) {
      const sha = await this.#parse(`${candidate}^{commit}`);
      if (sha === undefined) continue;
      this.#commits.add(sha);
      return sha;
    }
    return undefined;
  }

  async #parse(name: string): Promise<string | undefined> {
    const result = await this.attempt(['rev-parse', '--verify', '--quiet', name]);
    return result.code === 0 ? result.stdout.trim() : undefined;
  }

  /** The refs that match patterns as of `for-each-ref`. */
  async refs(...patterns: string[]): Promise<{ ref: string; type: string; sha: string }[]> {
    const format = '--format=%(refname) %(objecttype) %(objectname)';
    const output = await this.run(['for-each-ref', format, ...patterns]);
    return [...output.matchAll(/^(\S+) (\S+) (\S+)$/gm)].map(([, ref = '', type = '', sha = '']) => ({
      ref,
      type,
      sha,
    }));
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    return (await this.about(['merge-base', '--is-ancestor'], [ancestor, descendant])).code === 0;
  }

  async mergeBase(left: string, right: string): Promise<string | undefined> {
    const result = await this.about(['merge-base'], [left, right]);
    return result.code === 0 ? result.stdout.trim() : undefined;
  }

  /** How many commits the head has that the base does not have. */
  async countBetween(base: string, head: string): Promise<number> {
    return Number(await this.tell(['rev-list', '--count'], [head, `^${base}`]));
  }

  /**
   * Like `attempt`, but asks only once what Git says about commits that are named in full: it never changes,
   * and starting Git takes longer than most of its answers.
   */
  about(command: string[], commits: string[]): Promise<GitResult> {
    const args = [...command, ...commits];
    const key = args.join('\0');
    const known = this.#answers.get(key);
    if (known !== undefined || !commits.every(isFullName)) return known ?? this.attempt(args);
    const answer = this.attempt(args);
    if (this.#answers.size >= mostAnswers) this.#answers.clear();
    this.#answers.set(key, answer);
    // More than 1 is no answer: a commit that is missing may arrive later.
    const forgetUnlessAnswered = ({ code }: { code: number }) => {
      if (code > 1) this.#answers.delete(key);
    };
    answer.then(forgetUnlessAnswered, () => forgetUnlessAnswered({ code: Infinity }));
    return answer;
  }
}

function succeeded(args: string[], result: GitResult): GitResult {
  if (result.code === 0) return result;
  throw new Error(`git ${args.join(' ')} failed with ${result.code}: ${result.stderr.trim()}`);
}

const mostAnswers = 1000;

/** Of a commit, or of one that is left out. */
function isFullName(name: string): boolean {
  return /^\^?[0-9a-f]{40}$/.test(name);
}

/** What a name may mean, in the order of precedence. */
function candidatesFor(name: string): readonly string[] {
  if (name.startsWith('refs/') || /^[0-9a-f]{40}$/.test(name)) return [name];
  return [`refs/heads/${name}`, `refs/tags/${name}`, name];
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

/** A change of a ref; forty zeros mean that it did not exist before or was deleted. */
export interface RefChange {
  ref: string;
  before: string;
  after: string;
}

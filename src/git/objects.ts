import { resolve } from 'node:path';
import { git, gitBytes } from './git.ts';

/** A Git object as text. */
interface GitObject {
  readonly sha: string;
  readonly type: string;
  readonly content: string;
}

/** Options to run a command in one Git directory, whatever surrounds it. */
export function inside(gitDir: string): { readonly cwd: string; readonly env: { readonly GIT_DIR: string } } {
  const dir = resolve(gitDir);
  return { cwd: dir, env: { GIT_DIR: dir } };
}

/** Reads objects by name (`<sha>`, `<rev>:<path>`) in one command; undefined for those that do not exist. */
export async function readObjects(
  gitDir: string,
  names: readonly string[],
): Promise<readonly (GitObject | undefined)[]> {
  const input = names.map((name) => `${name}\0`).join('');
  const output = await gitBytes(['cat-file', '--batch', '-z'], { ...inside(gitDir), input });
  let at = 0;
  return names.map((name) => {
    const { object, end } = objectAt(output, at, name);
    at = end;
    return object;
  });
}

/** The sizes of objects in bytes, without reading them; undefined for those that do not exist. */
export async function sizesOf(
  gitDir: string,
  names: readonly string[],
): Promise<readonly (number | undefined)[]> {
  const input = names.map((name) => `${name}\0`).join('');
  const command = ['cat-file', '--batch-check=%(objectsize)', '-z'];
  const output = await git(command, { ...inside(gitDir), input });
  return output.split('\n', names.length).map((line) => (/^\d+$/.test(line) ? Number(line) : undefined));
}

function objectAt(output: Buffer, at: number, name: string): { object: GitObject | undefined; end: number } {
  const missing = Buffer.from(`${name} missing\n`);
  if (output.subarray(at, at + missing.length).equals(missing)) {
    return { object: undefined, end: at + missing.length };
  }
  const headerEnd = output.indexOf('\n', at);
  const [sha = '', type = '', size = ''] = output.toString('utf8', at, headerEnd).split(' ');
  if (!/^\d+$/.test(size))
    throw new Error(`could not read object ${name}: ${output.toString('utf8', at, headerEnd)}`);
  const start = headerEnd + 1;
  const content = output.toString('utf8', start, start + Number(size));
  return { object: { sha, type, content }, end: start + Number(size) + 1 };
}

/** The commit of a revision. */
export async function resolveCommit(gitDir: string, rev: string): Promise<string | undefined> {
  const input = `${rev}^{commit}\0`;
  const output = await git(['cat-file', '--batch-check', '-z'], { ...inside(gitDir), input });
  return /^([0-9a-f]{40,64}) commit \d+\n$/.exec(output)?.[1];
}

/** The trees of commits; undefined for those that do not exist. */
export async function treesOf(
  gitDir: string,
  commits: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const input = commits.map((commit) => `${commit}^{tree}\0`).join('');
  const output = await git(['cat-file', '--batch-check=%(objectname)', '-z'], { ...inside(gitDir), input });
  return output
    .split('\n', commits.length)
    .map((line) => (/^[0-9a-f]{40,64}$/.test(line) ? line : undefined));
}

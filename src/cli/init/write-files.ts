import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GitError, git } from '../../git/git.ts';

/** A file that a repository should have. */
export interface WantedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** How such a file compares with what is there. */
export interface ComparedFile extends WantedFile {
  readonly state: 'missing' | 'same' | 'different';
  /** From what is there to what is wanted, as `git diff` shows it; empty unless they differ. */
  readonly difference: string;
}

export function compareAll(root: string, wanted: readonly WantedFile[]): Promise<readonly ComparedFile[]> {
  return Promise.all(wanted.map((file) => compare(root, file)));
}

async function compare(root: string, file: WantedFile): Promise<ComparedFile> {
  await requireNoLink(root, file.path);
  const there = await textAt(join(root, file.path));
  if (there === undefined) return { ...file, state: 'missing', difference: '' };
  if (there === file.text) return { ...file, state: 'same', difference: '' };
  return { ...file, state: 'different', difference: await differenceOf(root, file) };
}

/** Whoever made a clone may have put links into it that lead out of it. */
async function requireNoLink(root: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (const index of parts.keys()) {
    const part = parts.slice(0, index + 1).join('/');
    const found = await lstat(join(root, part)).catch((fault: unknown) => {
      if (codeOf(fault) === 'ENOENT' || codeOf(fault) === 'ENOTDIR') return undefined;
      throw new Error(`could not look at ${join(root, part)}`, { cause: fault });
    });
    if (found?.isSymbolicLink())
      throw new Error(
        `could not write ${join(root, path)}: ${part} is a symbolic link, and init follows none`,
      );
  }
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new Error(`could not read ${path}: expected a file, or nothing`, { cause });
  }
}

async function differenceOf(root: string, { path, text }: WantedFile): Promise<string> {
  const command = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--', path, '-'];
  const shown = await git(command, { cwd: root, input: text }).catch((fault: unknown) => {
    // That there are differences.
    if (fault instanceof GitError && fault.exitCode === 1) return fault.stdout;
    throw fault;
  });
  // The first lines name files that do not exist.
  return shown.slice(Math.max(0, shown.indexOf('\n@@') + 1));
}

/**
 * Writes all of the files or none. Each appears at once with its whole text. Only with `replace` is one that
 * exists replaced; one that somebody has made meanwhile is not.
 */
export async function writeAll(
  root: string,
  files: readonly WantedFile[],
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const ready: (WantedFile & { readonly temporary: string })[] = [];
  const made: string[] = [];
  try {
    for (const file of files)
      ready.push({ ...file, temporary: await prepared(join(root, file.path), file.text) });
    for (const { path, temporary } of ready) {
      const target = join(root, path);
      await (replace ? rename(temporary, target) : link(temporary, target)).catch((cause: unknown) => {
        throw new Error(`could not write ${target}`, { cause });
      });
      made.push(target);
    }
  } catch (fault) {
    if (!replace) for (const path of made) await rm(path, { force: true });
    throw fault;
  } finally {
    for (const { temporary } of ready) await rm(temporary, { force: true });
  }
}

/** In the same folder, so that it can be moved at once. */
async function prepared(target: string, text: string): Promise<string> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.new`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(temporary, text, { flag: 'wx' });
    return temporary;
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const why = codeOf(cause) === 'EROFS' || codeOf(cause) === 'EACCES' ? ': its folder is read-only' : '';
    throw new Error(`could not write ${target}${why}`, { cause });
  }
}

function codeOf(fault: unknown): unknown {
  return fault instanceof Error && 'code' in fault ? fault.code : undefined;
}

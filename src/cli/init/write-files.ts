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
  const ready: { readonly target: string; readonly temporary: string }[] = [];
  const done: Done[] = [];
  try {
    for (const { path, text } of files) {
      const target = join(root, path);
      ready.push({ target, temporary: await prepared(target, text) });
    }
    for (const { target, temporary } of ready) {
      const before = replace ? await setAside(target) : undefined;
      done.push({ target, before });
      await (replace ? rename(temporary, target) : link(temporary, target)).catch(async (cause: unknown) => {
        done.pop();
        if (before !== undefined) await rm(before);
        throw new Error(`could not write ${target}`, { cause });
      });
    }
  } catch (fault) {
    for (const one of done) await undo(one);
    throw fault;
  } finally {
    for (const { temporary } of ready) await rm(temporary, { force: true });
  }
  for (const { before } of done) if (before !== undefined) await rm(before, { force: true });
}

/** A file that was written, and where what was there before is meanwhile. */
interface Done {
  readonly target: string;
  readonly before: string | undefined;
}

async function undo({ target, before }: Done): Promise<void> {
  await (before === undefined ? rm(target, { force: true }) : rename(before, target));
}

/** A second name for what is there; undefined if nothing is. */
async function setAside(target: string): Promise<string | undefined> {
  const before = `${target}.${randomBytes(6).toString('hex')}.old`;
  try {
    await link(target, before);
    return before;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new Error(`could not replace ${target}`, { cause });
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

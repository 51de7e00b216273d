import { lstat, mkdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/** A path that leads out of the workspace. */
export class PathEscapeError extends Error {
  override name = 'PathEscapeError';
}

/**
 * The absolute path of a path in the workspace; missing parent folders are created.
 * Throws `PathEscapeError` for a path that leads out of the workspace, by `..` or through a symbolic link,
 * or into `.git`.
 */
export async function resolveInside(workspace: string, path: string): Promise<string> {
  const resolved = join(workspace, path);
  const parts = relative(workspace, resolved).split(sep);
  if (isAbsolute(path) || parts[0] === '..' || parts[0] === '') throw outside(path);
  if (parts.some((part) => part.toLowerCase() === '.git')) throw outside(path);
  let folder = await realpath(workspace);
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    await refuseLink(folder, path);
    await mkdir(folder).catch(ignoreExisting);
  }
  await refuseLink(resolved, path);
  return join(folder, parts.at(-1) ?? '');
}

async function refuseLink(resolved: string, path: string): Promise<void> {
  const found = await lstat(resolved).catch(ignoreMissing);
  if (found?.isSymbolicLink()) throw outside(path);
}

function outside(path: string): PathEscapeError {
  return new PathEscapeError(`the path ${path} leads out of the workspace, through a link, or into .git`);
}

function ignoreExisting(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'EEXIST') throw new Error('could not create a folder in the workspace', { cause });
}

function ignoreMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
  throw new Error('could not read the workspace', { cause });
}

import { lstat, mkdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/** A path that would leave the workspace. */
export class OutsideError extends Error {
  override name = 'OutsideError';
}

/**
 * Where a path of the workspace really is, its folder made when missing.
 * Throws `OutsideError` for a path that leads out of it, by dots or by a symbolic link,
 * or into Git's own files.
 */
export async function placeInside(workspace: string, path: string): Promise<string> {
  const place = join(workspace, path);
  const parts = relative(workspace, place).split(sep);
  if (isAbsolute(path) || parts[0] === '..' || parts[0] === '') throw outside(path);
  if (parts.some((part) => part.toLowerCase() === '.git')) throw outside(path);
  let folder = await realpath(workspace);
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    await refuseLink(folder, path);
    await mkdir(folder).catch(thereAlready);
  }
  await refuseLink(place, path);
  return join(folder, parts.at(-1) ?? '');
}

async function refuseLink(place: string, path: string): Promise<void> {
  const found = await lstat(place).catch(notThere);
  if (found?.isSymbolicLink()) throw outside(path);
}

function outside(path: string): OutsideError {
  return new OutsideError(`the path ${path} leads out of the workspace, through a link, or into .git`);
}

function thereAlready(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'EEXIST') throw new Error('could not make a folder in the workspace', { cause });
}

function notThere(cause: NodeJS.ErrnoException): undefined {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
  throw new Error('could not look into the workspace', { cause });
}

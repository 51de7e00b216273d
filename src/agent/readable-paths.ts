import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** A path that programs may not be shown; the message says why, what was expected, and an example. */
export class ReadablePathError extends Error {
  override name = 'ReadablePathError';
}

/**
 * The paths in COXSWAIN_SANDBOX_READABLE, separated by commas. `ours` are absolute paths of what programs must
 * not read, such as our keys and data. Throws `ReadablePathError` for a path that would show one of them, and
 * for one that does not exist.
 */
export function readablePaths(text: string, ours: readonly string[]): readonly string[] {
  const given = text.split(',').flatMap((path) => path.trim() || []);
  for (const path of given) {
    const problem = problemWith(path, ours);
    if (problem !== null)
      throw new ReadablePathError(
        `COXSWAIN_SANDBOX_READABLE has ${JSON.stringify(path)}, ${problem}: ` +
          'expected paths of toolchains or caches, such as /opt/go,/srv/maven-cache',
      );
  }
  return given;
}

function problemWith(path: string, ours: readonly string[]): string | null {
  if (!isAbsolute(path)) return 'which is not an absolute path';
  if (!existsSync(path)) return 'which does not exist';
  const real = realpath(path);
  const shown = ours.find((each) => isWithin(realpath(each), real));
  if (shown !== undefined) return `which shows ${shown}, and agents must not read that`;
  const around = ours.find((each) => isWithin(real, realpath(each)));
  return around === undefined ? null : `which is in ${around}, and agents must not read that`;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Where a path leads; one that does not exist yet stays as it is. */
function realpath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

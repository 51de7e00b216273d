import { dirname } from 'node:path';

/** Something that the sandbox shows. */
export interface Mount {
  /** Where it is inside. */
  readonly at: string;
  /** The arguments of bubblewrap. */
  readonly args: readonly string[];
}

/** The same file or folder at the same place, which cannot be changed. */
export function readOnly(path: string): Mount {
  return { at: path, args: ['--ro-bind', path, path] };
}

/** One file instead of another. Never a device: those cannot be opened in namespaces of users. */
export function insteadOf(path: string, other: string): Mount {
  return { at: path, args: ['--ro-bind', other, path] };
}

/**
 * The arguments for mounts in order, of which later ones cover earlier ones. The folders above them are made
 * for everybody: bubblewrap would make them for the user alone that it runs as.
 */
export function argumentsFor(mounts: readonly Mount[]): readonly string[] {
  const made = new Set<string>(['/']);
  return mounts.flatMap(({ at, args }) => {
    const missing = above(at).filter((folder) => !made.has(folder));
    for (const folder of [...missing, at]) made.add(folder);
    return [...missing.flatMap((folder) => ['--perms', '0755', '--dir', folder]), ...args];
  });
}

/** From the top. */
function above(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '/' ? [] : [...above(folder), folder];
}

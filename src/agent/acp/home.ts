import { chmod, cp, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentPaths } from '../../profiles/index.ts';
import { removeTree } from '../remove-tree.ts';
import type { SandboxContext } from '../sandboxed-run.ts';

/**
 * Writes an agent's settings into the home of the attempt, and copies of folders, and removes all others.
 * Set-up has run there: what the branch brings could have left settings by which an agent asks nobody, or
 * links that lead elsewhere.
 */
export async function writeSettings(
  context: SandboxContext,
  files: Readonly<Record<string, string>>,
  folders: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { home, sandbox } = context;
  for (const path of [...agentPaths.home, ...Object.keys(files), ...Object.keys(folders)]) {
    await makeRealFolders(home, path);
    await removeTree(join(home, path));
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content, { flag: 'wx', mode: 0o600 });
  }
  for (const [path, from] of Object.entries(folders)) await cp(from, join(home, path), { recursive: true });
  await sandbox.prepare(context);
}

/** The folders above a path, as folders that we may change: a link or a file in their place is removed. */
async function makeRealFolders(home: string, path: string): Promise<void> {
  let folder = home;
  for (const part of ['', ...path.split('/').slice(0, -1)]) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(missing);
    if (found === null) return;
    if (!found.isDirectory()) return rm(folder, { force: true });
    if ((found.mode & 0o700) !== 0o700) await chmod(folder, found.mode | 0o700);
  }
}

function missing(cause: NodeJS.ErrnoException): null {
  if (cause.code === 'ENOENT') return null;
  throw new Error("could not read the attempt's home", { cause });
}

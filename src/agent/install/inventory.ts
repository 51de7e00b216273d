import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const file = 'installed.json';

/** Records what is in a folder, so that `isWhole` can tell later whether something is missing. */
export async function recordInventory(folder: string): Promise<void> {
  await writeFile(join(folder, file), `${JSON.stringify({ inventory: await inventoryOf(folder) })}\n`);
}

/** Whether everything is there that was recorded, in its size. */
export async function isWhole(folder: string): Promise<boolean> {
  const recorded = await readFile(join(folder, file), 'utf8').catch(() => ''); // not there, or unreadable
  if (recorded === '') return false;
  return recorded === `${JSON.stringify({ inventory: await inventoryOf(folder) })}\n`;
}

/** A digest of the paths, kinds and sizes of all files: reading hundreds of megabytes would take too long. */
async function inventoryOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  const lines = await Promise.all(
    paths.map(async (path) => {
      const { size, mode } = await lstat(path);
      return `${relative(folder, path)} ${mode} ${size}`;
    }),
  );
  const own = lines.filter((line) => !line.startsWith(`${file} `));
  return createHash('sha256').update(own.sort().join('\n')).digest('hex');
}

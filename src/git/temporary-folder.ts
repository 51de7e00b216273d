import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder for as long as it is used, and removes it with all that is in it. */
export async function inTemporaryFolder<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `coxswain-${name}-`));
  try {
    return await use(folder);
  } finally {
    // A program that is being ended may still write into it.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

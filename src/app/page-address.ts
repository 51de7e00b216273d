import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes the page's address with its key, which lets anyone act as the token's owner, to a file that only this
 * user can read; logs are read by many. Returns the file's path.
 */
export async function savePageAddress(data: string, address: string): Promise<string> {
  const path = join(data, 'page-address');
  // A file that exists would keep its permissions.
  await rm(path, { force: true });
  await writeFile(path, `${address}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** When the last sweep of this data folder that went through began, ISO 8601; null when nobody remembers. */
export async function readLastSweep(data: string): Promise<string | null> {
  const text = await readFile(join(data, 'last-sweep'), 'utf8').catch(() => ''); // the folder may be thrown away
  return Number.isNaN(Date.parse(text)) ? null : text;
}

export function writeLastSweep(data: string, time: string): Promise<void> {
  return writeFile(join(data, 'last-sweep'), time, { mode: 0o600 });
}

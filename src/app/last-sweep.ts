import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** When the last successful sweep with this data folder started, ISO 8601; null if unknown. */
export async function readLastSweep(data: string): Promise<string | null> {
  const text = await readFile(join(data, 'last-sweep'), 'utf8').catch(() => ''); // the folder may be gone
  return Number.isNaN(Date.parse(text)) ? null : text;
}

export function writeLastSweep(data: string, time: string): Promise<void> {
  return writeFile(join(data, 'last-sweep'), time, { mode: 0o600 });
}

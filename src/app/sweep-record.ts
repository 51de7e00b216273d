import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What the sweeps of a data folder remember over restarts. */
export interface SweepRecord {
  /** When the last sweep started that recorded every delivery, ISO 8601; null if unknown. */
  readonly last_sweep: string | null;
  /** How often each delivery could not be recorded, by its GUID, in tenths of a try. */
  readonly failed: Readonly<Record<string, number>>;
  /** How many deliveries were given up so far. */
  readonly given_up: number;
}

const none: SweepRecord = { last_sweep: null, failed: {}, given_up: 0 };

const recordShape = z.object({
  last_sweep: z.iso.datetime().nullable(),
  failed: z.record(z.string(), z.int().min(0)),
  given_up: z.int().min(0),
});

/** Without a record, or with one that cannot be read, the sweep looks as far back as GitHub does. */
export async function readSweepRecord(data: string): Promise<SweepRecord> {
  const text = await readFile(pathIn(data), 'utf8').catch(() => ''); // the folder may be gone
  // Earlier versions wrote the time alone.
  if (z.iso.datetime().safeParse(text).success) return { ...none, last_sweep: text };
  const parsed = recordShape.safeParse(jsonIn(text));
  return parsed.success ? parsed.data : none;
}

export async function writeSweepRecord(data: string, record: SweepRecord): Promise<void> {
  const fresh = `${pathIn(data)}.new`;
  await writeFile(fresh, JSON.stringify(record), { mode: 0o600 });
  await rename(fresh, pathIn(data));
}

function pathIn(data: string): string {
  return join(data, 'last-sweep');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

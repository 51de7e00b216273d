import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const count = z.number().default(0);

/** A request to a model: what is likely when it begins, and then what it used. */
const entrySchema = z.object({
  id: z.string(),
  /** `owner/repo#n` */
  run: z.string(),
  model: z.string(),
  tokens: z.object({
    ...{ input: count, cached_input: count, cache_write: count, long_cache_write: count, output: count },
  }),
  /** Absent if the price is not known. */
  usd: z.number().optional().catch(undefined),
  estimated: z.boolean().catch(false),
});

export type Entry = z.output<typeof entrySchema>;

/** The UTC day of a time in milliseconds, such as `2026-11-23`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

const keptDays = 40;
const dayMs = 24 * 60 * 60 * 1000;
const fileName = /^(20\d\d-\d\d-\d\d)\.jsonl$/;

/**
 * Opens, and makes, the folder with the requests of this and the last days, as JSON lines in one file per UTC
 * day. Each is written when it begins and again when it ended; the later line counts. What is written
 * survives the end of the process at any point, and a torn line is read over. Throws if it cannot be read.
 */
export function openJournal(folder: string, today: string) {
  const days = keptIn(folder, today);
  let isTorn = false;
  return {
    /** Everything kept, by the day on which it began, oldest first. */
    days,
    /** Throws if it cannot be written. */
    write(day: string, entry: Entry): void {
      const line = `${isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`;
      // On a full disk a part of it may be written.
      isTorn = true;
      appendFileSync(join(folder, `${day}.jsonl`), line, { mode: 0o600 });
      isTorn = false;
    },
    /** Removes the files of days before. */
    prune: (day: string) => prune(folder, day),
  };
}

function keptIn(folder: string, today: string): ReadonlyMap<string, readonly Entry[]> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    prune(folder, today);
    return new Map(daysIn(folder).map((day) => [day, read(join(folder, `${day}.jsonl`))]));
  } catch (cause) {
    throw new Error(`could not read what models cost in ${folder}`, { cause });
  }
}

function daysIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .flatMap((name) => fileName.exec(name)?.[1] ?? [])
    .sort();
}

function prune(folder: string, today: string): void {
  const oldest = dayOf(Date.parse(today) - keptDays * dayMs);
  for (const day of daysIn(folder)) if (day < oldest) rmSync(join(folder, `${day}.jsonl`), { force: true });
}

function read(path: string): readonly Entry[] {
  const text = readFileSync(path, 'utf8');
  // Whatever is written next must not become a part of a torn line.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  const newest = new Map(
    text
      .split('\n')
      .flatMap(entryIn)
      .map((entry) => [entry.id, entry]),
  );
  return [...newest.values()];
}

function entryIn(line: string): readonly Entry[] {
  try {
    return [entrySchema.parse(JSON.parse(line))];
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof z.ZodError) return [];
    throw fault;
  }
}

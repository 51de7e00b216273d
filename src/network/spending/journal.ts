import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { noTokens, type Tokens } from './budget.ts';

/** A request to a model: what it could use when it began, and then what it used. */
export interface JournalEntry {
  readonly id: string;
  /** `owner/repo#n` */
  readonly run: string;
  readonly model: string;
  readonly tokens: Tokens;
  /** Absent if the price is not known. */
  readonly usd?: number;
  readonly estimated: boolean;
}

/**
 * The requests of this and the last days, as JSON lines in one file per UTC day. Each is written when it
 * begins and again when it ended; the later line counts. What is written survives the end of the process at
 * any point, and a torn line is read over.
 */
export interface Journal {
  /** Everything kept, by the day on which it began, oldest first. */
  readonly days: ReadonlyMap<string, readonly JournalEntry[]>;
  /** Throws if it cannot be written. */
  write(day: string, entry: JournalEntry): void;
  /** Removes the files of days before. */
  prune(today: string): void;
}

/** The UTC day of a time in milliseconds, such as `2026-11-23`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

const keptDays = 40;
const dayMs = 24 * 60 * 60 * 1000;
const fileName = /^(20\d\d-\d\d-\d\d)\.jsonl$/;

/** Opens, and makes, the folder. Throws if it cannot be read. */
export function openJournal(folder: string, today: string): Journal {
  const days = keptIn(folder, today);
  let isTorn = false;
  return {
    days,
    write(day, entry) {
      const line = `${isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`;
      // On a full disk a part of it may be written.
      isTorn = true;
      appendFileSync(join(folder, `${day}.jsonl`), line, { mode: 0o600 });
      isTorn = false;
    },
    prune: (day) => prune(folder, day),
  };
}

function keptIn(folder: string, today: string): Journal['days'] {
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

function read(path: string): readonly JournalEntry[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  // Whatever is written next must not become a part of a torn line.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  const newest = new Map(
    text
      .split('\n')
      .flatMap((line) => entryIn(line))
      .map((entry) => [entry.id, entry]),
  );
  return [...newest.values()];
}

function entryIn(line: string): readonly JournalEntry[] {
  const entry = parsed(line);
  if (typeof entry !== 'object' || entry === null) return [];
  const { id, run, model, tokens, usd, estimated } = entry as Partial<JournalEntry>; // checked below
  if (typeof id !== 'string' || typeof run !== 'string' || typeof model !== 'string') return [];
  if (typeof tokens !== 'object' || tokens === null) return [];
  const counted = { ...noTokens, ...tokens };
  if (!Object.values(counted).every((count) => Number.isFinite(count))) return [];
  const money = typeof usd === 'number' ? { usd } : {};
  return [{ id, run, model, tokens: counted, ...money, estimated: estimated === true }];
}

/** Undefined for a line that is not JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

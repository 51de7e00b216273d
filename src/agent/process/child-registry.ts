import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isGone, signalGroup, startTime } from '../../process/process-group.ts';

/**
 * Registers the leader of a process group, so that the next start can find it. Returns how to unregister it.
 */
export function registerChild(pid: number, mark: string, workRoot: string): () => void {
  const directory = registryIn(workRoot);
  const path = join(directory, `${process.pid}-${pid}.json`);
  mkdirSync(directory, { recursive: true });
  const child = { ...identify(pid), owner: identify(process.pid), mark };
  writeFileSync(path, JSON.stringify(child));
  return () => rmSync(path, { force: true });
}

/**
 * Kills the process groups that an App left behind when it was killed itself, and returns their ids. Only
 * children whose owner has ended are killed: the group if the leader still has the registered start time, and
 * every process that carries the child's mark. Without `/proc` neither is known, and nothing is killed.
 */
export function killOrphans(workRoot: string): readonly number[] {
  const directory = registryIn(workRoot);
  mkdirSync(directory, { recursive: true });
  return readdirSync(directory).flatMap((name) => killOrphan(join(directory, name)));
}

function killOrphan(path: string): number[] {
  const child = parsed(readFileSync(path, 'utf8'), entrySchema);
  if (child !== undefined && isAlive(child.owner)) return [];
  const ended = child !== undefined && isAlive(child) && signalGroup(child.pid, 'SIGKILL');
  if (child !== undefined) killMarked(child.mark);
  rmSync(path, { force: true });
  return ended ? [child.pid] : [];
}

function registryIn(workRoot: string): string {
  return join(workRoot, 'children');
}

/** Set for a child and inherited by all its descendants, whatever group or session they join. */
const variable = 'COXSWAIN_CHILD';

/** A unique mark for one child. */
export function newMark(): string {
  return `${variable}=${randomBytes(12).toString('hex')}`;
}

export function withMark(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [variable]: mark.slice(variable.length + 1) };
}

/** A process may start another while we search, so we search again; each time fewer are left. */
const maxSearches = 5;

/**
 * Kills every process that carries the mark, also those that have left the child's process group.
 * Without `/proc` none is found.
 */
export function killMarked(mark: string): void {
  for (let search = 0; search < maxSearches; search++) {
    const found = processesWith(mark);
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
  }
}

function processesWith(mark: string): readonly number[] {
  const processes = listing().filter((name) => /^\d+$/.test(name));
  return processes.filter((name) => environmentOf(name).includes(mark)).map(Number);
}

function listing(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch (cause) {
    if (isGone(cause)) return []; // not Linux
    throw new Error('could not list the processes', { cause });
  }
}

/** Empty for other users' processes and for those that are ending or have ended. */
function environmentOf(name: string): string {
  try {
    return readFileSync(`/proc/${name}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** Kills a process, unless it has ended. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (cause) {
    if (!isGone(cause)) throw new Error(`could not kill process ${pid}`, { cause });
  }
}

/** A process by id and start time: ids are reused, the pair is not. */
const identitySchema = z.object({
  pid: z.number().int().positive(),
  /** Null where there is no `/proc` that could tell. */
  started: z.string().nullable(),
});

const entrySchema = identitySchema.extend({ owner: identitySchema, mark: z.string().min(20) });

type Identity = z.output<typeof identitySchema>;

export function identify(pid: number): Identity {
  return { pid, started: startTime(pid) };
}

/** Whether this very process still exists. If its start time is unknown, it counts as gone. */
export function isAlive({ pid, started }: Identity): boolean {
  return started !== null && startTime(pid) === started;
}

/** Undefined for a file that a crash left half-written. */
export function readIdentity(text: string): Identity | undefined {
  return parsed(text, identitySchema);
}

function parsed<T>(text: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof z.ZodError) return undefined;
    throw cause;
  }
}

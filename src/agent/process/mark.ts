import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isGone } from '../../process/start-time.ts';

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

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (cause) {
    if (!isGone(cause)) throw new Error(`could not kill process ${pid}`, { cause });
  }
}

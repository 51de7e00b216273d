import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isGone } from './identity.ts';

/** In the environment of a child and of all that descends from it, whatever group or session that joins. */
const variable = 'COXSWAIN_CHILD';

/** What one child is known by, and nobody else. */
export function newMark(): string {
  return `${variable}=${randomBytes(12).toString('hex')}`;
}

export function withMark(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [variable]: mark.slice(variable.length + 1) };
}

/** While it is looked for, what is there may start more; each time fewer are left to do so. */
const mostLooks = 5;

/**
 * Ends everything that bears the mark. A signal to the group does not reach bubblewrap's own child before
 * that has arranged to die with its parent, nor whoever has left the group. Without `/proc` nothing is found.
 */
export function killMarked(mark: string): void {
  for (let looks = 0; looks < mostLooks; looks++) {
    const found = processesWith(mark);
    if (found.length === 0) return;
    for (const pid of found) end(pid);
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

/** Empty for those of other users, for the dying and for the dead. */
function environmentOf(name: string): string {
  try {
    return readFileSync(`/proc/${name}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (cause) {
    if (!isGone(cause)) throw new Error(`could not end process ${pid}`, { cause });
  }
}

import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

/** All that a process has started, and itself. Empty once it has ended, and without `/proc`. */
export function processTree(leader: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of listed('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = parentOf(String(leader)) === undefined ? [] : [leader];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** The fourth field; the second is the program's name, in parentheses, and may contain anything. */
function parentOf(name: string): number | undefined {
  const stat = textOf(`/proc/${name}/stat`);
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return stat === '' || Number.isNaN(parent) ? undefined : parent;
}

const pageBytes = 4096;

/** The memory of a process that it does not share with others, in bytes. */
export function privateMemory(pid: number): number {
  const [, resident = 0, shared = 0] = textOf(`/proc/${pid}/statm`).split(' ').map(Number);
  return Math.max(resident - shared, 0) * pageBytes;
}

/** More would take too long to look at. */
export const maxDescriptors = 250_000;

/** Looked at without a pause, which takes some ten milliseconds. */
const atOnce = 2_000;

/** Files that have no name, by where their bytes are. */
export interface NamelessFiles {
  readonly diskBytes: number;
  readonly memoryBytes: number;
}

/**
 * What processes hold in files that are deleted, or never had a name. Null if the processes have more open
 * files than we look at.
 */
export async function namelessFiles(pids: readonly number[]): Promise<NamelessFiles | null> {
  // By device and number: many descriptors can be of one file.
  const found = new Map<string, NamelessFiles>();
  let looks = 0;
  for (const pid of pids) {
    for (const name of await descriptorsOf(pid)) {
      looks += 1;
      if (looks > maxDescriptors) return null;
      if (looks % atOnce === 0) await setImmediate();
      const file = namelessFile(`/proc/${pid}/fd/${name}`);
      if (file !== undefined) found.set(file.id, file);
    }
  }
  const sum = (of: keyof NamelessFiles) => [...found.values()].reduce((all, each) => all + each[of], 0);
  return { diskBytes: sum('diskBytes'), memoryBytes: sum('memoryBytes') };
}

function descriptorsOf(pid: number): Promise<readonly string[]> {
  return readdir(`/proc/${pid}/fd`).catch(() => []); // ended in the meantime
}

function namelessFile(path: string): (NamelessFiles & { readonly id: string }) | undefined {
  try {
    const target = readlinkSync(path);
    if (!target.endsWith(' (deleted)')) return undefined;
    const { dev, ino, blocks } = statSync(path);
    const bytes = blocks * 512;
    const inMemory = target.startsWith('/memfd:') || target.startsWith('/dev/shm/');
    return { id: `${dev}:${ino}`, diskBytes: inMemory ? 0 : bytes, memoryBytes: inMemory ? bytes : 0 };
  } catch {
    return undefined; // closed in the meantime
  }
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // ended in the meantime
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // ended in the meantime
  }
}

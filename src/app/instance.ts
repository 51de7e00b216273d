import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTime } from '../process/process-group.ts';

/** This process, as distinguished from all others that ever used the same data folder. */
export interface Instance {
  /** A unique name for a lease holder. */
  nextHolder(): string;
  /** Whether a holder belongs to this process. */
  isOwn(holder: string): boolean;
  /** Whether a holder belongs to an earlier process of this data folder, which no longer runs. */
  isEarlierProcess(holder: string): boolean;
  leave(): Promise<void>;
}

/** Locks a data folder. Throws if a running process uses it: two would end each other's work. */
export async function takeFolder(data: string): Promise<Instance> {
  await makeFolder(data);
  const lock = join(data, 'lock');
  await takeLock(lock, data);
  const name = await nameOf(data);
  const boot = randomBytes(4).toString('hex');
  let count = 0;
  let held = true;
  return {
    nextHolder: () => `${name}.${boot}.${++count}`,
    isOwn: (holder) => holder.startsWith(`${name}.${boot}.`),
    isEarlierProcess: (holder) => holder.startsWith(`${name}.`) && !holder.startsWith(`${name}.${boot}.`),
    leave: async () => {
      const release = held;
      held = false;
      // Once only: afterwards the lock may be another instance's.
      if (release) await rm(lock, { force: true });
    },
  };
}

async function makeFolder(data: string): Promise<void> {
  try {
    await mkdir(data, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Error(`could not make the data folder ${data}: expected a folder in COXSWAIN_DATA`, { cause });
  }
}

async function takeLock(lock: string, data: string): Promise<void> {
  for (const last of [false, true]) {
    try {
      const file = await open(lock, 'wx', 0o600);
      await file.writeFile(signatureOf(process.pid));
      await file.close();
      return;
    } catch (cause) {
      if (!isTaken(cause)) throw new Error(`could not write to the data folder ${data}`, { cause });
      const held = await readFile(lock, 'utf8').catch(() => '');
      const pid = Number(held.split(' ', 1)[0]);
      const alive = pid > 0 && held === signatureOf(pid);
      if (alive || last) {
        throw new Error(`the data folder ${data} is in use by process ${pid}; set COXSWAIN_DATA to another`, {
          cause,
        });
      }
      await rm(lock, { force: true });
    }
  }
}

function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
}

/** Without `/proc`, only whether a process with this id runs. */
function signatureOf(pid: number): string {
  return `${pid} ${startTime(pid) ?? (isAlive(pid) ? 'alive' : 'gone')}`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: no such process
  }
}

async function nameOf(data: string): Promise<string> {
  const path = join(data, 'instance');
  const known = await readFile(path, 'utf8').catch(() => '');
  if (/^[0-9a-f]{8}$/.test(known)) return known;
  const name = randomBytes(4).toString('hex');
  await writeFile(path, name, { mode: 0o600 });
  return name;
}

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { isGone } from '../../process/start-time.ts';
import { kill } from '../process/registry.ts';

/** What bubblewrap says before the program starts, with `--json-status-fd`. */
const statusSchema = z.object({ 'child-pid': z.number().int().min(2), 'pid-namespace': z.number().int() });

/** Of the name of a file with such a status. */
export const statusFileEnding = '.status.json';

/** Ends what is left of the sandboxes whose status is in a folder, unless the machine was restarted since. */
export async function endAllIn(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []); // never made
  const bootedMs = Date.now() - uptime() * 1000;
  for (const name of names.filter((each) => each.endsWith(statusFileEnding))) {
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs > bootedMs) await endAll(join(folder, name));
  }
}

const patienceMs = 10_000;

/**
 * Ends the first process of a sandbox, and with it the kernel ends all others; resolves when none is left.
 *
 * That bubblewrap dies does not suffice: a program of the same user can trace the first process and have it
 * forget its parent and leave our group. Throws if something cannot be ended.
 */
export async function endAll(statusFile: string): Promise<void> {
  const first = await firstProcess(statusFile);
  if (first === undefined) return;
  const until = performance.now() + patienceMs;
  for (let pauseMs = 1; isAlive(first); pauseMs = Math.min(2 * pauseMs, 50)) {
    if (performance.now() > until) throw new Error('could not end the programs of an attempt');
    kill(first.pid);
    await setTimeout(pauseMs);
  }
}

/**
 * Whether a program has been started and has ended by itself: only then does bubblewrap say with what exit
 * code, and where one is inside another, so do both.
 */
export async function hasRun(statusFile: string, sandboxes: number): Promise<boolean> {
  const text = await readFile(statusFile, 'utf8').catch(() => ''); // never made
  return (text.match(/"exit-code"/g) ?? []).length >= sandboxes;
}

type FirstProcess = NonNullable<Awaited<ReturnType<typeof firstProcess>>>;

/** Undefined if bubblewrap never got so far: then nothing has started. */
async function firstProcess(statusFile: string) {
  const text = await readFile(statusFile, 'utf8').catch((cause: unknown) => {
    if (isGone(cause)) return '';
    throw new Error('could not read the status of a sandbox', { cause });
  });
  const [line = ''] = text.split('\n', 1);
  if (line === '') return undefined;
  const status = statusSchema.parse(JSON.parse(line));
  // The namespace of processes that it is the first of: ids of processes are used again.
  return { pid: status['child-pid'], namespace: `pid:[${status['pid-namespace']}]` };
}

function isAlive({ pid, namespace }: FirstProcess): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === namespace && !hasEnded(pid);
  } catch (cause) {
    // Another user's has got the id since: ours we may look at.
    const isOthers = cause instanceof Error && 'code' in cause && cause.code === 'EACCES';
    if (isOthers || isGone(cause)) return false;
    throw new Error(`could not look at process ${pid}`, { cause });
  }
}

/** Ended, and nobody has asked how. A process that lives on in another thread looks the same. */
function hasEnded(pid: number): boolean {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const state = text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3);
  return 'ZX'.includes(state) && readdirSync(`/proc/${pid}/task`).length <= 1;
}

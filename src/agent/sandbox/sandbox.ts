import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { isGone } from '../../process/process-group.ts';
import { runTool } from '../process/child.ts';
import { kill } from '../process/child-registry.ts';
import { type Bubblewrap, bubblewrapped, withFiles } from './bubblewrap.ts';
import type { Confinement, SandboxPaths } from './folders.ts';
import { makeFiles } from './mounts.ts';
import { type Bounding, watch } from './resource-limits.ts';

/** How the programs of an attempt are isolated from this machine. */
export interface Sandbox {
  readonly kind: 'bubblewrap' | 'none';
  /** A warning for people; null when the sandbox works. */
  readonly note: string | null;
  /** Why there is none, in part of a sentence; null when the sandbox works. */
  readonly problem: string | null;
  /** What it cannot bound on this machine, in a sentence for the operator; null if nothing. */
  readonly unbounded: string | null;
  /** Makes the folders of an attempt ready for its programs; again after others have been written there. */
  prepare(paths: SandboxPaths): Promise<void>;
  confine(argv: readonly string[], paths: SandboxPaths, confinement?: Confinement): Promise<Confined>;
}

/** One program in the sandbox. */
interface Confined {
  readonly argv: readonly string[];
  /** Called with its first process. `onExceeded` is told what it uses too much of, in part of a sentence. */
  started(leader: number, onExceeded: (what: string) => void): void;
  /** Called when its first process has ended; ends what is left of it. */
  ended(): Promise<{
    /** What the kernel stopped it from using too much of, in part of a sentence; null if nothing. */
    readonly exceeded: string | null;
    /** False: the sandbox was never made, such as by a bubblewrap that is gone, or the program was killed. */
    readonly began: boolean;
  }>;
}

export function bubblewrap(wrapping: Bubblewrap, bounding: Bounding): Sandbox {
  const { limits } = wrapping;
  return {
    ...{ kind: 'bubblewrap', note: null, problem: null, unbounded: bounding.note },
    prepare: (paths) => prepare(paths, wrapping),
    confine: async (argv, paths, confinement = {}) => {
      const wrapped = bubblewrapped(argv, paths, { ...wrapping, confinement });
      const group = await bounding.open();
      const status = join(paths.made, `${randomBytes(6).toString('hex')}${statusFileEnding}`);
      let stop = (): void => undefined;
      const isNested = wrapping.user(paths) !== null;
      return {
        argv: group.enter(withFiles(wrapped, { made: paths.made, status, isNested })),
        started: (leader, onExceeded) => {
          const { holdsMemory: memoryHeld, holdsProcesses: processesHeld } = bounding;
          stop = watch({ leader, paths, limits, memoryHeld, processesHeld }, onExceeded);
        },
        ended: async () => {
          stop();
          await endAll(status);
          const began = await hasRun(status, isNested ? 2 : 1);
          const exceeded = await group.exceeded();
          await group.remove();
          return { exceeded, began };
        },
      };
    },
  };
}

export const sandboxSwitchedOff = none(
  'it is switched off',
  'the sandbox is switched off: agent and verifiers run with the same permissions as Coxswain',
);

/** Programs run as they are. `problem` says why. */
export function noSandbox(problem: string): Sandbox {
  const note = 'no sandbox: agent and verifiers run with the same permissions as Coxswain';
  return none(problem, `${note}, because ${problem}`);
}

function none(problem: string, note: string): Sandbox {
  return {
    ...{ kind: 'none', note, problem, unbounded: null },
    prepare: async () => undefined,
    confine: async (argv) => ({
      argv,
      started: () => undefined,
      ended: async () => ({ exceeded: null, began: true }),
    }),
  };
}

async function prepare(paths: SandboxPaths, wrapping: Bubblewrap): Promise<void> {
  const user = wrapping.user(paths);
  const { home, made, workspace, temp, exchange } = paths;
  const ourselves = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  await makeFiles(made, user ?? ourselves);
  if (user !== null) await hand([home, workspace, temp, exchange], `${user.uid}:${user.gid}`);
}

const handingTimeoutMs = 10 * 60_000;

/** Makes folders the user's, with all that is in them; links are not followed. */
async function hand(folders: readonly string[], owner: string): Promise<void> {
  const argv = ['chown', '-R', '-h', '-P', owner, '--', ...folders];
  const { succeeded, said, end } = await runTool(argv, { timeoutMs: handingTimeoutMs });
  if (!succeeded) throw new Error(`could not hand the workspace to user ${owner}: ${said || end}`);
}

/** What bubblewrap says before the program starts, with `--json-status-fd`. */
const statusSchema = z.object({ 'child-pid': z.number().int().min(2), 'pid-namespace': z.number().int() });

/** The name of a file with such a status ends like this. */
const statusFileEnding = '.status.json';

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
async function endAll(statusFile: string): Promise<void> {
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
async function hasRun(statusFile: string, sandboxes: number): Promise<boolean> {
  const text = await readFile(statusFile, 'utf8').catch(() => ''); // never made
  return (text.match(/"exit-code"/g) ?? []).length >= sandboxes;
}

/** Reads which process it is; undefined if bubblewrap never got so far, and nothing has started. */
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

function isAlive({ pid, namespace }: { readonly pid: number; readonly namespace: string }): boolean {
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

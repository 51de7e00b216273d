import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { runTool } from '../process/tool.ts';
import type { Bounding } from './bounding.ts';
import { type Bubblewrap, bubblewrapped, withFiles } from './bubblewrap.ts';
import { endAll, hasRun, statusFileEnding } from './first-process.ts';
import { makeFiles } from './made-files.ts';
import type { Confinement, SandboxPaths } from './paths.ts';
import { watch } from './watch.ts';

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

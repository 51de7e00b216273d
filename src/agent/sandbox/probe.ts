import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxMode } from '../../steering/settings.ts';
import { searchPath } from '../environment.ts';
import { runChild } from '../process/child.ts';
import { bubblewrapped, type Machine } from './bubblewrap.ts';
import type { SandboxPaths } from './paths.ts';

/** How the programs of an attempt are isolated from this machine. */
export interface Sandbox {
  readonly kind: 'bubblewrap' | 'none';
  /** A warning for people; null when the sandbox works. */
  readonly note: string | null;
  /** Why there is none, in part of a sentence; null when the sandbox works. */
  readonly problem: string | null;
  /** The command line that runs `argv` in the sandbox. */
  wrap(argv: readonly string[], paths: SandboxPaths): readonly string[];
}

const installAdvice = [
  'install it with `apt install bubblewrap` (Debian, Ubuntu) or `dnf install bubblewrap` (Fedora)',
  'where it is installed but AppArmor forbids it (Ubuntu 24.04), allow it with' +
    ' `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` or a profile for bwrap',
].join('; ');

/** Checks whether bubblewrap works here. Throws when it is required and does not. */
export async function probeSandbox(mode: SandboxMode, machine: Machine = {}): Promise<Sandbox> {
  if (mode === 'off') return sandboxSwitchedOff;
  const problem = await problemWithBubblewrap(machine);
  if (problem === null) return bubblewrap(machine);
  const problemText = `bubblewrap does not work here (${problem}); ${installAdvice}`;
  if (mode === 'required') throw new Error(`the sandbox is required, but ${problemText}`);
  return noSandbox(problemText);
}

function bubblewrap(machine: Machine): Sandbox {
  return {
    kind: 'bubblewrap',
    note: null,
    problem: null,
    wrap: (argv, paths) => bubblewrapped(argv, paths, machine),
  };
}

const sandboxSwitchedOff: Sandbox = {
  kind: 'none',
  note: 'the sandbox is switched off: agent and verifiers run with the same permissions as Coxswain',
  problem: 'it is switched off',
  wrap: (argv) => argv,
};

/** Programs run as they are. `problem` says why. */
export function noSandbox(problem: string): Sandbox {
  const note = `no sandbox: agent and verifiers run with the same permissions as Coxswain, because ${problem}`;
  return { kind: 'none', note, problem, wrap: (argv) => argv };
}

/** Runs `true` with the same command line that an attempt would get. */
async function problemWithBubblewrap(machine: Machine): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-probe-'));
  const paths = { workspace: folder, home: folder, temp: folder, exchange: folder, readable: [] };
  const request = {
    argv: bubblewrapped(['true'], paths, machine),
    cwd: '/',
    env: { PATH: searchPath() },
    timeoutMs: 10_000,
    workRoot: folder,
  };
  const result = await runChild(request, new AbortController().signal);
  await rm(folder, { recursive: true, force: true });
  if (result.end === 'not_started') return result.message;
  if (result.end === 'exited' && result.exitCode === 0) return null;
  return result.stderr.trim() || `it ended with ${result.end}`;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxMode } from '../../steering/settings.ts';
import { searchPath } from '../environment.ts';
import { runChild } from '../process/child.ts';
import { bubblewrapped, type Machine } from './bubblewrap.ts';
import type { Walls } from './paths.ts';

/** How an attempt's programs are kept apart from this machine. */
export interface Sandbox {
  readonly kind: 'bubblewrap' | 'none';
  /** What people must be told about it, or null when it is as it should be. */
  readonly note: string | null;
  /** The command line that runs `argv` inside. */
  wrap(argv: readonly string[], room: Walls): readonly string[];
}

const howToGetIt = [
  'install it with `apt install bubblewrap` (Debian, Ubuntu) or `dnf install bubblewrap` (Fedora)',
  'where it is installed but AppArmor forbids it (Ubuntu 24.04), allow it with' +
    ' `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` or a profile for bwrap',
].join('; ');

/** Finds out whether bubblewrap works here. Throws when it is required and does not. */
export async function probeSandbox(mode: SandboxMode, machine: Machine = {}): Promise<Sandbox> {
  if (mode === 'off') return bare('the sandbox is switched off: agent and verifiers run with our own rights');
  const problem = await problemWithBubblewrap(machine);
  if (problem === null) {
    return { kind: 'bubblewrap', note: null, wrap: (argv, room) => bubblewrapped(argv, room, machine) };
  }
  const said = `bubblewrap does not work here (${problem}); ${howToGetIt}`;
  if (mode === 'required') throw new Error(`the sandbox is required, but ${said}`);
  return bare(`no sandbox: agent and verifiers run with our own rights, because ${said}`);
}

function bare(note: string): Sandbox {
  return { kind: 'none', note, wrap: (argv) => argv };
}

/** Runs the very command line an attempt would get, for a program that does nothing. */
async function problemWithBubblewrap(machine: Machine): Promise<string | null> {
  const place = await mkdtemp(join(tmpdir(), 'coxswain-probe-'));
  const walls = { workspace: place, home: place, temp: place, exchange: place, readable: [] };
  const request = {
    argv: bubblewrapped(['true'], walls, machine),
    cwd: '/',
    env: { PATH: searchPath() },
    timeoutMs: 10_000,
    workRoot: place,
  };
  const ended = await runChild(request, new AbortController().signal);
  await rm(place, { recursive: true, force: true });
  if (ended.end === 'not_started') return ended.message;
  if (ended.end === 'exited' && ended.exitCode === 0) return null;
  return ended.stderr.trim() || `it ended with ${ended.end}`;
}

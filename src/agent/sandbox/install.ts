import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endingOf } from '../../text/cut.ts';
import { runTool } from '../process/tool.ts';
import { type MachineSettings, probeSandbox } from './probe.ts';
import { noSandbox, type Sandbox } from './sandbox.ts';

/**
 * The sandbox of a machine with `apt-get` and `sudo` that is thrown away afterwards, such as a runner of
 * GitHub's: what is missing for bubblewrap is installed. Without a sandbox, its `problem` names the commands
 * that failed, with their output. `say` receives each command.
 */
export async function installSandbox(
  machine: MachineSettings,
  say: (text: string) => void,
): Promise<Sandbox> {
  const failures: string[] = [];
  let found = await probeSandbox('preferred', machine);
  for (const step of steps) {
    if (found.kind !== 'none') return found;
    failures.push(...(await step(say)));
    found = await probeSandbox('preferred', machine);
  }
  if (found.kind !== 'none' || failures.length === 0) return found;
  return noSandbox(`${failures.join('; ')}; and ${found.problem}`);
}

/** Each returns what failed. They are taken in order, until bubblewrap works. */
const steps = [installPackage, allowBubblewrap, allowEveryone];

type Say = (text: string) => void;

/** The lists of packages on a runner may be older than the packages on the server. */
async function installPackage(say: Say): Promise<readonly string[]> {
  if ((await runTool(['bwrap', '--version'], { timeoutMs: longestS * 1000 })).succeeded) return [];
  const install = [...aptGet, 'install', '--yes', '--no-install-recommends', 'bubblewrap'];
  if ((await asRoot(install, say)).length === 0) return [];
  const updated = await asRoot([...aptGet, 'update'], say);
  const again = await asRoot(install, say);
  return again.length === 0 ? [] : [...updated, ...again];
}

/** The first boot of a machine may still hold the lock, and mirrors fail now and then. */
const aptGet = ['apt-get', '-o', 'DPkg::Lock::Timeout=60', '-o', 'Acquire::Retries=3'];

/**
 * Ubuntu 24.04 allows user namespaces only to programs with such a profile:
 * https://discourse.ubuntu.com/t/ubuntu-24-04-lts-noble-numbat-release-notes/39890
 */
async function allowBubblewrap(say: Say): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-apparmor-'));
  const file = join(folder, 'bwrap');
  await writeFile(file, profile);
  const failures = await asRoot(['apparmor_parser', '--replace', file], say);
  await rm(folder, { recursive: true, force: true });
  return failures;
}

const profile = `abi <abi/4.0>,
include <tunables/global>

profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}
`;

/** For a machine whose AppArmor does not take the profile. */
function allowEveryone(say: Say): Promise<readonly string[]> {
  return asRoot(['sysctl', '-w', 'kernel.apparmor_restrict_unprivileged_userns=0'], say);
}

/** The longest that one command may take, in seconds. */
const longestS = 180;

/**
 * Runs a command as root, with `timeout` inside of `sudo`: we may not end processes of root ourselves. A job in
 * a container is root already, and its image may have no `sudo`. Returns what failed.
 */
async function asRoot(argv: readonly string[], say: Say): Promise<readonly string[]> {
  say(`installing the sandbox: ${argv.join(' ')}`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const limited = [...sudo, 'timeout', '--kill-after=10', String(longestS), ...argv];
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const { succeeded, how, said } = await runTool(limited, { timeoutMs: 2 * longestS * 1000, env });
  const output = said === '' ? '' : `: ${endingOf(said, 500)}`;
  return succeeded ? [] : [`\`${[...sudo.slice(0, 1), ...argv].join(' ')}\` ${how}${output}`];
}

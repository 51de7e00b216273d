import { runProcessGroup } from '../../process/process-group.ts';
import { searchPath, sessionOfSystemd } from '../environment.ts';
import {
  type ControlGroup,
  type ControlGroups,
  findControllers,
  openControlGroups,
} from './control-groups.ts';
import type { ResourceLimits } from './limits.ts';

/** How the kernel keeps programs within their limits here. */
export interface Bounding {
  /** Whether it holds their memory; otherwise it is watched. */
  readonly holdsMemory: boolean;
  /** Whether it holds how many they are; otherwise each user's are counted, but not those of root. */
  readonly holdsProcesses: boolean;
  /** What is not held, in a sentence for the operator; null if everything is. */
  readonly note: string | null;
  open(limits: ResourceLimits): Promise<ControlGroup>;
}

/** Control groups that are delegated to us, else scopes of systemd, else none. */
export async function boundingHere(limits: ResourceLimits): Promise<Bounding> {
  const groups = await openControlGroups().catch((fault: unknown) => reasonOf(fault));
  if (typeof groups !== 'string') {
    return { ...holding(groups), open: (each) => groups.open(each) };
  }
  const problem = await problemWithScopes(limits);
  if (problem !== null) return { ...unbounded, note: whatIsMissing(groups, problem) };
  return { ...everything, open: async (each) => scope(each) };
}

/** What `boundingHere` would find. Changes nothing. */
export async function examineBounding(limits: ResourceLimits): Promise<Omit<Bounding, 'open'>> {
  const groups = await findControllers().catch((fault: unknown) => reasonOf(fault));
  if (typeof groups !== 'string') return holding(groups);
  const problem = await problemWithScopes(limits);
  return problem === null ? everything : { ...unbounded, note: whatIsMissing(groups, problem) };
}

const everything = { holdsMemory: true, holdsProcesses: true, note: null };

function holding({ controllers }: Pick<ControlGroups, 'controllers'>): Omit<Bounding, 'open'> {
  const missing = ['memory', 'pids', 'cpu'].filter((name) => !controllers.includes(name));
  const note = missing.length === 0 ? null : `cgroup v2 does not bound ${missing.join(' and ')} here`;
  return { holdsMemory: !missing.includes('memory'), holdsProcesses: !missing.includes('pids'), note };
}

function whatIsMissing(groups: string, scopes: string): string {
  return (
    `memory is only watched and processors are not bounded here, because ${groups} and ${scopes}: ` +
    'run Coxswain as a service of systemd with `Delegate=yes`, or in a container with a cgroup of its own'
  );
}

function scope(limits: ResourceLimits): ControlGroup {
  return { ...nothing, enter: (argv) => inScope(argv, limits) };
}

const nothing: ControlGroup = {
  enter: (argv) => argv,
  exceeded: async () => null,
  remove: async () => undefined,
};

/** The kernel holds nothing but the limits of each process. */
export const unbounded: Bounding = {
  holdsMemory: false,
  holdsProcesses: false,
  note: null,
  open: async () => nothing,
};

function reasonOf(fault: unknown): string {
  if (fault instanceof Error && !('code' in fault)) return fault.message;
  return 'no cgroup is delegated to us';
}

/**
 * The command line that runs `argv` in a scope of systemd, for a machine where no cgroup is delegated to us:
 * root's, or the user's own. It takes from the program what only systemd needed.
 */
export function inScope(argv: readonly string[], limits: ResourceLimits): readonly string[] {
  const variables = Object.keys(sessionOfSystemd()).flatMap((name) => ['-u', name]);
  return [...systemdRun(), ...propertiesOf(limits), '--', 'env', ...variables, ...argv];
}

/** Whether systemd makes such scopes here; otherwise why not, in part of a sentence. */
export async function problemWithScopes(limits: ResourceLimits): Promise<string | null> {
  const said: Buffer[] = [];
  const keep = (chunk: Buffer) => void said.push(chunk);
  const end = await runProcessGroup(inScope(['true'], limits), {
    env: { PATH: searchPath(), LANG: 'C.UTF-8', ...sessionOfSystemd() },
    timeoutMs: 10_000,
    onStdout: keep,
    onStderr: keep,
  });
  if (end.end === 'exited' && end.exitCode === 0) return null;
  if (end.end === 'not_started') return 'there is no systemd-run';
  return `systemd-run failed: ${Buffer.concat(said).toString().trim().split('\n', 1)[0]}`;
}

function systemdRun(): readonly string[] {
  const manager = process.getuid?.() === 0 ? [] : ['--user'];
  return ['systemd-run', ...manager, '--scope', '--quiet', '--collect'];
}

function propertiesOf({ memoryBytes, processes, cpus }: ResourceLimits): readonly string[] {
  const properties = [
    ...[`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0', `TasksMax=${processes}`, 'CPUWeight=50'],
    ...(cpus === null ? [] : [`CPUQuota=${Math.round(cpus * 100)}%`]),
  ];
  return properties.flatMap((property) => ['-p', property]);
}

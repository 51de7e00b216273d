import { sessionOfSystemd } from '../process/environment.ts';
import { runTool } from '../process/tool.ts';
import { type ControlGroup, type ControlGroups, openControlGroups } from './control-groups.ts';
import type { ResourceLimits } from './limits.ts';

/** How the kernel keeps programs within their limits here. */
export interface Bounding {
  /** Whether it holds their memory; otherwise it is watched. */
  readonly holdsMemory: boolean;
  /** Whether it holds how many they are; otherwise each user's are counted, but not those of root. */
  readonly holdsProcesses: boolean;
  /** What is not held, in a sentence for the operator; null if everything is. */
  readonly note: string | null;
  /** For one program. */
  open(): Promise<ControlGroup>;
}

/**
 * Control groups that are delegated to us, else scopes of systemd, else none. `find`: whoever only wants to
 * know takes `findControllers`, which changes nothing.
 */
export async function boundingHere(
  limits: ResourceLimits,
  find: () => Promise<Pick<ControlGroups, 'controllers'> & Partial<ControlGroups>> = openControlGroups,
): Promise<Bounding> {
  const groups = await find().catch(reasonOf);
  if (typeof groups !== 'string') {
    const missing = ['memory', 'pids', 'cpu'].filter((name) => !groups.controllers.includes(name));
    return {
      holdsMemory: !missing.includes('memory'),
      holdsProcesses: !missing.includes('pids'),
      note: missing.length === 0 ? null : `cgroup v2 does not bound ${missing.join(' and ')} here`,
      open: async () => groups.open?.(limits) ?? nothing,
    };
  }
  const problem = await problemWithScopes(limits);
  if (problem !== null) return { ...unbounded, note: whatIsMissing(groups, problem) };
  const scope = { ...nothing, enter: (argv: readonly string[]) => inScope(argv, limits) };
  return { holdsMemory: true, holdsProcesses: true, note: null, open: async () => scope };
}

function whatIsMissing(groups: string, scopes: string): string {
  return (
    `memory is only watched and processors are not bounded here, because ${groups} and ${scopes}: ` +
    'run Coxswain as a service of systemd with `Delegate=yes`, or in a container with a cgroup of its own'
  );
}

const nothing: ControlGroup = {
  enter: (argv) => argv,
  exceeded: async () => null,
  remove: async () => undefined,
};

/** The kernel holds nothing but the limits of each process. */
export const unbounded: Bounding = {
  ...{ holdsMemory: false, holdsProcesses: false, note: null },
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
function inScope(argv: readonly string[], { memoryBytes, processes, cpus }: ResourceLimits) {
  const properties = [
    ...[`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0', `TasksMax=${processes}`, 'CPUWeight=50'],
    ...(cpus === null ? [] : [`CPUQuota=${Math.round(cpus * 100)}%`]),
  ];
  return [
    ...['systemd-run', ...(process.getuid?.() === 0 ? [] : ['--user']), '--scope', '--quiet', '--collect'],
    ...properties.flatMap((property) => ['-p', property]),
    ...['--', 'env', ...Object.keys(sessionOfSystemd()).flatMap((name) => ['-u', name]), ...argv],
  ];
}

/** Whether systemd makes such scopes here; otherwise why not, in part of a sentence. */
async function problemWithScopes(limits: ResourceLimits): Promise<string | null> {
  const options = { env: sessionOfSystemd(), timeoutMs: 10_000 };
  const { succeeded, end, said } = await runTool(inScope(['true'], limits), options);
  if (succeeded) return null;
  return end === 'not_started' ? 'there is no systemd-run' : `systemd-run failed: ${said.split('\n', 1)[0]}`;
}

import { runProcessGroup } from '../../process/process-group.ts';
import { searchPath, sessionOfSystemd } from '../environment.ts';
import type { ResourceLimits } from './limits.ts';

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

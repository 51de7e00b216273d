import { runProcessGroup } from '../../process/process-group.ts';
import type { NetworkSettings, Reach } from '../../steering/shapes/settings.ts';
import { searchPath, toolPath } from '../process/environment.ts';

/**
 * What to say about programs of Node.js that may reach hosts and will not: before 22.21, and in 23, Node does
 * not use a proxy by itself, as package managers do
 * (https://nodejs.org/api/cli.html#node_use_env_proxy1). Null if there is nothing to say.
 */
export async function nodeNotice(network: NetworkSettings): Promise<string | null> {
  const uses = Object.entries(network).filter(([, reach]: [string, Reach]) => reach.some(isHost));
  if (uses.length === 0) return null;
  const keys = uses.map(([use]) => `\`network.${use}\``);
  const found = await nodeWithoutProxy();
  if (found === null) return null;
  return (
    `\`fetch\` of Node.js ${found} cannot reach the hosts that ${keys.join(' and ')} ${keys.length > 1 ? 'allow' : 'allows'}: ` +
    'use Node.js 22.21 or 24, which know the proxy of the sandbox.'
  );
}

/** The version of the Node.js that programs find, if it does not use a proxy by itself; else null. */
export async function nodeWithoutProxy(): Promise<string | null> {
  version ??= await versionOnPath();
  return version === null || usesProxies(version) ? null : version;
}

/** Null until one was found: it may be installed while we run. */
let version: string | null = null;

/** The words are not for programs that people write. */
function isHost(entry: string): boolean {
  return entry === 'open' || !['registries', 'model', 'host'].includes(entry);
}

/** Of `v20.20.2`. */
function usesProxies(text: string): boolean {
  const [major = 0, minor = 0] = text.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 21);
}

/** Null if programs find no Node.js. */
async function versionOnPath(): Promise<string | null> {
  let said = '';
  await runProcessGroup(['node', '--version'], {
    env: { PATH: toolPath() || searchPath() },
    timeoutMs: 10_000,
    onStdout: (chunk) => (said += chunk.toString()),
    onStderr: () => undefined,
  });
  return /^v(\d+\.\d+\.\d+)/.exec(said)?.[1] ?? null;
}

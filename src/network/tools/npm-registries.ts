import { join } from 'node:path';
import { ownAddress } from '../registries/registry.ts';
import { routesVariable } from './node-hook/routes.ts';
import { registryHookScript, routesOf } from './node-hook.ts';
import type { Served } from './registry-settings.ts';

/** Where the sandbox shows the hook, and where it is in the home folder without a sandbox. */
export const shownHook = '/run/coxswain/node-hook.cjs';
const homeHook = '.config/coxswain/node-hook.cjs';

/** Settings for the whole machine: those of the project, and of the home folder, come before. */
const globalConfig = '.config/coxswain/npmrc';

interface NpmPlace {
  readonly home: string;
  /** Without a sandbox. */
  readonly loopback: boolean;
}

/**
 * The variables by which npm finds its registries, which it calls by their own addresses: a hook in each
 * program of Node.js leads what is for them to us.
 */
export function npmEnvironment(
  served: readonly Served[],
  { home, loopback }: NpmPlace,
): Readonly<Record<string, string>> {
  const npm = ofNpm(served);
  if (npm.length === 0) return {};
  const hook = loopback ? join(home, homeHook) : shownHook;
  return {
    NODE_OPTIONS: `--require ${quoted(hook)}`,
    [routesVariable]: JSON.stringify(routesOf(npm)),
    npm_config_globalconfig: join(home, globalConfig),
  };
}

/** Files in the home folder for npm, by path relative to it. */
export function npmFiles(
  served: readonly Served[],
  { loopback }: Pick<NpmPlace, 'loopback'>,
): Readonly<Record<string, string>> {
  const npm = ofNpm(served);
  if (npm.length === 0) return {};
  const fallback = npm.find(({ registry }) => registry.scopes === undefined);
  const scoped = npm.flatMap((each) =>
    (each.registry.scopes ?? []).map((scope) => `${scope}:registry=${ownAddress(each.registry)}\n`),
  );
  const lines = [
    ...(fallback === undefined ? [] : [`registry=${ownAddress(fallback.registry)}\n`]),
    ...scoped,
  ];
  return { [globalConfig]: lines.join(''), ...(loopback && { [homeHook]: registryHookScript }) };
}

function ofNpm(served: readonly Served[]): readonly Served[] {
  return served.filter(({ registry }) => registry.kind === 'npm');
}

/** https://nodejs.org/api/cli.html#node_optionsoptions */
function quoted(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}

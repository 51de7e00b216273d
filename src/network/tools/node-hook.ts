import type { Routes } from './node-hook/routes.ts';
import type { Served } from './registry-settings.ts';

/** The text of what programs of Node.js load first, where a registry of npm has a token. */
export { script as registryHookScript } from './node-hook/main.ts?program';

/** Where it leads requests to these registries. */
export function routesOf(served: readonly Served[]): Routes {
  const routes = served.map(({ registry: { host }, origin, access }) => [
    /:\d+$/.test(host) ? host : `${host}:443`,
    { origin, ...(access !== undefined && { access }) },
  ]);
  return Object.fromEntries(routes);
}

import type { Served } from './registry.ts';

/** The variable with the routes, as JSON. */
export const routesVariable = 'COXSWAIN_REGISTRIES';

/** The header of requests that came through the hook: what their answers lead to will do so too. */
export const hookedHeader = 'x-coxswain-hooked';

/**
 * Where requests to a registry with a token go instead, by the name of its host and the port, such as
 * `npm.corp.example:443`.
 */
export type Routes = Readonly<Record<string, Pick<Served, 'origin' | 'access'>>>;

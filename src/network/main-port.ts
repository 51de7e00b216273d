/**
 * The port of the proxy and of models inside a sandbox, which has nothing else on its loopback. Registries
 * with a token have the ports after it.
 */
export const mainPort = 3128;

import http, { type ClientRequest, type RequestOptions } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { urlToHttpOptions } from 'node:url';
import { hookedHeader, type Routes, routesVariable } from '../../registries/registry.ts';

/**
 * What each program of Node.js in a sandbox loads first. Where a registry of npm has a token, requests to it
 * go to us, by whatever address a project's `.npmrc` or lock file has: npm has no variable for the registry of
 * a scope that shells pass on, and addresses of ours must not get into a lock file.
 */
const routes: Routes = JSON.parse(process.env[routesVariable] ?? '{}');
const agent = new http.Agent({ keepAlive: true });
const original = https.request;

type Listener = ConstructorParameters<typeof ClientRequest>[1];

function request(...given: readonly unknown[]): ClientRequest {
  const [target, listener] = [targetOf(given), given.find((each) => typeof each === 'function')];
  // npm says '' for the usual port.
  const [host, port] = [target.hostname || target.host || '', target.port || 443];
  const route = routes[`${host}:${port}`.toLowerCase()];
  if (route === undefined) return Reflect.apply(original, https, given);
  const options = { ...target, ...towards(route, target) };
  const started = http.request(options, listener as Listener); // by its documentation
  // Yarn 1 looks for what only connections with TLS have.
  return started.prependListener('socket', (socket) => Object.assign(socket, { authorized: true }));
}

/** `request(url, options?, …)` or `request(options, …)`. */
function targetOf([first, second]: readonly unknown[]): RequestOptions {
  const url = typeof first === 'string' ? new URL(first) : first;
  const options = url instanceof URL ? { ...urlToHttpOptions(url), ...optionsIn(second) } : url;
  return optionsIn(options);
}

function optionsIn(value: unknown): RequestOptions {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Leaves out the program's own way to the host: its agent, which knows the proxy, and its credentials. */
function towards({ origin, access }: Routes[string], { headers }: RequestOptions): RequestOptions {
  const { hostname, port } = new URL(origin);
  const given = Array.isArray(headers) ? {} : headers;
  const others = Object.entries(given ?? {}).filter(([name]) => !/^(?:host|authorization)$/i.test(name));
  const shown = access === undefined ? {} : { authorization: `Bearer ${access}` };
  return {
    ...{ protocol: 'http:', host: hostname, hostname, port, defaultPort: 80, agent },
    ...{ auth: null, socketPath: undefined, createConnection: undefined },
    headers: { ...Object.fromEntries(others), ...shown, [hookedHeader]: '1' },
  };
}

https.request = request as typeof https.request; // all of its forms
https.get = ((...given: readonly unknown[]) => {
  const started = request(...given);
  started.end();
  return started;
}) as typeof https.get;
// For modules that import them by name.
syncBuiltinESMExports();

// Node.js 22 warns of its own way to use a proxy, in the output of every program. There is an option against
// that, with which an older Node.js would not start at all.
const [print] = process.listeners('warning');
if (print !== undefined) {
  process.off('warning', print);
  process.on('warning', (warning) => {
    if (!('code' in warning) || warning.code !== 'UNDICI-EHPA') print.call(process, warning);
  });
}

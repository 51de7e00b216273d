import { join } from 'node:path';
import { ownAddress, type Served, upstreamOf } from '../registries/registry.ts';
import { mainPort } from '../server/door.ts';
import { script as registryHookScript } from './node-hook/main.ts?program';
import { routesVariable } from './node-hook/routes.ts';
import { mavenSettings, proxyEnvironment, proxyFiles } from './proxy-settings.ts';

/**
 * What tells tools where everything is. Files are the same for each use of an attempt, which all have one
 * home: a registry that a use may not reach says so at its own port.
 */
export function toolSettings(served: readonly Served[], { home, loopback = false }: ToolPlace) {
  const open = served.filter(({ allowed }) => allowed);
  const usual = firstOfEachKind(served);
  const maven = usual.find(({ registry }) => registry.kind === 'maven');
  const mavenFile = mavenSettings(loopback ? undefined : mainPort, maven && addressOf(maven));
  const tokens = served.flatMap(({ registry }) => registry.token_env ?? []);
  return {
    environment: {
      ...(!loopback && proxyEnvironment(mainPort, home)),
      // Worth nothing: settings of projects name these, and some tools do not start without.
      ...Object.fromEntries(tokens.map((name) => [name, 'coxswain'])),
      // The first one of each kind counts.
      ...Object.assign({}, ...firstOfEachKind(open).map(variables)),
      ...npmEnvironment(open, { home, loopback }),
    },
    homeFiles: {
      ...(!loopback && proxyFiles(mainPort)),
      ...((!loopback || maven !== undefined) && { '.m2/settings.xml': mavenFile }),
      ...Object.assign({}, ...usual.map(files)),
      ...npmFiles(served, loopback),
    },
  };
}

interface ToolPlace {
  /** The home folder, as the programs see it. */
  readonly home: string;
  /** Without a sandbox. */
  readonly loopback?: boolean;
}

/** Tools of Go ask one for everything; those of npm only one that is not for some scopes. */
function firstOfEachKind(served: readonly Served[]): readonly Served[] {
  const usual = served.filter(({ registry }) => registry.kind !== 'npm' || registry.scopes === undefined);
  const kinds = usual.map(({ registry }) => registry.kind);
  return usual.filter(({ registry: { kind } }, index) => kind !== undefined && kinds.indexOf(kind) === index);
}

/** As tools are configured with it: paths are those of the registry itself. */
function addressOf({ registry, origin, access }: Served): string {
  const { pathname } = upstreamOf(registry);
  return `${origin}${access === undefined || registry.kind === 'npm' ? '' : `/${access}`}${pathname}`;
}

function variables(served: Served): Readonly<Record<string, string>> {
  const { kind, scopes = ['*'] } = served.registry;
  const address = addressOf(served);
  if (kind === 'pypi') return { PIP_INDEX_URL: address, UV_DEFAULT_INDEX: address };
  if (kind === 'go') {
    // What is not there may be public. The public database of checksums neither knows nor shall learn the
    // names of private modules; with `GOSUMDB=off` Go would not download its own toolchains either
    // (https://go.dev/ref/mod#environment-variables).
    const GOPROXY = `${address.replace(/\/$/, '')},https://proxy.golang.org`;
    return { GOPROXY, GONOSUMDB: scopes.join(',') };
  }
  if (kind !== 'npm') return {};
  // Neither reads what npm reads. Bun is no program of Node.js, so it needs an address of ours.
  const own = ownAddress(served.registry);
  return { BUN_CONFIG_REGISTRY: address, YARN_REGISTRY: own, YARN_NPM_REGISTRY_SERVER: own.slice(0, -1) };
}

function files(served: Served): Readonly<Record<string, string>> {
  if (served.registry.kind === 'npm' && served.access !== undefined) {
    return { '.npmrc': `//${new URL(served.origin).host}/:_authToken=${served.access}\n` };
  }
  return served.registry.kind === 'cargo' ? { '.cargo/config.toml': cargoConfiguration(served) } : {};
}

/** The registry as manifests and lock files name it, replaced by us: cargo has no variables for that. */
function cargoConfiguration(served: Served): string {
  return [
    '[source.coxswain-registry]',
    `registry = ${JSON.stringify(`sparse+${upstreamOf(served.registry).href}`)}`,
    'replace-with = "coxswain"',
    '',
    '[source.coxswain]',
    `registry = ${JSON.stringify(`sparse+${addressOf(served)}`)}`,
    '',
  ].join('\n');
}

/** Where the sandbox shows the hook, and where it is in the home folder without a sandbox. */
export const shownHook = '/run/coxswain/node-hook.cjs';
const homeHook = '.config/coxswain/node-hook.cjs';

/** Settings for the whole machine: those of the project, and of the home folder, come before. */
const globalConfig = '.config/coxswain/npmrc';

/**
 * The variables by which npm finds its registries, which it calls by their own addresses: a hook in each
 * program of Node.js leads what is for them to us. In a sandbox it is there in any case, for it also keeps
 * Node.js 22 from warning of its proxy.
 */
function npmEnvironment(served: readonly Served[], { home, loopback }: ToolPlace) {
  const npm = ofNpm(served);
  const hook = { NODE_OPTIONS: `--require ${quoted(loopback ? join(home, homeHook) : shownHook)}` };
  if (npm.length === 0) return loopback ? {} : hook;
  return {
    ...hook,
    [routesVariable]: routesTo(npm),
    npm_config_globalconfig: join(home, globalConfig),
  };
}

/** Files in the home folder for npm, by path relative to it. */
function npmFiles(served: readonly Served[], loopback: boolean) {
  const npm = ofNpm(served);
  if (npm.length === 0) return {};
  const lines = [
    ...firstOfEachKind(npm).map(({ registry }) => `registry=${ownAddress(registry)}\n`),
    ...npm.flatMap(({ registry: { scopes = [], ...registry } }) =>
      scopes.map((scope) => `${scope}:registry=${ownAddress(registry)}\n`),
    ),
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

/** Where it leads requests to these registries. */
function routesTo(served: readonly Served[]): string {
  const routes = served.map(({ registry: { host }, origin, access }) => [
    /:\d+$/.test(host) ? host : `${host}:443`,
    { origin, access },
  ]);
  return JSON.stringify(Object.fromEntries(routes));
}

import { join } from 'node:path';
import { setAside } from '../forwarder/agreed.ts';
import { ownAddress, routesVariable, type Served, upstreamOf } from '../registries/registry.ts';
import { mainPort } from '../server/bounded-server.ts';
import { script as registryHookScript } from './node-hook/main.ts?program';

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
  /** Whether the programs run without a sandbox, on this machine's own loopback. */
  readonly loopback?: boolean;
}

/** Tools of Go ask one for everything; those of npm only one that is not for some scopes. */
function firstOfEachKind(served: readonly Served[]): readonly Served[] {
  const usual = served.filter(({ registry }) => registry.kind !== 'npm' || registry.scopes === undefined);
  const kinds = usual.map(({ registry }) => registry.kind);
  return usual.filter(({ registry: { kind } }, index) => kind !== undefined && kinds.indexOf(kind) === index);
}

/** The address that tools are configured with, in which paths are those of the registry itself. */
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

/** Node.js divides its options at blanks: https://nodejs.org/api/cli.html#node_optionsoptions */
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

/** What everybody reaches without a proxy: what runs beside a program. */
const direct = 'localhost,127.0.0.1,::1';

/**
 * The variables by which programs find the proxy. Those of a program that may reach nothing have them too, so
 * that a host it wants is named, instead of a name that cannot be resolved.
 * Node.js obeys `NODE_USE_ENV_PROXY` from 22.21 and 24 on. pip has no variable of its own here: with
 * `PIP_PROXY` it would ignore `NO_PROXY`.
 */
export function proxyEnvironment(port: number, home?: string): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  const upper = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct };
  const lower = Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...upper,
    ...Object.fromEntries(lower),
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: direct,
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    CARGO_HTTP_PROXY: proxy,
    JAVA_TOOL_OPTIONS: [...javaProperties(port, home)].map(([name, value]) => `-D${name}=${value}`).join(' '),
  };
}

/** Files in the home folder for tools that obey nothing else, by path relative to it. */
function proxyFiles(port: number): Readonly<Record<string, string>> {
  const properties = [...javaProperties(port)].map(([name, value]) => `systemProp.${name}=${value}\n`);
  return { '.gradle/gradle.properties': properties.join('') };
}

/** Java takes the home of the user from the list of users, not from `HOME`; Maven looks there. */
function* javaProperties(port: number, home?: string): Generator<readonly [string, string]> {
  for (const scheme of ['http', 'https']) {
    yield [`${scheme}.proxyHost`, '127.0.0.1'];
    yield [`${scheme}.proxyPort`, String(port)];
  }
  yield ['http.nonProxyHosts', 'localhost|127.*|[::1]'];
  if (home !== undefined) yield ['user.home', /[\s"']/.test(home) ? `'${home}'` : home];
}

/**
 * A `settings.xml` for Maven (https://maven.apache.org/settings.html), which obeys no variables. Without the
 * port of our proxy it goes out by itself; `mirror` is the address of the repository that stands for all others.
 */
function mavenSettings(proxyPort: number | undefined, mirror: string | undefined): string {
  const proxies = proxyPort === undefined ? [] : ['http', 'https'].map((scheme) => proxy(scheme, proxyPort));
  const mirrors = mirror === undefined ? [] : [mirrorOf(mirror)];
  return [
    '<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">',
    '  <interactiveMode>false</interactiveMode>',
    ...['  <proxies>', ...proxies, '  </proxies>'],
    ...['  <mirrors>', ...mirrors, '  </mirrors>'],
    '</settings>',
    '',
  ].join('\n');
}

function proxy(scheme: string, port: number): string {
  const where = `<host>127.0.0.1</host><port>${port}</port>`;
  const not = '<nonProxyHosts>localhost|127.*</nonProxyHosts>';
  return `    <proxy><id>${scheme}</id><active>true</active><protocol>${scheme}</protocol>${where}${not}</proxy>`;
}

function mirrorOf(address: string): string {
  const escaped = address.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `    <mirror><id>coxswain</id><mirrorOf>external:*</mirrorOf><url>${escaped}</url></mirror>`;
}

/** The text of the forwarder, a program for Node.js as CommonJS: a file that ends in `.cjs`. */
export { script as forwarderScript } from '../forwarder/main.ts?program';

interface Forwarder {
  /** Paths as the sandbox has them. */
  readonly node: string;
  readonly script: string;
  readonly doors: readonly { readonly port: number; readonly path: string }[];
}

/**
 * The command line that runs `argv` behind the forwarder. It ends with the exit code or the signal of the
 * program; 127 or 126 if that cannot be started, and 125 if the forwarder cannot do its work.
 */
export function forwarded(argv: readonly string[], { node, script, doors }: Forwarder): readonly string[] {
  return [node, script, ...doors.map(({ port, path }) => `${port}=${path}`), '--', ...argv];
}

/**
 * The environment to start the forwarder with, so that its program has exactly the given one: what Node
 * itself would obey is set aside under other names, which the forwarder takes back. A `NODE_OPTIONS` that
 * the program needs must neither change nor break the forwarder. Nor what makes the loader and the C library
 * load files: they would, from the workspace, before the sandbox is closed.
 */
export function forwarderEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  const renamed = Object.entries(environment).map(([name, value]) => [
    /^(?:NODE_|OPENSSL_|SSL_CERT_|UV_|LD_|GLIBC_|GCONV_|LOCPATH|NLSPATH|BASH_|SHELLOPTS|ENV$)/.test(name)
      ? `${setAside}${name}`
      : name,
    value,
  ]);
  return Object.fromEntries(renamed);
}

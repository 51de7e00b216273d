/** A remote repository and the source of its token, which is requested for each command. */
export interface Remote {
  readonly url: string;
  readonly token?: TokenSource;
}

/** `renewed`: the last one was refused. A source that has no other returns the same again. */
export type TokenSource = (options?: { readonly renewed?: boolean }) => Promise<string>;

type ConfigEntry = readonly [key: string, value: string];

/**
 * The whole environment of one Git command. The machine's and the user's Git configuration are ignored, the
 * repository's own cannot start a program, and the token is in the environment only: not in the arguments,
 * which every process on the machine can read, and not on disk.
 */
export function gitEnvironment(remote: Remote | undefined, token: string | undefined): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/dev/null',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    ...(remote && proxyVariables()),
    ...configuration([...hardening, ...certificates(), ...authorization(remote, token)]),
  };
}

const hardening: readonly ConfigEntry[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  // Also where Git would not expect such a file system: others check out what we push.
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  // Otherwise Git would run `git status` inside a nested repository, with that repository's configuration.
  ['diff.ignoreSubmodules', 'dirty'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // Otherwise Git would send the token to the other host.
  ['http.followRedirects', 'false'],
  ['init.defaultBranch', 'main'],
  ['protocol.allow', 'never'],
  ['protocol.http.allow', 'always'],
  ['protocol.https.allow', 'always'],
  ['protocol.file.allow', 'always'],
  ['protocol.ext.allow', 'never'],
  ['submodule.recurse', 'false'],
];

/** The machine's proxy settings, for commands that use the network. */
function proxyVariables(): NodeJS.ProcessEnv {
  const names = [
    'http_proxy',
    'https_proxy',
    'HTTPS_PROXY',
    'all_proxy',
    'ALL_PROXY',
    'no_proxy',
    'NO_PROXY',
  ];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Git's HTTP library does not read `SSL_CERT_FILE` on every system. */
function certificates(): readonly ConfigEntry[] {
  const bundle = process.env['SSL_CERT_FILE'];
  return bundle ? [['http.sslCAInfo', bundle]] : [];
}

function authorization(remote: Remote | undefined, token: string | undefined): readonly ConfigEntry[] {
  if (remote === undefined || token === undefined) return [];
  const header = `Authorization: Basic ${basicCredentials(token)}`;
  return [[`http.${new URL(remote.url).origin}/.extraHeader`, header]];
}

/** A GitHub token as HTTP Basic credentials. */
export function basicCredentials(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

function configuration(settings: readonly ConfigEntry[]): NodeJS.ProcessEnv {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

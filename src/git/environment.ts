/** A remote repository, and where the token for it comes from. It is asked anew for each command. */
export interface Remote {
  readonly url: string;
  readonly token?: () => Promise<string>;
}

type Setting = readonly [key: string, value: string];

/**
 * The whole environment of one Git command. Nothing of the machine's or the user's Git configuration is read,
 * nothing of the repository's own may start a program, and the token lives here and nowhere else:
 * not in the arguments, which every process on the machine can read, and not on disk.
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
    ...(remote && wayOut()),
    ...configuration([...hardening, ...certificates(), ...authorization(remote, token)]),
  };
}

const hardening: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  // Or Git would run `git status` inside a nested repository, with that one's configuration.
  ['diff.ignoreSubmodules', 'dirty'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // Git would take the token along to the other host.
  ['http.followRedirects', 'false'],
  ['init.defaultBranch', 'main'],
  ['protocol.allow', 'never'],
  ['protocol.http.allow', 'always'],
  ['protocol.https.allow', 'always'],
  ['protocol.file.allow', 'always'],
  ['protocol.ext.allow', 'never'],
  ['submodule.recurse', 'false'],
];

/** Proxies of the machine, for commands that leave it. */
function wayOut(): NodeJS.ProcessEnv {
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

/** Git's HTTP library does not read `SSL_CERT_FILE` by itself everywhere. */
function certificates(): readonly Setting[] {
  const bundle = process.env['SSL_CERT_FILE'];
  return bundle ? [['http.sslCAInfo', bundle]] : [];
}

function authorization(remote: Remote | undefined, token: string | undefined): readonly Setting[] {
  if (remote === undefined || token === undefined) return [];
  const header = `Authorization: Basic ${basicCredentials(token)}`;
  return [[`http.${new URL(remote.url).origin}/.extraHeader`, header]];
}

/** A GitHub token as HTTP Basic credentials. */
export function basicCredentials(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

function configuration(settings: readonly Setting[]): NodeJS.ProcessEnv {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

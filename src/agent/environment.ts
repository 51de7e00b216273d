/**
 * The environment of everything an agent wrote or runs, built from nothing (S-1):
 * no token, no key and none of our own settings can be in it, for only what is named here is inherited.
 */
export function environment(context: PrivateFolders): Environment {
  return {
    PATH: searchPath(),
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    TERM: 'dumb',
    CI: 'true',
    HOME: context.home,
    TMPDIR: context.temp,
    // A read-only `.git` cannot take the index refresh that `git status` would like to write.
    GIT_OPTIONAL_LOCKS: '0',
  };
}

export type Environment = Readonly<Record<string, string>>;

export interface PrivateFolders {
  /** Fresh for each attempt: caches, logins and settings of former attempts are not there. */
  readonly home: string;
  readonly temp: string;
}

/** Where programs are found, here and in the sandbox. */
export function searchPath(): string {
  return process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
}

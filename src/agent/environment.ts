/**
 * The environment of every program that an agent wrote or runs. It starts empty and inherits only what is
 * named here, so that it cannot contain a token, a key or a setting of ours.
 */
export function environment(context: PrivateFolders): Environment {
  return {
    PATH: searchPath(),
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    TERM: 'dumb',
    CI: 'true',
    HOME: context.home,
    TMPDIR: context.temp,
    // `.git` is read-only, so `git status` must not try to refresh the index.
    GIT_OPTIONAL_LOCKS: '0',
  };
}

type Environment = Readonly<Record<string, string>>;

interface PrivateFolders {
  /** Fresh for each attempt: no caches, logins or settings of earlier attempts. */
  readonly home: string;
  readonly temp: string;
}

/** Where to find programs, inside the sandbox and outside. */
export function searchPath(): string {
  return process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
}

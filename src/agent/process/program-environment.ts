import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The environment of every program that an agent wrote or runs. It starts empty and inherits only what is
 * named here, so that it cannot contain a token, a key or a setting of ours. The home is fresh for each
 * attempt, and has no caches, logins or settings of earlier ones.
 */
export function environment(context: { readonly home: string; readonly temp: string }): Environment {
  return {
    ...toolchainVariables(),
    PATH: toolPath(),
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    TERM: 'dumb',
    CI: 'true',
    HOME: context.home,
    TMPDIR: context.temp,
    // `.git` is read-only, so `git status` must not try to refresh the index.
    GIT_OPTIONAL_LOCKS: '0',
  };
}

export type Environment = Readonly<Record<string, string>>;

/** Where to find programs, inside the sandbox and outside. */
export function searchPath(): string {
  return process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
}

/**
 * The path of a program, as this machine has it now. Inside a sandbox a folder of the search path can be one
 * that its programs have made, such as below `/tmp`. Just the name if there is none.
 */
export function pathOf(program: string): string {
  const folders = searchPath().split(delimiter).filter(isAbsolute);
  const folder = folders.find((each) => isProgram(join(each, program)));
  // Not the link itself: one program behind many names goes by the name.
  return folder === undefined ? program : join(realpathSync(folder), program);
}

/** Whether a file can be executed. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The search path without what npm adds for its scripts, which belongs to the packages of Coxswain. */
export function toolPath(): string {
  const folders = searchPath().split(delimiter);
  return folders.filter((folder) => isAbsolute(folder) && !addedByNpm.test(folder)).join(delimiter);
}

const addedByNpm = /\/node_modules\/(?:\.bin|.*\/node-gyp-bin)$/;

/**
 * Where toolchains are that are not in their usual place. Names with a version are those of GitHub's
 * runners.
 */
export function toolchainVariables(): Environment {
  const names = Object.keys(process.env).filter((name) => toolchainVariable.test(name));
  const found = kept(names);
  const rustup = join(ownHome(), '.rustup');
  return { ...(existsSync(rustup) && { RUSTUP_HOME: rustup }), ...found };
}

const toolchainVariable = new RegExp(
  `^(?:${[
    ...['JAVA_HOME(?:_\\w+)?', 'GOROOT(?:_\\w+)?', 'RUSTUP_HOME', 'PYENV_ROOT', 'RBENV_ROOT', 'NODENV_ROOT'],
    ...['NVM_DIR', 'VOLTA_HOME', 'SDKMAN_DIR', 'DOTNET_ROOT', 'ANDROID_HOME', 'ANDROID_SDK_ROOT', 'M2_HOME'],
    ...['MAVEN_HOME', 'GRADLE_HOME', 'RUNNER_TOOL_CACHE', 'pythonLocation'],
  ].join('|')})$`,
);

/** What systemd needs to be asked by a user other than root. */
export function sessionOfSystemd(): Environment {
  return kept(['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']);
}

/** How this machine reaches a registry of npm, where its files of settings do not say it. */
export function registrySettings(): Environment {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'npm_config_registry', 'npm_config_userconfig'];
  const both = names.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]);
  return kept([...new Set(both), 'NODE_EXTRA_CA_CERTS']);
}

function kept(names: readonly string[]): Environment {
  const pairs = names.map((name) => [name, process.env[name] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

/** The home of the user that we are. In a container this user need not be in the list of users. */
export function ownHome(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

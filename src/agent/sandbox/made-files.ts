import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownFolder } from '../../git/worktree.ts';
import { forwarderScript } from '../../network/forwarder/command-line.ts';
import { script as registryHookScript } from '../../network/tools/node-hook/main.ts?program';
import { inside } from './paths.ts';
import { systemCallFilter } from './system-calls.ts';
import type { SandboxUser } from './user.ts';

/**
 * Files of `/etc` that name people, machines and networks: made for each attempt, so that programs find what
 * they look for and learn nothing. And our own programs.
 */
export async function makeFiles(folder: string, user: SandboxUser): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = {
    ...contents(user),
    ...gitLinks,
    [forwarderFile]: forwarderScript,
    [hookFile]: registryHookScript,
    [filterFile]: systemCallFilter() ?? '',
    [emptyFile]: '',
    [mavenSettings]: '<settings/>\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

/** The filter of system calls, which is not shown. */
export const filterFile = 'system-calls.bpf';
/** Shown instead of files whose content is nobody's business. */
export const emptyFile = 'empty';
/** Shown instead of the machine's own settings of Maven, which can have credentials. */
export const mavenSettings = 'settings.xml';

/** The program that leads out of the network of a sandbox. */
export const forwarderFile = 'forwarder.cjs';

/** What programs of Node.js load first, where a registry of npm has a token. */
export const hookFile = 'node-hook.cjs';

/** Shows those of `/etc`. */
export function madeMounts(folder: string): readonly Mount[] {
  return names.map((name) => ['--ro-bind', join(folder, name), join('/etc', name)]);
}

/**
 * By which Git finds the repository from the workspace, and the workspace from the repository: outside, both
 * name paths that are there only.
 */
const gitLinks = {
  'git-link': `gitdir: ${inside.repository}/${ownFolder}\n`,
  'git-folder': `${inside.workspace}/.git\n`,
};

/** Shows them, so that programs can change neither. */
export function gitMounts(folder: string): readonly Mount[] {
  const places = {
    'git-link': `${inside.workspace}/.git`,
    'git-folder': `${inside.repository}/${ownFolder}/gitdir`,
  } satisfies Record<keyof typeof gitLinks, string>;
  return Object.entries(places).map(([name, at]) => ['--ro-bind', join(folder, name), at]);
}

const names = ['passwd', 'group', 'hosts', 'hostname', 'resolv.conf', 'nsswitch.conf', 'gitconfig'] as const;

function contents({ uid, gid }: SandboxUser): Readonly<Record<(typeof names)[number], string>> {
  const { home } = inside;
  const self = uid === 0 ? '' : `coxswain:x:${uid}:${gid}::${home}:/bin/sh\n`;
  const own = gid === 0 ? '' : `coxswain:x:${gid}:\n`;
  return {
    passwd: `root:x:0:0::${uid === 0 ? home : '/nonexistent'}:/bin/sh\n${self}nobody:x:65534:65534::/nonexistent:/bin/false\n`,
    group: `root:x:0:\n${own}nogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost\n',
    hostname: 'coxswain\n',
    'resolv.conf': '# The network is a proxy: see HTTPS_PROXY.\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n',
    // Git refuses to read a repository of another user, and its directory is ours.
    gitconfig: '[safe]\n\tdirectory = *\n',
  };
}

/** Something that the sandbox shows: arguments of bubblewrap, of which the last is where it is inside. */
export type Mount = readonly string[];

/** The same file or folder at the same place, which cannot be changed. */
export function readOnly(path: string): Mount {
  return ['--ro-bind', path, path];
}

/**
 * The arguments for mounts in order, of which later ones cover earlier ones. The folders above them are made
 * for everybody: bubblewrap would make them for the user alone that it runs as.
 */
export function argumentsFor(mounts: readonly Mount[]): readonly string[] {
  const made = new Set<string>(['/']);
  return mounts.flatMap((mount) => {
    const at = mount.at(-1) ?? '/';
    const missing = above(at).filter((folder) => !made.has(folder));
    for (const folder of [...missing, at]) made.add(folder);
    return [...missing.flatMap((folder) => ['--perms', '0755', '--dir', folder]), ...mount];
  });
}

/** From the top. */
function above(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '/' ? [] : [...above(folder), folder];
}

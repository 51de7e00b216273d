import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The folders of an attempt, and what else it may see. */
export interface SandboxPaths extends AttemptFolders {
  /** Visible but read-only: what Git needs to read the workspace, by its path in the repository. */
  readonly readable: Readonly<Record<string, string>>;
  /** What was free on the disk before the attempt, in bytes. */
  readonly freeBytesBefore: number;
}

/** All below one folder, which nobody else can enter. */
export type AttemptFolders = Readonly<ReturnType<typeof foldersIn>>;

/** Where the folders of an attempt are, below its own. */
export function foldersIn(root: string) {
  return {
    root,
    workspace: join(root, 'workspace'),
    home: join(root, 'home'),
    temp: join(root, 'temp'),
    /** For the prompt and the report. */
    exchange: join(root, 'exchange'),
    /** For files of the system that are made for this attempt, such as its list of users. */
    made: join(root, 'made'),
    /** For the sockets that lead out of its network. */
    sockets: join(root, 'sockets'),
  };
}

/**
 * What the sandbox shows of ours, and where: at the same paths in every attempt, on whatever machine. Agents
 * keep paths in what they remember of their work, and find it by them when they go on with it.
 */
export const inside = {
  ...foldersIn('/run/coxswain'),
  temp: '/tmp',
  /** The repository that the workspace is of. */
  repository: '/run/coxswain/repository.git',
};

/** The folders of an attempt as its programs see them: without a sandbox as they are. */
export function foldersSeen(seen: {
  readonly folders: AttemptFolders;
  readonly sandboxed: boolean;
}): AttemptFolders {
  return seen.sandboxed ? inside : seen.folders;
}

/** Makes them, but for the workspace: Git makes that later. */
export async function makeFolders(root: string): Promise<AttemptFolders> {
  const folders = foldersIn(root);
  const { home, temp, exchange, made, sockets } = folders;
  for (const folder of [home, temp, exchange, made, sockets]) await mkdir(folder);
  return folders;
}

/** How one program is run. */
export interface Confinement {
  /** Files and folders of the workspace to hide: the branch's own configuration of agents. */
  readonly masked?: readonly string[];
  /**
   * With the network of the machine, loopback included; otherwise with one of its own, which leads nowhere.
   */
  readonly hostNetwork?: boolean;
  /** Files and sockets of ours to show, by their paths inside. */
  readonly shown?: Readonly<Record<string, string>>;
  /** Folders and files of this machine that it needs, at the same paths, read-only. */
  readonly readable?: readonly string[];
  /** Whether it may make namespaces, as agents with a sandbox of their own do. */
  readonly namespaces?: boolean;
}

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
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
    /** The prompt and the report are in it. */
    exchange: join(root, 'exchange'),
    /** Files of the system that are made for this attempt are in it, such as its list of users. */
    made: join(root, 'made'),
    /** The sockets that lead out of its network are in it. */
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

/**
 * Removes a folder with whatever programs have left in it: folders nested so deeply that their paths are too
 * long for the system, folders that nobody may read, names that are no text. Throws if something in it cannot
 * be removed, such as a mount point or an immutable file; all the rest is gone then.
 */
export async function removeTree(folder: string | Buffer): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (cause) {
    // The first is fast, but knows paths only as a whole and as text.
    const obstacle = await new Flattening(folder).remove();
    if (obstacle !== undefined)
      throw new Error(`could not remove ${folder.toString()}: ${obstacle}`, { cause });
  }
}

/** Moves every folder to the top before it looks inside, so that no path gets longer than two names. */
class Flattening {
  readonly #folder: string | Buffer;
  readonly #pending: Buffer[] = [];
  /** Not the name of anything else, also not of what an earlier removal could not finish. */
  readonly #prefix = `.removing-${randomBytes(6).toString('hex')}-`;
  #moved = 0;
  #obstacle: string | undefined;

  constructor(folder: string | Buffer) {
    this.#folder = folder;
  }

  /** The first obstacle, if there was any. */
  async remove(): Promise<string | undefined> {
    await this.#empty(Buffer.from(this.#folder), (name) => {
      this.#pending.push(name);
      return Promise.resolve();
    });
    for (let name = this.#pending.pop(); name !== undefined; name = this.#pending.pop()) {
      const path = this.#pathOf(name);
      await this.#empty(path, (inner) => this.#lift(pathIn(path, inner)));
      await this.#attempt(() => rmdir(path));
    }
    await this.#attempt(() => rmdir(this.#folder));
    return this.#obstacle;
  }

  /** Removes the files of a folder; what happens to its folders is up to the caller. */
  async #empty(path: Buffer, onFolder: (name: Buffer) => Promise<void>): Promise<void> {
    await this.#attempt(async () => {
      await chmod(path, 0o700);
      for (const entry of await readdir(path, { withFileTypes: true, encoding: 'buffer' })) {
        // A link to a folder is a file here.
        const remove = () => unlink(pathIn(path, entry.name));
        await this.#attempt(() => (entry.isDirectory() ? onFolder(entry.name) : remove()));
      }
    });
  }

  async #lift(path: Buffer): Promise<void> {
    // A folder that may not be written to cannot be moved by everybody, because its `..` changes.
    await chmod(path, 0o700);
    const name = Buffer.from(`${this.#prefix}${this.#moved++}`);
    await rename(path, this.#pathOf(name));
    this.#pending.push(name);
  }

  #pathOf(name: Buffer): Buffer {
    return pathIn(Buffer.from(this.#folder), name);
  }

  /** One obstacle keeps nothing else from being removed. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    await act().catch((fault: unknown) => {
      this.#obstacle ??= fault instanceof Error ? fault.message : String(fault);
    });
  }
}

function pathIn(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}

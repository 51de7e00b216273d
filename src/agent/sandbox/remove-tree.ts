import { randomBytes } from 'node:crypto';
import { chmod, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';

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

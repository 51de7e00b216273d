import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryOf } from '../github/read/repository-ref.ts';
import type { Repository } from '../repository/repository.ts';
import type { Installations } from './installations.ts';

const shape = z.object({
  complete: z.boolean(),
  repositories: z.record(z.string(), z.int()),
});

/**
 * The repositories with runs that have not ended, as `owner/name`, each with its installation. They are kept in
 * the data folder, because anyone with write access can remove the labels by which GitHub finds such runs.
 */
export class KnownRepositories {
  readonly #path: string;
  readonly #installations: Map<string, number>;
  #isComplete: boolean;
  #writing: Promise<void> = Promise.resolve();

  static async open(data: string): Promise<KnownRepositories> {
    const path = join(data, 'repositories');
    const text = await readFile(path, 'utf8').catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return ''; // the folder is new
      throw new Error(`could not read ${path}`, { cause: fault });
    });
    return new KnownRepositories(path, shape.safeParse(jsonIn(text)).data);
  }

  private constructor(path: string, known: z.infer<typeof shape> | undefined) {
    this.#path = path;
    this.#installations = new Map(Object.entries(known?.repositories ?? {}));
    this.#isComplete = known?.complete ?? false;
  }

  /**
   * Whether all were looked through since this data folder is in use, up to a thousand of an installation.
   */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The names of those of an installation. */
  of(installation: number): readonly string[] {
    return [...this.#installations].filter(([, id]) => id === installation).map(([name]) => name);
  }

  /** Resolves when it is written; what could not be written is tried again. */
  add(name: string, installation: number): Promise<void> {
    if (this.#installations.get(name) === installation) return this.#writing.catch(() => this.#write());
    this.#installations.set(name, installation);
    return this.#write();
  }

  /** It has no run any more. */
  async forget(name: string): Promise<void> {
    if (this.#installations.delete(name)) await this.#write();
  }

  async setComplete(): Promise<void> {
    if (this.#isComplete) return;
    this.#isComplete = true;
    await this.#write();
  }

  /** One write after the other, each complete or not at all. */
  #write(): Promise<void> {
    const write = async () => {
      const fresh = `${this.#path}.new`;
      const repositories = Object.fromEntries(this.#installations);
      await writeFile(fresh, JSON.stringify({ complete: this.#isComplete, repositories }), { mode: 0o600 });
      await rename(fresh, this.#path);
    };
    this.#writing = this.#writing.catch(() => undefined).then(write);
    return this.#writing;
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** Every repository the App is installed on. */
export async function listRepositories(installations: Installations): Promise<readonly Repository[]> {
  const found: Repository[] = [];
  for (const { id } of await installations.all()) {
    const client = installations.client(id);
    const listed = await client.paginate(client.rest.apps.listReposAccessibleToInstallation, {
      per_page: 100,
    });
    for (const repository of listed) found.push(installations.repository(repositoryOf(repository), id));
  }
  return found;
}

import { type BigIntStats, constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lchown,
  lstat,
  lutimes,
  mkdir,
  readdir,
  readlink,
  statfs,
  symlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { type AttemptFolders, removeTree } from '../sandbox/folders.ts';

/** The folders that the programs of an attempt can write to. */
const written = ['workspace', 'home', 'temp', 'exchange'] as const;

/**
 * The state of an attempt's folders that several programs begin from, so that nothing that one leaves speaks
 * for another. Kept beside the folders, where no program in a sandbox sees it.
 *
 * To copy everything back takes seconds; to look at everything, a tenth of one. So only what differs is put
 * back: a file's number and the time of its last change, which no program can set, tell.
 */
export class StartingState {
  readonly #kept: readonly (readonly [Places, Kept])[];

  private constructor(kept: readonly (readonly [Places, Kept])[]) {
    this.#kept = kept;
  }

  /** Throws `TooLargeToKeep`. Whatever runs in the folders must have ended, here and in `restore`. */
  static async keep(folders: AttemptFolders, signal: AbortSignal): Promise<StartingState> {
    const { bsize, bavail } = await statfs(folders.root);
    const keeping = { signal, bytesLeft: (bsize * bavail) / 2 };
    const copies = join(folders.root, 'kept');
    await removeTree(copies);
    await mkdir(copies);
    const kept: [Places, Kept][] = [];
    for (const name of written) {
      const places = { live: Buffer.from(folders[name]), copy: Buffer.from(join(copies, name)) };
      kept.push([places, await keep(places, keeping)]);
    }
    await nextTick();
    return new StartingState(kept);
  }

  async restore(): Promise<void> {
    for (const [places, kept] of this.#kept) await restore(places, kept);
    await nextTick();
  }

  /**
   * Puts back the files of the workspace that have been changed or removed; what is new stays. Returns their
   * paths. Those that `mayChange` names stay as they are.
   */
  async restoreFiles(mayChange: (path: string) => boolean): Promise<readonly string[]> {
    const changed: string[] = [];
    const [workspace] = this.#kept;
    if (workspace !== undefined) await restoreChanged(...workspace, { mayChange, changed });
    return changed.sort();
  }
}

/** What set-up left cannot be kept: there is no room for a copy. */
export class TooLargeToKeep extends Error {}

/** Files carry the time of the kernel's last tick, which comes at least a hundred times a second. */
function nextTick(): Promise<void> {
  return passed(20);
}

/** Where something is, and where its copy. Names need not be text. */
interface Places {
  readonly live: Buffer;
  readonly copy: Buffer;
}

interface Kept {
  stats: BigIntStats;
  /** Where it leads, if it is a link. */
  readonly target?: Buffer;
  /** What is in it, if it is a folder, by names in Latin-1, which has a character for each byte. */
  readonly entries?: ReadonlyMap<string, Kept>;
}

interface Keeping {
  readonly signal: AbortSignal;
  bytesLeft: number;
}

async function keep(places: Places, keeping: Keeping): Promise<Kept> {
  const stats = await lstat(places.live, { bigint: true });
  if (stats.isSymbolicLink()) return { stats, target: await readlink(places.live, 'buffer') };
  if (stats.isDirectory()) return { stats, entries: await keepEntries(places, keeping) };
  if (stats.isFile()) {
    keeping.bytesLeft -= Number(stats.size);
    if (keeping.bytesLeft < 0) throw new TooLargeToKeep();
    await copyFile(places.live, places.copy, constants.COPYFILE_FICLONE).catch(unlessPrivate);
  }
  return { stats };
}

async function keepEntries(places: Places, keeping: Keeping): Promise<ReadonlyMap<string, Kept>> {
  await mkdir(places.copy);
  const entries = new Map<string, Kept>();
  if (keeping.signal.aborted) return entries;
  const names = await readdir(places.live, { encoding: 'buffer' }).catch(unlessPrivate);
  await each(names ?? [], async (name) => {
    entries.set(name.toString('latin1'), await keep(below(places, name), keeping));
  });
  return entries;
}

/** What its owner may not read is of no use to the programs that run as them, and is left as it is. */
function unlessPrivate(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== 'EACCES') throw fault;
}

async function restore(places: Places, kept: Kept): Promise<void> {
  const { live } = places;
  const stats = await lstat(live, { bigint: true }).catch(() => undefined);
  if (kept.entries !== undefined && stats?.isDirectory() && isSameFolder(stats, kept.stats)) {
    await restoreEntries(places, kept.entries, Number(stats.mode));
  } else if (stats === undefined || !isUntouched(stats, kept.stats)) {
    if (stats !== undefined) await removeTree(live);
    await putBack(places, kept);
  }
}

/** Its times change with each file that a program makes in it. */
function isSameFolder(now: BigIntStats, then: BigIntStats): boolean {
  return now.ino === then.ino && now.mode === then.mode && now.uid === then.uid && now.gid === then.gid;
}

function isUntouched(now: BigIntStats, then: BigIntStats): boolean {
  return now.ino === then.ino && now.ctimeNs === then.ctimeNs && now.size === then.size;
}

interface Changed {
  readonly mayChange: (path: string) => boolean;
  readonly changed: string[];
}

async function restoreChanged(places: Places, kept: Kept, found: Changed, path = ''): Promise<void> {
  const stats = await lstat(places.live, { bigint: true }).catch(() => undefined);
  if (kept.entries !== undefined && stats?.isDirectory()) {
    await each([...kept.entries], ([name, inner]) => {
      const bytes = Buffer.from(name, 'latin1');
      const innerPath = path === '' ? bytes.toString() : `${path}/${bytes.toString()}`;
      return restoreChanged(below(places, bytes), inner, found, innerPath);
    });
  } else if ((stats === undefined || !isUntouched(stats, kept.stats)) && !found.mayChange(path)) {
    found.changed.push(path);
    if (stats !== undefined) await removeTree(places.live);
    await putBack(places, kept);
  }
}

async function restoreEntries(
  places: Places,
  entries: ReadonlyMap<string, Kept>,
  mode: number,
): Promise<void> {
  const names = await readdir(places.live, { encoding: 'buffer' }).catch(unlessPrivate);
  if (names === undefined) return;
  // Caches of packages are read-only.
  const closed = (mode & 0o300) !== 0o300;
  if (closed) await chmod(places.live, mode | 0o700);
  await each(names, async (name) => {
    if (!entries.has(name.toString('latin1'))) await removeTree(below(places, name).live);
  });
  await each([...entries], async ([name, kept]) => {
    await restore(below(places, Buffer.from(name, 'latin1')), kept);
  });
  if (closed) await chmod(places.live, mode);
}

async function putBack(places: Places, kept: Kept): Promise<void> {
  const { live, copy } = places;
  const { stats, target, entries } = kept;
  if (target !== undefined) await symlink(target, live);
  else if (entries !== undefined) {
    await mkdir(live);
    await each([...entries], ([name, inner]) => putBack(below(places, Buffer.from(name, 'latin1')), inner));
  } else if (stats.isFile() && (await isThere(copy))) {
    await copyFile(copy, live, constants.COPYFILE_FICLONE);
  } else return; // also a socket or a pipe, whose other end has gone
  await lchown(live, Number(stats.uid), Number(stats.gid));
  if (target === undefined) await chmod(live, Number(stats.mode));
  await lutimes(live, Number(stats.atimeMs) / 1000, Number(stats.mtimeNs) / 1e9);
  kept.stats = await lstat(live, { bigint: true });
}

async function isThere(path: Buffer): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function below({ live, copy }: Places, name: Buffer): Places {
  const slash = Buffer.from('/');
  return { live: Buffer.concat([live, slash, name]), copy: Buffer.concat([copy, slash, name]) };
}

const atOnce = 32;

async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce)
    await Promise.all(items.slice(at, at + atOnce).map((item) => act(item)));
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Whom the programs of an attempt run as. */
export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Ids that no distribution hands out: above those of people, of services, of systemd's dynamic users and of
 * containers (https://systemd.io/UIDS-GIDS/).
 */
const unassigned = { first: 1_879_100_000, count: 100_000 };

/** For a container whose user namespace has 65,536 ids only: between systemd's dynamic users and `nobody`. */
const inSmallNamespace = { first: 65_520, count: 10 };

interface Ids {
  readonly first: number;
  readonly count: number;
}

/**
 * Chooses the user for an attempt from the path of its workspace. Root could not be kept from starting any
 * number of processes, and the attempts of one user could count as each other's. Null: we are not root, or
 * have no other ids in our user namespace, and programs run as the user that we are.
 */
export function usersHere(named: SandboxUser | undefined) {
  const isRoot = process.getuid?.() === 0;
  const ids = idsIn(read('/proc/self/uid_map'));
  const range = [unassigned, inSmallNamespace].find(({ first, count }) =>
    ids.some((mapped) => first >= mapped.first && first + count <= mapped.first + mapped.count),
  );
  const user = ({ workspace }: { readonly workspace: string }): SandboxUser | null => {
    if (!isRoot) return null;
    if (named !== undefined || range === undefined) return named ?? null;
    const number = createHash('sha256').update(workspace).digest().readUInt32BE();
    const id = range.first + (number % range.count);
    return { uid: id, gid: id };
  };
  return { isRoot, user };
}

/** Whether we are root in the namespace around ours too, for all that can be seen from here. */
export function isRootOutside(): boolean {
  return process.getuid?.() === 0 && /^\s*0\s+0\s/m.test(read('/proc/self/uid_map'));
}

/** A user of this machine by name or id. Throws if there is none of that name, and for root. */
export function userNamed(text: string): SandboxUser {
  const entries = read('/etc/passwd').split('\n');
  const entry = entries.map((line) => line.split(':')).find(([name, , uid]) => name === text || uid === text);
  const uid = idIn(entry?.[2] ?? text);
  const gid = idIn(entry?.[3] ?? text);
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${text} here`);
  if (uid === 0) throw new Error('programs of agents may not run as root');
  return { uid, gid };
}

/** The highest number that the kernel takes means that there is no user. */
const highestId = 2 ** 32 - 2;

function idIn(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= highestId ? Number(text) : undefined;
}

/** Lines of `uid_map`: the first id inside, the first outside, how many. */
function idsIn(map: string): readonly Ids[] {
  const rows = map
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return rows.map(([first = 0, , count = 0]) => ({ first, count }));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not Linux
  }
}

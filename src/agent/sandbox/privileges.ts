import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

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

/** A container may have 65,536 ids only: these are between systemd's dynamic users and `nobody`. */
const inSmallNamespace = { first: 65_520, count: 10 };

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
function idsIn(map: string): readonly { readonly first: number; readonly count: number }[] {
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

/**
 * A filter of system calls (https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html) for
 * what leads out of a sandbox although it has namespaces of its own. Null on a processor whose numbers we do
 * not know.
 *
 * Sockets: only families of which a network namespace has its own. Virtual machines talk to their host by
 * others. Keyrings: that of the session is inherited, with the keys of whoever started us, and whatever one
 * attempt puts there the next one finds. The rest makes sockets or reaches much of the kernel, and programs
 * do without: they are told that this kernel does not have it.
 */
export function systemCallFilter(processor: string = process.arch): Buffer | null {
  const abis = abisOf[processor];
  if (abis === undefined || endianness() !== 'LE') return null;
  const checks = abis.flatMap(filterOf);
  return Buffer.concat([load(architectureAt), ...checks, answer(kill)]);
}

/** The numbers of one way to call the kernel; a processor that also runs older programs has two. */
interface Abi {
  /** `AUDIT_ARCH_…` of linux/audit.h. */
  readonly architecture: number;
  readonly sockets: readonly number[];
  readonly missing: readonly number[];
  /** Numbers from here on are those of yet another way, which nobody uses. */
  readonly below?: number;
}

/** `io_uring_setup`, `_enter` and `_register`: it can make sockets, past every filter. */
const ring = [425, 426, 427];

// Then `add_key`, `request_key`, `keyctl`, `bpf`, `perf_event_open`, `userfaultfd`.
const x64: Abi = {
  architecture: 0xc000003e,
  sockets: [41, 53],
  missing: [...ring, 248, 249, 250, 321, 298, 323],
  below: 0x40000000,
};
// 102 is `socketcall`, of which a filter cannot see the family.
const ia32: Abi = {
  architecture: 0x40000003,
  sockets: [359, 360],
  missing: [...ring, 286, 287, 288, 357, 336, 374, 102],
};
const arm: Abi = {
  architecture: 0x40000028,
  sockets: [281, 288],
  missing: [...ring, 309, 310, 311, 386, 364, 388],
};
const arm64: Abi = {
  architecture: 0xc00000b7,
  sockets: [198, 199],
  missing: [...ring, 217, 218, 219, 280, 241, 282],
};
const riscv64: Abi = { ...arm64, architecture: 0xc00000f3 };

const abisOf: Readonly<Record<string, readonly Abi[]>> = {
  x64: [x64, ia32],
  ia32: [ia32],
  arm64: [arm64, arm],
  arm: [arm],
  riscv64: [riscv64],
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const families = [1, 2, 10, 16];

/** All that is decided about one way; calls of another go on behind it. */
function filterOf({ architecture, sockets, missing, below }: Abi): readonly Buffer[] {
  const checks = [
    load(numberAt),
    ...(below === undefined ? [] : [skipUnless(atLeast, below, 1), answer(refuse(ENOSYS))]),
    ...missing.flatMap((number) => [skipUnless(equals, number, 1), answer(refuse(ENOSYS))]),
    ...sockets.flatMap((number) => [skipUnless(equals, number, familyCheck.length), ...familyCheck]),
    answer(allow),
  ];
  return [skipUnless(equals, architecture, checks.length), ...checks];
}

const [numberAt, architectureAt, firstArgumentAt] = [0, 4, 16];
const [loadWord, equals, atLeast, returns] = [0x20, 0x15, 0x35, 0x06];
const [allow, kill] = [0x7fff0000, 0x80000000];
const [ENOSYS, EAFNOSUPPORT] = [38, 97];

function refuse(errno: number): number {
  return 0x00050000 + errno;
}

function load(offset: number): Buffer {
  return instruction(loadWord, offset);
}

function answer(value: number): Buffer {
  return instruction(returns, value);
}

/** If it does not hold, that many instructions are skipped. */
function skipUnless(condition: number, value: number, skipped: number): Buffer {
  return instruction(condition, value, skipped);
}

/** Writes a `struct sock_filter`, of whose two distances of a jump we use the second. */
function instruction(code: number, value: number, skipped = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(skipped, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}

const familyCheck: readonly Buffer[] = [
  load(firstArgumentAt),
  ...families.flatMap((family) => [skipUnless(equals, family, 1), answer(allow)]),
  answer(refuse(EAFNOSUPPORT)),
];

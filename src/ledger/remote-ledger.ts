import { git, type Remote } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import { type PushResult, pushRefs, type RefUpdate } from '../git/remote.ts';
import type { State } from '../steering/state/state.ts';
import { type AppendPlan, bounded, type Sizes } from './append-batch.ts';
import { codeUpdate, type PushedCode } from './attachments.ts';
import {
  fetchHead,
  fetchRef,
  inSoundDirectory,
  makeDirectory,
  remakeDirectory,
  type SealCommit,
  writeCommits,
} from './directory.ts';
import { LedgerBroken, LedgerKeyUnknown, LedgerPutBack, LedgerVanished } from './errors.ts';
import {
  type LedgerHead,
  type LedgerIdentity,
  ledgerRef,
  type RefNamespace,
  sealedCommit,
} from './format.ts';
import type { LedgerStep } from './ledger-steps.ts';

/**
 * The sequence number that the ledger must have reached according to what we have drawn, or 0; `head` is the
 * commit that the ledger names as the run's head, null if there is no ledger.
 */
export type DrawnSeq = (head: string | null) => Promise<number>;

/** The newest event of a ledger that this process has not written. */
export interface ForeignHead {
  /** ISO 8601 */
  readonly updated_at: string;
  /** Whether this process has not seen the ledger before. */
  readonly isFirst: boolean;
}

/** What we have just written. */
type NewHead = Omit<LedgerHead, 'key'>;

/** The ledger, and where to work on it. */
export interface RemoteLedgerOptions extends LedgerIdentity {
  /** The ledger's own bare repository, created if missing; it may be deleted at any time. */
  readonly dir: string;
  readonly remote: Remote;
  /** Object directories (`<mirror>/objects`) that contain the code commits to push. */
  readonly objects: readonly string[];
  /** What another source says about the ledger; called until we have seen an event in the ledger. */
  readonly drawnSeq: DrawnSeq;
  /** Called when the ledger was last written by another process, or by a former one. */
  readonly onForeign?: ((head: ForeignHead) => void) | undefined;
  /** Called with what this process has just recorded, also what was deferred; must not throw. */
  readonly onSteps?: ((steps: readonly LedgerStep[]) => void) | undefined;
  /** Called with what an operator should know, such as refs of others that were removed. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/**
 * One run's ledger as this process knows it. What was read last is cached and built upon without reading
 * again, because every push names the commit it builds upon.
 */
export class RemoteLedger {
  readonly options: RemoteLedgerOptions;
  /** The newest commit that was read or written, with its number. */
  tip: { readonly seq: number; readonly commit: string } | undefined;
  #known: { readonly head: LedgerHead | undefined } | undefined;
  #sizes: { readonly commit: string; readonly sizes: Sizes } | undefined;
  /** What was in the ledger when we last read or wrote it. */
  #seen: KnownEvents | undefined;

  constructor(options: RemoteLedgerOptions) {
    this.options = options;
  }

  /** The cached head, or else read from the remote; `certain` if it was read just now. */
  async head(): Promise<{ head: LedgerHead | undefined; certain: boolean }> {
    if (this.#known) return { head: this.#known.head, certain: false };
    const { dir, remote, drawnSeq } = this.options;
    const fetchOnce = () => this.#refusingOlder(() => fetchHead(dir, remote, this.options));
    const first = await fetchOnce();
    const expected = this.#seen === undefined ? await drawnSeq(first?.state.head ?? null) : 0;
    const suffices = (head: LedgerHead | undefined) =>
      head === undefined ? expected === 0 && this.#seen === undefined : head.state.seq >= expected;
    // What was drawn was in the ledger before, so reading it again shows at least that.
    const head = suffices(first) ? first : await fetchAgain(fetchOnce, suffices);
    checkKept(this.options.number, { head, seen: this.#seen, expected });
    if (head !== undefined && this.tip?.commit !== head.commit)
      this.options.onForeign?.({ updated_at: head.state.updated_at, isFirst: this.tip === undefined });
    this.#recordHead(head);
    return { head, certain: true };
  }

  /** Nothing need be asked about this run: its pull request has only just been opened by us. */
  begin(): void {
    this.#known ??= { head: undefined };
  }

  /** A process that knew a newer commit does not wait for a key that would make an older one sound. */
  async #refusingOlder(fetch: () => Promise<LedgerHead | undefined>): Promise<LedgerHead | undefined> {
    try {
      return await this.inDirectory(fetch);
    } catch (fault) {
      const known = this.#seen?.state.seq ?? 0;
      if (!(fault instanceof LedgerKeyUnknown) || fault.seq > known) throw fault;
      throw new LedgerPutBack(`${fault.message}, and number ${known} was here before`, { cause: fault });
    }
  }

  /** Makes the next access read from the remote. */
  forget(): void {
    this.#known = undefined;
  }

  /** Caches what we have just written. */
  remember(head: NewHead, steps: AppendPlan['steps']): void {
    this.#recordHead({ ...head, key: this.options.seals?.current ?? null });
    this.options.onSteps?.(steps);
  }

  /** Writes the planned commits locally. */
  async write(head: LedgerHead | undefined, plan: AppendPlan): Promise<string> {
    const { dir } = this.options;
    await makeDirectory(dir);
    const parent = head?.commit;
    const light = plan.commits.every(({ artefacts }) => artefacts.length === 0);
    const place = { dir, seal: this.#seal() };
    if (light && this.#sizes?.commit !== parent) return writeCommits(place, parent, plan.commits);
    const { commits, sizes } = bounded(await this.#sizesAt(parent), plan.commits);
    const commit = await writeCommits(place, parent, commits);
    this.#sizes = { commit, sizes };
    return commit;
  }

  /** Moves the ledger's ref (or both refs, if the run closes or reopens) and the branch, atomically. */
  push(head: LedgerHead | undefined, to: NewHead, code: PushedCode | undefined): Promise<PushResult> {
    const { dir, remote } = this.options;
    const updates = [...this.#ledgerUpdates(head, to), ...(code ? [codeUpdate(code)] : [])];
    return pushRefs({ dir, remote, env: this.#stores() }, updates);
  }

  /** Replaces what was found in the ledger's refs and keeps it under other refs, atomically. */
  replace(
    found: ReadonlyMap<RefNamespace, string>,
    to: NewHead,
    aside: readonly RefUpdate[],
  ): Promise<PushResult> {
    const { dir, remote } = this.options;
    const creation = { ref: this.ref(to.namespace), from: found.get(to.namespace) ?? null, to: to.commit };
    const others = [...found].filter(([namespace]) => namespace !== to.namespace);
    const removals = others.map(([namespace, from]) => ({ ref: this.ref(namespace), from, to: null }));
    return pushRefs({ dir, remote }, [...aside, ...removals, creation]);
  }

  /**
   * `--force-with-lease` cannot require that a ref we do not push does not exist. So after creating a ledger
   * we check again: if others have created and closed the run meanwhile, ours is deleted. Returns true then.
   */
  async deleteIfAlsoClosed({ commit, namespace }: NewHead): Promise<boolean> {
    const { dir, remote, number } = this.options;
    const other = namespace === 'open' ? 'closed' : 'open';
    if (!(await fetchRef(dir, remote, this.ref(other)))) return false;
    const taken = await pushRefs({ dir, remote }, [{ ref: this.ref(namespace), from: commit, to: null }]);
    if (taken.landed) return true;
    throw new LedgerBroken(`ledger of #${number}: it is both open and closed: ${taken.message}`);
  }

  /** Branches may only be fast-forwarded: the reason against this move, if there is one. */
  async problemWith(code: PushedCode): Promise<Error | undefined> {
    if ('ref' in code) return undefined;
    const { branch, from, to } = code;
    const here = inside(this.options.dir, this.#stores());
    const what = `could not move ${branch} from ${from} to ${to}`;
    try {
      await this.inDirectory(() => git(['merge-base', '--is-ancestor', from, to], here));
      return undefined;
    } catch (cause) {
      return new Error(`${what}: not a descendant`, { cause });
    }
  }

  /** Recreates a damaged directory; it contains nothing that is not on the remote. */
  async recreateDirectory(): Promise<void> {
    this.forget();
    await remakeDirectory(this.options.dir);
  }

  ref(namespace: RefNamespace): string {
    return ledgerRef(namespace, this.options.number);
  }

  /** Listed once; after that, the sizes of what we write are added. */
  async #sizesAt(commit: string | undefined): Promise<Sizes> {
    if (commit === undefined) return new Map();
    if (this.#sizes?.commit === commit) return this.#sizes.sizes;
    return sizesIn(this.options.dir, commit);
  }

  #recordHead(head: LedgerHead | undefined): void {
    this.#known = { head };
    if (head !== undefined) this.tip = { seq: head.state.seq, commit: head.commit };
    this.#seen = head;
  }

  #seal(): SealCommit {
    const { seals, repositoryId, number } = this.options;
    return (commit) => seals?.seal(sealedCommit({ ...commit, repositoryId, number }));
  }

  #ledgerUpdates(head: LedgerHead | undefined, to: NewHead): readonly RefUpdate[] {
    const ref = this.ref(to.namespace);
    if (head?.namespace === to.namespace) return [{ ref, from: head.commit, to: to.commit }];
    const creation = { ref, from: null, to: to.commit };
    return head ? [{ ref: this.ref(head.namespace), from: head.commit, to: null }, creation] : [creation];
  }

  #stores(): Record<string, string> {
    const { objects } = this.options;
    return objects.length > 0 ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(quoted).join(':') } : {};
  }

  /** Works in the directory, and once more in a new one if it is damaged. */
  inDirectory<T>(work: () => Promise<T>): Promise<T> {
    return inSoundDirectory(this.options.dir, work, () => this.recreateDirectory());
  }
}

/** The sizes of the artefacts in a ledger commit. */
async function sizesIn(dir: string, commit: string): Promise<Sizes> {
  const listing = await git(['ls-tree', '-r', '-l', '-z', commit, 'iterations'], inside(dir));
  const lines = listing.split('\0').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [meta = '', path = ''] = line.split('\t');
      return [path, Number(meta.split(' ').at(-1))];
    }),
  );
}

/** A run that others close and reopen at the same time can be missed in both places. */
async function fetchAgain(
  fetchOnce: () => Promise<LedgerHead | undefined>,
  suffices: (head: LedgerHead | undefined) => boolean,
): Promise<LedgerHead | undefined> {
  let head: LedgerHead | undefined;
  for (let tries = 0; tries < maxFetchesAgain && !suffices(head); tries++) head = await fetchOnce();
  return head;
}

const maxFetchesAgain = 3;

/** Git splits the list at colons unless a path is quoted. */
function quoted(path: string): string {
  return JSON.stringify(path);
}

/** What was in a ledger once, which must never disappear. */
type KnownEvents = Pick<LedgerHead, 'seen' | 'state'>;

interface Reading {
  /** What the ledger says now; undefined if it does not exist. */
  readonly head: LedgerHead | undefined;
  /** What this process read or wrote last. */
  readonly seen: KnownEvents | undefined;
  /** The sequence number that the pull request shows, or 0. */
  readonly expected: number;
}

/**
 * Nobody may take back what a ledger said. Throws `LedgerVanished` if it was there before, and `LedgerPutBack`
 * if it was further than it is now.
 */
export function checkKept(number: number, { head, seen, expected }: Reading): void {
  const where = `ledger of #${number}`;
  if (head === undefined) {
    if (seen !== undefined || expected > 0) throw new LedgerVanished(`${where}: it no longer exists`);
    return;
  }
  const { seq } = head.state;
  if (seq < expected) {
    const shown = `the pull request shows number ${expected}`;
    throw new LedgerPutBack(`${where}: it was reset to number ${seq}, but ${shown}`);
  }
  const lost = [...(seen?.seen ?? [])].filter((id) => !head.seen.has(id));
  if (lost.length === 0 || isRestoredSince(head.state, seen?.state)) return;
  throw new LedgerPutBack(`${where}: it was reset to an older one, without ${lost.join(', ')}`);
}

/** A restored ledger intentionally lacks the events of the previous one, but only once. */
function isRestoredSince({ restored }: State, known: State | undefined): boolean {
  if (restored === undefined) return false;
  return known?.restored === undefined || Date.parse(restored.at) > Date.parse(known.restored.at);
}

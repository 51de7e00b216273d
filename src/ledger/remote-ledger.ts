import { GitError, git, type Remote } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import { type PushResult, pushRefs, type RefUpdate } from '../git/remote.ts';
import type { CodeMove } from './attachments.ts';
import { bounded, type Sizes, sizesIn } from './bounds.ts';
import { fetchHead, fetchRef, makeDirectory, remakeDirectory } from './directory.ts';
import { LedgerBroken, LedgerPutBack, LedgerVanished } from './errors.ts';
import type { LedgerHead } from './head.ts';
import { parseEvents } from './parse.ts';
import type { AppendPlan } from './plan.ts';
import { ledgerRef, type RefNamespace } from './refs.ts';
import { writeCommits } from './write.ts';

/** Which ledger, and where to work on it. */
export interface RemoteLedgerOptions {
  readonly dir: string;
  readonly remote: Remote;
  readonly number: number;
  /** Object stores that hold code commits. */
  readonly objects: readonly string[];
  /** The number that the ledger has reached as far as others know; asked while we have seen nothing of it. */
  readonly leastSeq: () => Promise<number>;
}

/**
 * One run's ledger as this process knows it: what was read last is remembered and written upon
 * without asking first, since every push names what it is written upon.
 */
export class RemoteLedger {
  readonly options: RemoteLedgerOptions;
  #known: { readonly head: LedgerHead | undefined } | undefined;
  #weighed: { readonly commit: string; readonly sizes: Sizes } | undefined;
  /** Events that were in the ledger when we last looked: they can never be gone. */
  #witnessed: ReadonlySet<string> = new Set();

  constructor(options: RemoteLedgerOptions) {
    this.options = options;
  }

  /** What is remembered, read from the remote when nothing is. `certain` when it was read just now. */
  async head(): Promise<{ head: LedgerHead | undefined; certain: boolean }> {
    if (this.#known) return { head: this.#known.head, certain: false };
    const { dir, remote, number, leastSeq } = this.options;
    // Asked first: what others know by now, the ledger must have when it is read afterwards.
    const expected = this.#witnessed.size === 0 ? await leastSeq() : 0;
    const head = await this.inDirectory(() => fetchHead(dir, remote, number));
    this.#checkKept(head, expected);
    this.#witness(head);
    return { head, certain: true };
  }

  /** The next look at the ledger is at the remote. */
  forget(): void {
    this.#known = undefined;
  }

  /** What was just written by us. */
  remember(head: LedgerHead): void {
    this.#witness(head);
  }

  /** Writes a draft's commits, here only. */
  async write(head: LedgerHead | undefined, planAppend: AppendPlan): Promise<string> {
    const { dir } = this.options;
    const parent = head?.commit;
    const light = planAppend.commits.every(({ artefacts }) => artefacts.length === 0);
    if (light && this.#weighed?.commit !== parent) return writeCommits(dir, parent, planAppend.commits);
    const { commits, sizes } = bounded(await this.#sizesAt(parent), planAppend.commits);
    const commit = await writeCommits(dir, parent, commits);
    this.#weighed = { commit, sizes };
    return commit;
  }

  /** Moves the ledger's ref (or refs, when the run closes or reopens) and the code's, all or none. */
  push(head: LedgerHead | undefined, to: LedgerHead, code: CodeMove | undefined): Promise<PushResult> {
    const { dir, remote } = this.options;
    const updates = [...this.#ledgerUpdates(head, to), ...(code ? [codeUpdate(code)] : [])];
    return pushRefs({ dir, remote, env: this.#stores() }, updates);
  }

  /** Puts a ledger in the place of what was found there, which is kept aside: all of it or nothing. */
  replace(
    found: ReadonlyMap<RefNamespace, string>,
    to: LedgerHead,
    aside: readonly RefUpdate[],
  ): Promise<PushResult> {
    const { dir, remote } = this.options;
    const arrival = { ref: this.ref(to.namespace), from: found.get(to.namespace) ?? null, to: to.commit };
    const others = [...found].filter(([namespace]) => namespace !== to.namespace);
    const removals = others.map(([namespace, from]) => ({ ref: this.ref(namespace), from, to: null }));
    return pushRefs({ dir, remote }, [...aside, ...removals, arrival]);
  }

  /**
   * No lease can say that a ref we do not push must not exist. So a ledger that was begun is looked at once
   * more: when the run was begun and closed by others meanwhile, ours is taken back. True when it was.
   */
  async takeBackIfClosed({ commit, namespace }: LedgerHead): Promise<boolean> {
    const { dir, remote, number } = this.options;
    const other = namespace === 'open' ? 'closed' : 'open';
    if (!(await fetchRef(dir, remote, this.ref(other)))) return false;
    const taken = await pushRefs({ dir, remote }, [{ ref: this.ref(namespace), from: commit, to: null }]);
    if (taken.landed) return true;
    throw new LedgerBroken(`ledger of #${number}: it is open and closed at once: ${taken.message}`);
  }

  /** A branch of people may only go on: why this move may not be made, if it may not. */
  async problemWith({ branch, from, to }: CodeMove): Promise<Error | undefined> {
    const { dir } = this.options;
    await makeDirectory(dir);
    const env = { ...inside(dir).env, ...this.#stores() };
    const what = `could not move ${branch} from ${from} to ${to}`;
    try {
      await git(['merge-base', '--is-ancestor', from, to], { cwd: dir, env });
      return undefined;
    } catch (cause) {
      return new Error(`${what}: not a descendant`, { cause });
    }
  }

  /** For a directory that is damaged; it holds nothing that the remote does not hold. */
  async remake(): Promise<void> {
    this.forget();
    await remakeDirectory(this.options.dir);
  }

  ref(namespace: RefNamespace): string {
    return ledgerRef(namespace, this.options.number);
  }

  /** Listed once; from then on what we write is added to what we know. */
  async #sizesAt(commit: string | undefined): Promise<Sizes> {
    if (commit === undefined) return new Map();
    if (this.#weighed?.commit === commit) return this.#weighed.sizes;
    return sizesIn(this.options.dir, commit);
  }

  #witness(head: LedgerHead | undefined): void {
    this.#known = { head };
    this.#witnessed = head?.seen ?? new Set();
  }

  #checkKept(head: LedgerHead | undefined, expected: number): void {
    const where = `ledger of #${this.options.number}`;
    const lost = [...this.#witnessed].filter((id) => !head?.seen.has(id));
    if (head === undefined) {
      if (lost.length > 0 || expected > 0) throw new LedgerVanished(`${where}: it has vanished`);
      return;
    }
    const { seq } = head.state;
    if (seq < expected) {
      const drawn = `the pull request was drawn from number ${expected}`;
      throw new LedgerPutBack(`${where}: somebody put back number ${seq}, but ${drawn}`);
    }
    if (lost.length === 0 || isRestored(head, where)) return;
    throw new LedgerPutBack(`${where}: somebody put back an older one, without ${lost.join(', ')}`);
  }

  #ledgerUpdates(head: LedgerHead | undefined, to: LedgerHead): readonly RefUpdate[] {
    const ref = this.ref(to.namespace);
    if (head?.namespace === to.namespace) return [{ ref, from: head.commit, to: to.commit }];
    const arrival = { ref, from: null, to: to.commit };
    return head ? [{ ref: this.ref(head.namespace), from: head.commit, to: null }, arrival] : [arrival];
  }

  #stores(): Record<string, string> {
    const { objects } = this.options;
    return objects.length > 0 ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(quoted).join(':') } : {};
  }

  /** The directory may be thrown away, so one that is damaged is. */
  async inDirectory<T>(work: () => Promise<T>): Promise<T> {
    const { dir } = this.options;
    await makeDirectory(dir);
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof GitError) || !saysDamaged(cause)) throw cause;
      await remakeDirectory(dir);
      return work();
    }
  }
}

/** A ledger that was begun anew lacks on purpose what was in the one before it. */
function isRestored({ log }: LedgerHead, where: string): boolean {
  return parseEvents(log, where)[0]?.type === 'restored';
}

const damages = ['not a git repository', "\\.lock': File exists", 'bad object', 'is corrupt', 'shallow file'];

function saysDamaged({ stderr }: GitError): boolean {
  return new RegExp(damages.join('|')).test(stderr);
}

/** The branch's full name. */
export function codeRef({ branch }: CodeMove): string {
  return `refs/heads/${branch}`;
}

function codeUpdate(code: CodeMove): RefUpdate {
  return { ref: codeRef(code), from: code.from, to: code.to };
}

/** Git splits the list at colons unless a path is quoted. */
function quoted(path: string): string {
  return JSON.stringify(path);
}

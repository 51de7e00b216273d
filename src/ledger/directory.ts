import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, git, ObjectDamaged, type Remote } from '../git/git.ts';
import {
  type CommitParts,
  commitId,
  commitObject,
  inside,
  readObjects,
  signatureAt,
  sizesOf,
  textOfFile,
} from '../git/objects.ts';
import { pushRefusalOf } from '../git/push-refusal.ts';
import type { PlannedCommit } from './append-batch.ts';
import type { Artefact } from './attachments.ts';
import { LedgerBroken } from './errors.ts';
import {
  type LedgerHead,
  type LedgerIdentity,
  ledgerRef,
  messageOf,
  parseHead,
  type RefNamespace,
  type SealedCommit,
  textAbove,
} from './format.ts';

/** Creates the bare repository of a ledger. It contains nothing that is not on the remote. */
export async function makeDirectory(dir: string): Promise<void> {
  if (existsSync(join(dir, 'HEAD'))) return;
  await git(['init', '--quiet', '--bare', '--template=', dir]);
}

export async function remakeDirectory(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await makeDirectory(dir);
}

/**
 * Works in such a directory, which may be deleted or damaged at any time. Whatever Git could not do there, be
 * it because of a torn file that nobody has foreseen, is tried once more in a new one.
 */
export async function inSoundDirectory<T>(
  dir: string,
  work: () => Promise<T>,
  remake = () => remakeDirectory(dir),
): Promise<T> {
  await makeDirectory(dir);
  try {
    return await work();
  } catch (cause) {
    if (!isOfDirectory(cause)) throw cause;
    await remake();
    return work();
  }
}

/** Whether Git failed here: neither the network nor the remote did, and it was more than the answer "no". */
export function isOfDirectory(fault: unknown): boolean {
  if (fault instanceof ObjectDamaged) return true;
  if (!(fault instanceof GitError) || fault.exitCode === null) return false;
  return fault.stderr !== '' && pushRefusalOf(fault) === undefined;
}

/** Fetches the newest commit of a run's ledger, without its history; undefined if there is no ledger. */
export async function fetchHead(
  dir: string,
  remote: Remote,
  identity: LedgerIdentity,
): Promise<LedgerHead | undefined> {
  // `open` is fetched twice because the run may be reopened between the first two requests.
  for (const namespace of ['open', 'closed', 'open'] as const) {
    if (await fetchRef(dir, remote, ledgerRef(namespace, identity.number)))
      return readHead(dir, namespace, identity);
  }
  return undefined;
}

/** Anyone with write access can push any amount of data: a pack that we fetch is refused above this size. */
export const maxPackBytes = 64 * 1024 * 1024;

/** Whether a fetch was ended because of its size or its duration, and may have left parts of packs. */
export function wasEnded(fault: unknown): fault is GitError {
  return fault instanceof GitError && (fault.exitCode === null || isTooLarge(fault));
}

/** SIGXFSZ, which has this number on Linux and macOS. */
function isTooLarge({ message, stderr }: GitError): boolean {
  return /died of signal 25|File too large/.test(stderr) || /killed by SIGXFSZ/.test(message);
}

/** False if the remote has no such ref. Throws `LedgerBroken` if it has more than any ledger of ours. */
export async function fetchRef(dir: string, remote: Remote, ref: string): Promise<boolean> {
  const command = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', remote.url];
  try {
    await git([...command, `+${ref}:${ref}`], {
      ...inside(dir),
      remote,
      maxFileBytes: maxPackBytes,
    });
    return true;
  } catch (cause) {
    if (cause instanceof GitError && /couldn't find remote ref/.test(cause.stderr)) return false;
    if (wasEnded(cause)) await remakeDirectory(dir);
    if (cause instanceof GitError && isTooLarge(cause))
      throw new LedgerBroken(`${ref}: it is larger than ${maxPackBytes} bytes`, { cause });
    throw cause;
  }
}

/** More than a state or a log of ours ever has: a ledger's files are kept within 10 MiB. */
const maxBytes = 32 * 1024 * 1024;

/** Reads a fetched ledger. Anyone with write access may have pushed it, so sizes come before contents. */
async function readHead(dir: string, namespace: RefNamespace, identity: LedgerIdentity): Promise<LedgerHead> {
  const ref = ledgerRef(namespace, identity.number);
  const names = [ref, `${ref}:state.json`, `${ref}:events.jsonl`];
  const sizes = await sizesOf(dir, names);
  if (sizes.some((size) => size !== undefined && size > maxBytes)) {
    throw new LedgerBroken(`ledger of #${identity.number}: it is larger than ${maxBytes} bytes`);
  }
  const [commit, state, log] = await readObjects(dir, names);
  if (commit === undefined) throw new Error(`could not read ${ref} in ${dir}`);
  const raw = { commit: commit.sha, namespace, object: commit.content };
  return parseHead({ ...raw, state: textOfFile(state), log: textOfFile(log) }, identity);
}

/** A ledger as `git log` lists it. */
export interface LedgerLog {
  readonly ref: string;
  /** Its commits, oldest first, each with the time of its event. */
  readonly commits: readonly { readonly at: string; readonly subject: string }[];
  /** How many older ones are left out. */
  readonly omitted: number;
}

interface Place {
  readonly dir: string;
  readonly remote: Remote;
  readonly ref: string;
}

const maxSubjects = 500;

/** Reads the log of a ledger whose newest commit is there, and first fetches the others if they are not. */
export async function readLog({ dir, remote, ref }: Place, commit: string): Promise<LedgerLog> {
  await fetchHistory({ dir, remote, ref });
  const format = ['-z', '--reverse', '--format=%cI %s', `--max-count=${maxSubjects}`, '--no-show-signature'];
  const [listing, count] = await Promise.all([
    git(['log', ...format, commit, '--'], inside(dir)),
    git(['rev-list', '--count', commit, '--'], inside(dir)),
  ]);
  const lines = listing.split('\0').slice(0, Math.min(Number(count), maxSubjects));
  const commits = lines.map((line) => {
    const end = line.indexOf(' ');
    return { at: line.slice(0, end), subject: line.slice(end + 1) };
  });
  return { ref, commits, omitted: Number(count) - commits.length };
}

/**
 * What is read otherwise is only the newest commit; `depth` is how many older ones are needed, by default
 * all.
 */
export async function fetchHistory({ dir, remote, ref }: Place, depth?: number): Promise<void> {
  if (!existsSync(join(dir, 'shallow'))) return;
  // From what is there, and not from the tip, which others may have moved since.
  const extent = depth === undefined ? '--unshallow' : `--deepen=${depth}`;
  const command = ['fetch', '--quiet', extent, '--no-tags', '--no-write-fetch-head', remote.url];
  await git([...command, `+${ref}:${ref}`], { ...inside(dir), remote, maxFileBytes: maxPackBytes });
}

/** The seal for a commit that is about to be written; undefined where ledgers are not sealed. */
export type SealCommit = (commit: Omit<SealedCommit, 'repositoryId' | 'number'>) => string | undefined;

/**
 * Writes a batch of commits without a checkout; returns the last one. A seal names the tree and the parent,
 * so the trees are written first and the messages afterwards: two runs of `git fast-import` for any number
 * of commits.
 */
export async function writeCommits(
  { dir, seal }: { readonly dir: string; readonly seal: SealCommit },
  parent: string | undefined,
  commits: readonly PlannedCommit[],
): Promise<string> {
  const trees = await writeTrees(dir, parent, commits);
  let last = parent ?? null;
  const parts: (CommitParts & { readonly at: number })[] = [];
  for (const [index, commit] of commits.entries()) {
    const tree = trees[index];
    if (tree === undefined)
      throw new Error(`git fast-import wrote ${trees.length} of ${commits.length} trees`);
    const written = {
      tree,
      parent: last,
      message: sealed(commit, { tree, parent: last }, seal),
      at: commit.at,
    };
    parts.push(written);
    last = commitId(commitObject(written, signatureAt(commit.at)), tree);
  }
  const output = await fastImport(dir, [...parts.flatMap(importOf), `get-mark :${parts.length}\n`]);
  if (output.trim() !== last) throw new Error(`git fast-import wrote ${output.trim()}, expected ${last}`);
  return last;
}

function sealed(
  { state, text, log, namespace, ...commit }: PlannedCommit,
  place: Pick<CommitParts, 'tree' | 'parent'>,
  seal: SealCommit,
): string {
  const { seq } = state;
  const parts = { ...commit.message, seq };
  const above = textAbove(parts);
  return messageOf(parts, seal({ ...place, namespace, seq, event: parts.event, state: text, log, above }));
}

const scratch = 'refs/coxswain/writing';

/** The tree of every commit, written with commits that nothing will refer to. */
async function writeTrees(
  dir: string,
  parent: string | undefined,
  commits: readonly PlannedCommit[],
): Promise<readonly string[]> {
  const output = await fastImport(
    dir,
    commits.flatMap(({ at, text, log, artefacts }, index) => [
      ...begin({ at, message: '' }, { mark: index + 1, from: index === 0 ? (parent ?? null) : `:${index}` }),
      ...fileOf({ path: 'state.json', content: text }),
      ...fileOf({ path: 'events.jsonl', content: log }),
      ...artefacts.flatMap(fileOf),
      `\nls :${index + 1} ""\n`,
    ]),
  );
  return [...output.matchAll(/^040000 tree ([0-9a-f]+)\t/gm)].map(([, tree = '']) => tree);
}

function importOf(commit: CommitParts & { readonly at: number }, index: number): readonly string[] {
  const from = index === 0 ? commit.parent : `:${index}`;
  return [...begin(commit, { mark: index + 1, from }), `M 040000 ${commit.tree} ""\n`, '\n'];
}

function begin(
  { at, message }: { readonly at: number; readonly message: string },
  { mark, from }: { readonly mark: number; readonly from: string | null },
): readonly string[] {
  return [
    ...(from === null ? [`reset ${scratch}\n\n`] : []),
    `commit ${scratch}\nmark :${mark}\n`,
    `committer ${signatureAt(at)}\n`,
    counted(message),
    ...(from === null ? [] : [`from ${from}\n`]),
  ];
}

async function fastImport(dir: string, lines: readonly string[]): Promise<string> {
  const input = Buffer.concat([...lines, 'done\n'].map((part) => Buffer.from(part)));
  const command = ['fast-import', '--quiet', '--force', '--done', '--date-format=raw'];
  return git(['-c', 'fastimport.unpackLimit=1', ...command], { ...inside(dir), input });
}

function fileOf({ path, content }: Artefact): readonly string[] {
  const name = path.startsWith('"') ? JSON.stringify(path) : path;
  return [`M 100644 inline ${name}\n`, counted(content)];
}

function counted(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

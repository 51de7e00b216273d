import type { Mirror } from '../git/mirror.ts';
import { anyCommitFrom, readObjects, treesOf, writeSigned } from '../git/objects.ts';
import { listRemote, pushRefs } from '../git/remote.ts';
import { createCommit } from '../github/write/sign-commit.ts';
import { unsignedRef, unsignedRefs } from '../ledger/format.ts';
import { messageOf } from './faults.ts';
import type { Repository } from './repository.ts';

/** A commit of ours was not signed, and nothing of it landed. */
export class NotSigned extends Error {
  override name = 'NotSigned';
  /** Why, in part of a sentence. */
  readonly reason: string;

  constructor(commit: string, reason: string) {
    super(`could not have ${commit} signed: ${reason}`);
    this.reason = reason;
  }
}

/**
 * A commit of ours as GitHub has made it anew and signed it, with the same files, parents and message, in the
 * mirror. Its id cannot be foreseen, because GitHub is its committer, at its own time. Throws `NotSigned`.
 */
export async function signedByGitHub(repository: Repository, commit: string): Promise<string> {
  const mirror = await repository.mirror();
  const wanted = await commitIn(mirror, commit);
  const isThere = (await changesNothing(mirror, commit, wanted.parents)) || (await send(mirror, commit));
  try {
    const made = await createCommit(repository.octokit, repository, wanted);
    if (made.signature === null)
      throw new NotSigned(commit, `this server does not sign the commits of Apps (${made.reason})`);
    const same = anyCommitFrom(made.payload);
    if (same === undefined || factsOf(same) !== factsOf(wanted))
      throw new NotSigned(commit, 'what GitHub signed has other files, parents or words');
    if (!(await writeSigned(mirror.dir, made)))
      throw new NotSigned(commit, `what GitHub signed does not have the id ${made.sha}, which GitHub names`);
    return made.sha;
  } finally {
    if (isThere === 'sent') await takeBack(repository, mirror, commit);
  }
}

type Commit = NonNullable<ReturnType<typeof anyCommitFrom>>;

async function commitIn({ dir }: Mirror, commit: string): Promise<Commit> {
  const [object] = await readObjects(dir, [commit]);
  const found = object && anyCommitFrom(object.content);
  if (found === undefined) throw new Error(`could not read the commit ${commit} in ${dir}`);
  return found;
}

/** GitHub may end a message without a line feed. */
function factsOf({ tree, parents, message }: Commit): string {
  return JSON.stringify([tree, parents, message.trimEnd()]);
}

/** With the files of its parent, everything that it names is on the server already. */
async function changesNothing({ dir }: Mirror, commit: string, parents: readonly string[]): Promise<boolean> {
  const [own, parent] = await treesOf(dir, [commit, ...parents]);
  return own !== undefined && own === parent;
}

/** No workflow starts for what is no branch. A ref that is there already was left by a process that ended. */
async function send(mirror: Mirror, commit: string): Promise<'sent'> {
  const pushed = await pushRefs(mirror, [{ ref: unsignedRef(commit), from: null, to: commit }]);
  if (pushed.landed || pushed.kind === 'moved') return 'sent';
  if (pushed.kind === 'unreachable')
    throw new Error(`could not push ${unsignedRef(commit)}: ${pushed.message}`);
  throw new NotSigned(commit, pushed.message);
}

/** If this fails, or the process ends before it, the sweep does it. */
async function takeBack(repository: Repository, mirror: Mirror, commit: string): Promise<void> {
  await removeRefs(repository, mirror, new Map([[unsignedRef(commit), commit]])).catch((fault: unknown) =>
    repository.octokit.log.warn(messageOf(fault)),
  );
}

/** For one sweep: anyone with write access can push any number of them. */
const mostRemoved = 100;

/**
 * Removes what a process has left that ended while GitHub signed. Another one that waits for a signature at
 * this moment gets it all the same: GitHub keeps objects for a while that no ref leads to.
 */
export async function removeUnsigned(repository: Repository): Promise<void> {
  const left = [...(await listRemote(repository.remote, [`${unsignedRefs}/*`]))].slice(0, mostRemoved);
  if (left.length > 0) await removeRefs(repository, await repository.mirror(), new Map(left));
}

async function removeRefs(
  { owner, name }: Repository,
  mirror: Mirror,
  refs: ReadonlyMap<string, string>,
): Promise<void> {
  const pushed = await pushRefs(
    mirror,
    [...refs].map(([ref, from]) => ({ ref, from, to: null })),
  );
  // Somebody else has removed them meanwhile.
  if (pushed.landed || pushed.kind === 'moved') return;
  throw new Error(`could not remove ${[...refs.keys()].join(', ')} of ${owner}/${name}: ${pushed.message}`);
}

/** Whether the remote refuses a push because it wants commits signed. */
export function wantsSignatures(reason: string): boolean {
  return /must have (verified|valid) signatures/i.test(reason);
}

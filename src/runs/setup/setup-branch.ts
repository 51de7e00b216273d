import { PushRefused } from '../../git/claim-branch.ts';
import { commitFrom } from '../../git/commit-object.ts';
import type { Mirror } from '../../git/mirror.ts';
import { commitTree, treeWithFile } from '../../git/mixed-commit.ts';
import { readObjects } from '../../git/objects.ts';
import { listRemote, pushRefs } from '../../git/remote.ts';
import { setupBranch } from '../../github/names.ts';
import type { Sealed, Seals } from '../../seal/seals.ts';

/** What the branch is to add to the default branch. */
export interface NewSetup {
  readonly repositoryId: number;
  /** The newest commit of the default branch. */
  readonly base: string;
  readonly path: string;
  readonly text: string;
}

const ref = `refs/heads/${setupBranch}`;

/**
 * Creates the branch with one commit that adds the configuration. Several processes that do so at once make
 * the same commit, and a branch from an earlier try is used. Resolves to false if there is one that is not
 * ours. Throws `PushRefused` when a rule of the repository forbids it.
 */
export async function createSetupBranch(mirror: Mirror, setup: NewSetup, seals: Seals): Promise<boolean> {
  const known = await listRemote(mirror.remote, [ref, `${ref}/*`]);
  if (known.has(ref)) return isOurs(mirror, setup.repositoryId, seals);
  // Git cannot have both a branch and others below it.
  if ([...known.keys()].some((each) => each.startsWith(`${ref}/`))) return false;
  const { base, path, text } = setup;
  const tree = await treeWithFile(mirror.dir, { base, path, text });
  const seal = seals.seal(sealed(setup.repositoryId, { base, tree }));
  const message = `${messageFor(path)}Coxswain-Seal: ${seal}\n`;
  const commit = await commitTree(mirror.dir, { base, tree, message });
  const pushed = await pushRefs(mirror, [{ ref, from: null, to: commit }]);
  if (pushed.landed) return true;
  if (pushed.kind === 'declined') throw new PushRefused(`branch ${setupBranch}`, pushed.message);
  const there = (await listRemote(mirror.remote, [ref])).get(ref);
  if (there === undefined) throw new Error(`could not push branch ${setupBranch}: ${pushed.message}`);
  return isOurs(mirror, setup.repositoryId, seals);
}

function messageFor(path: string): string {
  return `Configure Coxswain\n\nAdd ${path}, made from the files of this repository.\n\n`;
}

/** Whether the branch is at a commit that we made for it, and nobody has pushed to it since. */
async function isOurs(mirror: Mirror, repositoryId: number, seals: Seals): Promise<boolean> {
  await mirror.fetch([`+${ref}:${ref}`]);
  const [object] = await readObjects(mirror.dir, [ref]);
  const parts = object && commitFrom(object.content);
  if (parts === undefined || parts.parent === null) return false;
  const [, seal] = /\nCoxswain-Seal: (.*)\n$/.exec(parts.message) ?? [];
  const wanted = sealed(repositoryId, { base: parts.parent, tree: parts.tree });
  return seals.check(wanted, seal).seal === 'sound';
}

function sealed(
  repositoryId: number,
  { base, tree }: { readonly base: string; readonly tree: string },
): Sealed {
  return { label: 'setup', parts: [String(repositoryId), base, tree] };
}

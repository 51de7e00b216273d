import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runExclusive } from '../../git/keyed-mutex.ts';
import type { Mirror } from '../../git/mirror.ts';
import { addWorktree, pruneWorktrees, readableOf, removeWorktreeRecord } from '../../git/worktree.ts';
import { limitsOf } from '../../steering/iterations/spending.ts';
import type { Assignment, AttemptResources, Workspace } from '../port/assignment.ts';
import { type AttemptNetwork, openNetwork, usualKit } from '../port/attempt-network.ts';
import type { SandboxContext } from '../port/sandboxed-run.ts';
import { identify, isAlive, readIdentity } from '../process/registry.ts';
import { endAllIn } from '../sandbox/first-process.ts';
import { foldersIn, makeFolders } from '../sandbox/paths.ts';
import { removeTree } from '../sandbox/remove-tree.ts';

/**
 * Makes a workspace for an assignment, with its network. Rejects, with everything removed that can be, if it
 * cannot.
 */
export async function openWorkspace(assignment: Assignment, resources: AttemptResources): Promise<Workspace> {
  const { mirror, sandbox, workRoot, environment = {}, network: kit = usualKit } = resources;
  const root = await createRoot(assignment, resources);
  let network: AttemptNetwork | undefined;
  const remove = async () => {
    await network?.close();
    await removeRoot(root, mirror);
  };
  try {
    const { bsize, bavail } = await statfs(root);
    const folders = await makeFolders(root);
    await addWorktree(mirror, { dir: folders.workspace, ...startOf(assignment) });
    const readable = await readableOf(mirror, folders.workspace);
    const paths = { ...folders, readable, freeBytesBefore: bsize * bavail };
    const sandboxed = sandbox.kind !== 'none';
    const { state, limits = () => limitsOf(state) } = assignment;
    network = await openNetwork({ state, limits, kit, folders, sandboxed });
    await sandbox.prepare(paths);
    const context = { ...paths, network, sandbox, workRoot, agentEnvironment: environment };
    return { context, remove };
  } catch (fault) {
    await remove().catch(leftForLater);
    throw fault;
  }
}

/**
 * An attempt that goes on from another has what that one changed, uncommitted as it was; so has one that is
 * to end a merge what Git has done of it.
 */
function startOf({ commit, resumed, merge }: Assignment): { commit: string; parent?: string } {
  const begun = resumed?.commit ?? merge?.commit;
  return begun === undefined ? { commit } : { commit: begun, parent: commit };
}

/** `pruneWorkspaces` tries again, and reports it. */
function leftForLater(): void {}

/** Runs `act` in a workspace, either from the pool or created for this call and removed afterwards. */
export async function inWorkspace<T>(
  assignment: Assignment,
  resources: AttemptResources,
  act: (context: SandboxContext) => Promise<T>,
): Promise<T> {
  if (resources.workspaces !== undefined) return act((await resources.workspaces.take(assignment)).context);
  const { context, remove } = await openWorkspace(assignment, resources);
  try {
    return await act(context);
  } finally {
    await remove().catch(leftForLater);
  }
}

/**
 * Puts the workspaces of processes that no longer exist aside, such as those of a crashed App, for
 * `removeAside`. One that cannot be moved is reported: it must not keep other work from beginning.
 */
export async function pruneWorkspaces(
  mirror: Mirror,
  workRoot: string,
  onLeft: (problem: string) => void,
): Promise<void> {
  const roots = rootsIn(workRoot);
  const aside = asideIn(workRoot);
  await mkdir(roots, { recursive: true });
  await mkdir(aside, { recursive: true });
  // One that is just being made has no owner yet.
  await runExclusive(roots, async () => {
    for (const name of await readdir(roots)) {
      const written = await readFile(join(roots, name, ownerFile), 'utf8').catch(() => ''); // half-written
      const owner = readIdentity(written);
      if (owner === undefined || !isAlive(owner))
        await rename(join(roots, name), join(aside, name)).catch(reportTo(onLeft));
    }
  });
  await pruneWorktrees(mirror);
}

/**
 * Removes what was put aside, which takes minutes if a program has left millions of folders. What cannot be
 * removed is reported and stays for the next time. Never throws.
 */
export async function removeAside(workRoot: string, onLeft: (problem: string) => void): Promise<void> {
  const aside = asideIn(workRoot);
  await runExclusive(aside, async () => {
    for (const name of await readdir(aside)) await removeLeft(join(aside, name)).catch(reportTo(onLeft));
  }).catch(reportTo(onLeft));
}

async function removeLeft(root: string): Promise<void> {
  await endAllIn(foldersIn(root).made);
  await removeTree(root);
}

function reportTo(onLeft: (problem: string) => void): (fault: unknown) => void {
  return (fault) => onLeft(fault instanceof Error ? fault.message : String(fault));
}

const ownerFile = 'owner.json';

async function createRoot({ state, hold }: Assignment, { workRoot }: AttemptResources): Promise<string> {
  const unique = randomBytes(6).toString('hex');
  const name = `${state.run.number}-${hold.iteration}-${hold.attempt}-${unique}`;
  await mkdir(rootsIn(workRoot), { recursive: true });
  // Git stores real paths, and mounts need them.
  const root = join(await realpath(rootsIn(workRoot)), name);
  await runExclusive(rootsIn(workRoot), async () => {
    await mkdir(root, { mode: 0o700 });
    await writeFile(join(root, ownerFile), JSON.stringify(identify(process.pid)));
  });
  return root;
}

function asideIn(workRoot: string): string {
  return join(workRoot, 'removing');
}

function rootsIn(workRoot: string): string {
  return join(workRoot, 'attempts');
}

/** Throws if the folder cannot be removed, which must not fail an attempt: `pruneWorkspaces` tries again. */
async function removeRoot(root: string, mirror: Mirror): Promise<void> {
  const existed = await removeWorktreeRecord(mirror, foldersIn(root).workspace);
  try {
    // Without its owner it is anybody's to remove later.
    await rm(join(root, ownerFile), { force: true });
    await removeTree(root);
  } finally {
    if (!existed) await pruneWorktrees(mirror);
  }
}

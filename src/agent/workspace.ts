import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mirror } from '../git/mirror.ts';
import { addWorktree, pruneWorktrees, removeWorktreeRecord } from '../git/worktree.ts';
import { runProcessGroup } from '../process/process-group.ts';
import type { Assignment, AttemptResources, Workspace } from './assignment.ts';
import { searchPath } from './environment.ts';
import { identify, isAlive, readIdentity } from './process/identity.ts';
import type { SandboxContext } from './sandboxed-run.ts';

export async function openWorkspace(assignment: Assignment, resources: AttemptResources): Promise<Workspace> {
  const root = await createRoot(assignment, resources);
  const context = contextIn(root, resources);
  const remove = () => removeRoot(root, resources.mirror);
  try {
    await addWorktree(resources.mirror, { dir: context.workspace, commit: assignment.commit });
  } catch (fault) {
    await remove();
    throw fault;
  }
  return { context, remove };
}

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
    await remove();
  }
}

/** Removes the workspaces of processes that no longer exist, such as a crashed App. */
export async function pruneWorkspaces(mirror: Mirror, workRoot: string): Promise<void> {
  const roots = rootsIn(workRoot);
  await mkdir(roots, { recursive: true });
  for (const name of await readdir(roots)) {
    const written = await readFile(join(roots, name, ownerFile), 'utf8').catch(() => ''); // half-written
    const owner = readIdentity(written);
    if (owner === undefined || !isAlive(owner)) await removeTree(join(roots, name));
  }
  await pruneWorktrees(mirror);
}

const ownerFile = 'owner.json';

async function createRoot({ state, hold }: Assignment, { workRoot }: AttemptResources): Promise<string> {
  const unique = randomBytes(6).toString('hex');
  const name = `${state.run.number}-${hold.iteration}-${hold.attempt}-${unique}`;
  await mkdir(rootsIn(workRoot), { recursive: true });
  // Git stores real paths, and mounts need them.
  const root = join(await realpath(rootsIn(workRoot)), name);
  await mkdir(root, { mode: 0o700 });
  await writeFile(join(root, ownerFile), JSON.stringify(identify(process.pid)));
  for (const folder of ['home', 'temp', 'exchange']) await mkdir(join(root, folder));
  return root;
}

function contextIn(
  root: string,
  { mirror, sandbox, workRoot, environment = {} }: AttemptResources,
): SandboxContext {
  return {
    workspace: join(root, 'workspace'),
    home: join(root, 'home'),
    temp: join(root, 'temp'),
    exchange: join(root, 'exchange'),
    readable: [mirror.dir],
    sandbox,
    workRoot,
    agentEnvironment: environment,
  };
}

function rootsIn(workRoot: string): string {
  return join(workRoot, 'attempts');
}

/** A folder that cannot be removed must not fail an attempt: `pruneWorkspaces` tries again later. */
async function removeRoot(root: string, mirror: Mirror): Promise<void> {
  const existed = await removeWorktreeRecord(mirror, join(root, 'workspace'));
  await removeTree(root).catch(() => undefined);
  if (!existed) await pruneWorktrees(mirror);
}

/**
 * Removes a folder even if it contains read-only folders, such as Go's module cache, or paths longer than the
 * system accepts as a whole; these two programs take them one name at a time.
 */
async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (cause) {
    await runSystem(['chmod', '-R', 'u+rwX', folder]);
    await runSystem(['rm', '-rf', folder]);
    if (existsSync(folder)) throw new Error(`could not remove ${folder}`, { cause });
  }
}

const removalTimeoutMs = 10 * 60_000;

async function runSystem(argv: readonly string[]): Promise<void> {
  const ignore = (): void => undefined;
  const env = { PATH: searchPath() };
  await runProcessGroup(argv, { env, timeoutMs: removalTimeoutMs, onStdout: ignore, onStderr: ignore });
}

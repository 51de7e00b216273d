import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mirror } from '../git/mirror.ts';
import { addWorktree, forgetWorktree, pruneWorktrees } from '../git/worktree.ts';
import type { Assignment, Tools, Workspace } from './assignment.ts';
import { identify, lives, readIdentity } from './process/identity.ts';
import type { Room } from './sandboxed-run.ts';

export async function openWorkspace(assignment: Assignment, tools: Tools): Promise<Workspace> {
  const place = await makePlace(assignment, tools);
  const room = roomIn(place, tools);
  const remove = () => removePlace(place, tools.mirror);
  try {
    await addWorktree(tools.mirror, { dir: room.workspace, commit: assignment.commit });
  } catch (fault) {
    await remove();
    throw fault;
  }
  return { room, remove };
}

/** Does something in a workspace: one that is kept for it, or one that is there only meanwhile. */
export async function inWorkspace<T>(
  assignment: Assignment,
  tools: Tools,
  act: (room: Room) => Promise<T>,
): Promise<T> {
  if (tools.workspaces !== undefined) return act((await tools.workspaces.take(assignment)).room);
  const { room, remove } = await openWorkspace(assignment, tools);
  try {
    return await act(room);
  } finally {
    await remove();
  }
}

/** Removes what attempts left whose process is gone, a crashed one for example. */
export async function pruneWorkspaces(mirror: Mirror, workRoot: string): Promise<void> {
  const places = placesIn(workRoot);
  await mkdir(places, { recursive: true });
  for (const name of await readdir(places)) {
    const written = await readFile(join(places, name, ownerFile), 'utf8').catch(() => ''); // half made
    const owner = readIdentity(written);
    if (owner === undefined || !lives(owner)) await removeTree(join(places, name));
  }
  await pruneWorktrees(mirror);
}

const ownerFile = 'owner.json';

async function makePlace({ state, hold }: Assignment, { workRoot }: Tools): Promise<string> {
  const unique = randomBytes(6).toString('hex');
  const name = `${state.run.number}-${hold.iteration}-${hold.attempt}-${unique}`;
  await mkdir(placesIn(workRoot), { recursive: true });
  // Git notes real paths, and mounts need them.
  const place = join(await realpath(placesIn(workRoot)), name);
  await mkdir(place, { mode: 0o700 });
  await writeFile(join(place, ownerFile), JSON.stringify(identify(process.pid)));
  for (const folder of ['home', 'temp', 'exchange']) await mkdir(join(place, folder));
  return place;
}

function roomIn(place: string, { mirror, sandbox, workRoot, environment = {} }: Tools): Room {
  return {
    workspace: join(place, 'workspace'),
    home: join(place, 'home'),
    temp: join(place, 'temp'),
    exchange: join(place, 'exchange'),
    readable: [mirror.dir],
    sandbox,
    workRoot,
    agentEnvironment: environment,
  };
}

function placesIn(workRoot: string): string {
  return join(workRoot, 'attempts');
}

/** Half an hour of work is not thrown away for a folder that resists: `pruneWorkspaces` meets it again. */
async function removePlace(place: string, mirror: Mirror): Promise<void> {
  const known = await forgetWorktree(mirror, join(place, 'workspace'));
  await removeTree(place).catch(() => undefined);
  if (!known) await pruneWorktrees(mirror);
}

/** Removes a folder also when it holds folders that were made read-only, as Go does with its module cache. */
async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (cause) {
    if (!isForbidden(cause)) throw new Error(`could not remove ${folder}`, { cause });
    await makeWritable(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}

function isForbidden(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'EACCES' || cause.code === 'EPERM');
}

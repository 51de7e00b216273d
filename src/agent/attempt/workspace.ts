import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runExclusive } from '../../git/keyed-mutex.ts';
import type { Mirror } from '../../git/mirror.ts';
import { addWorktree, pruneWorktrees, readableOf, removeWorktreeRecord } from '../../git/worktree.ts';
import { limitsOf } from '../../steering/iterations/spending.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import { endingOf } from '../../text/characters.ts';
import type { Assignment, AttemptResources, Workspace, WorkspacePool } from '../port/assignment.ts';
import { type AttemptNetwork, openNetwork, usualKit } from '../port/attempt-network.ts';
import { type Limits, mayPassAgain, runShell, type SandboxContext } from '../port/sandboxed-run.ts';
import type { ProcessResult } from '../process/child.ts';
import { identify, isAlive, readIdentity } from '../process/child-registry.ts';
import { foldersIn, makeFolders, removeTree } from '../sandbox/folders.ts';
import { endAllIn } from '../sandbox/sandbox.ts';

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

type SetupResult =
  /** `notices` tell which commands passed only when they were run once more. */
  | { readonly kind: 'ready'; readonly notices: readonly string[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Runs the repository's setup commands in order, one that failed up to `reruns` times more; the time limit
 * covers all of them together.
 */
export async function setUp(
  context: SandboxContext,
  commands: readonly string[],
  { reruns, ...limits }: Limits & { readonly reruns: number },
): Promise<SetupResult> {
  const until = performance.now() + limits.timeoutMs;
  const run = (command: string): Promise<ProcessResult> => {
    const timeoutMs = Math.max(until - performance.now(), 1);
    return runShell(context, command, { ...limits, use: 'setup', timeoutMs });
  };
  const notices: string[] = [];
  for (const command of commands) {
    const first = await run(command);
    let result = first;
    for (let times = 0; times < reruns && mayPassAgain(result); times++) result = await run(command);
    if (result.end === 'cancelled') return { kind: 'cancelled' };
    if (result.end !== 'exited' || result.exitCode !== 0)
      return { kind: 'failed', failure: failureOf(command, result) };
    if (result !== first)
      notices.push(
        `the setup command \`${command}\` ${describeEnd(first)}, and passed when it was run again`,
      );
  }
  return { kind: 'ready', notices };
}

function failureOf(command: string, result: ProcessResult): Failure {
  const output = endingOf(`${result.stdout}\n${result.stderr}`.trim(), 2_000);
  return {
    kind: result.end === 'exceeded' ? 'resources' : 'setup',
    message: `the setup command \`${command}\` ${describeEnd(result)}${output && `:\n${output}`}`,
  };
}

function describeEnd(result: ProcessResult): string {
  switch (result.end) {
    case 'exited':
      return `ended with exit code ${result.exitCode}`;
    case 'signalled':
      return `was killed by ${result.signal}`;
    case 'timed_out':
      return 'did not finish within the time limit of the attempt';
    case 'not_started':
      return `could not start: ${result.message}`;
    case 'exceeded':
      return `was stopped: it used ${result.what}`;
    case 'cancelled':
      return 'was cancelled';
  }
}

/**
 * The workspaces of one attempt. A large worktree takes time: it is created while the ledger is written, and
 * removed when the attempt no longer needs it.
 */
export class Workspaces implements WorkspacePool {
  readonly #resources: AttemptResources;
  readonly #prepared = new Map<string, Promise<Workspace>>();
  readonly #opened: Promise<Workspace>[] = [];

  constructor(resources: AttemptResources) {
    this.#resources = resources;
  }

  /** Starts creating a workspace ahead of time. A failure is reported to the caller of `take`. */
  prepare(assignment: Assignment): void {
    const workspace = this.#open(assignment);
    workspace.catch(() => undefined);
    this.#prepared.set(assignment.commit, workspace);
  }

  take(assignment: Assignment): Promise<Workspace> {
    const { commit } = assignment;
    const prepared = this.#prepared.get(commit);
    this.#prepared.delete(commit); // each is used once
    return prepared ?? this.#open(assignment);
  }

  /** Removes all of them, taken or not. Throws for the first that cannot be removed, after the others. */
  async removeAll(): Promise<void> {
    const faults: unknown[] = [];
    for (const opened of this.#opened.splice(0)) {
      const workspace = await opened.catch(() => undefined); // removed and reported already
      await workspace?.remove().catch((fault: unknown) => faults.push(fault));
    }
    if (faults.length > 0) throw faults[0];
  }

  #open(assignment: Assignment): Promise<Workspace> {
    const workspace = openWorkspace(assignment, this.#resources);
    this.#opened.push(workspace);
    return workspace;
  }
}

import { openWorkspace } from './attempt/workspace.ts';
import type { Assignment, AttemptResources, Workspace, WorkspacePool } from './port/assignment.ts';

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

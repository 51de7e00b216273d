import type { Assignment, Kept, Tools, Workspace } from './assignment.ts';
import { openWorkspace } from './workspace.ts';

/**
 * The workspaces of one attempt. A large worktree takes its time: it is made while the ledger is written, and
 * removed when nobody waits for the result any more.
 */
export class Workspaces implements Kept {
  readonly #tools: Tools;
  readonly #prepared = new Map<string, Promise<Workspace>>();
  readonly #opened: Promise<Workspace>[] = [];

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Begins to make what will be asked for. Should that fail, whoever asks is told. */
  prepare(assignment: Assignment): void {
    const workspace = this.#open(assignment);
    workspace.catch(() => undefined);
    this.#prepared.set(assignment.commit, workspace);
  }

  take(assignment: Assignment): Promise<Workspace> {
    const { commit } = assignment;
    const prepared = this.#prepared.get(commit);
    this.#prepared.delete(commit); // each is worked in once
    return prepared ?? this.#open(assignment);
  }

  /** All of them, asked for or not. */
  async removeAll(): Promise<void> {
    for (const opened of this.#opened.splice(0)) {
      const workspace = await opened.catch(() => undefined); // removed itself, and told who asked
      await workspace?.remove();
    }
  }

  #open(assignment: Assignment): Promise<Workspace> {
    const workspace = openWorkspace(assignment, this.#tools);
    this.#opened.push(workspace);
    return workspace;
  }
}

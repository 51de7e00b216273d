import type { RefUpdate } from '../git/remote.ts';
import type { Event } from '../steering/state/event.ts';
import type { Decide } from '../steering/state/ports.ts';
import type { State } from '../steering/state/state.ts';

/** What is pushed together with one event. */
export interface Attachments {
  /** Commits for the run's branch; they land together with the record or not at all. */
  readonly code?: CodeMove;
  /** A commit that is not for the branch, but is kept under a ref of its own, together with the record. */
  readonly kept?: KeptCommit;
  /** They are kept in the ledger, under paths such as `iterations/0/1/implement/prompt.md`. */
  readonly artefacts?: readonly Artefact[];
  /** Why the code need not even be tried on this state, which another process may have just recorded. */
  objection?(state: State): CodeRefusal | undefined;
  /** The event to record instead, without the code, if the remote refuses the code. */
  otherwise(refusal: CodeRefusal): Alternative;
}

/** What is recorded instead of an event whose code was refused. */
export interface Alternative extends Proposal {
  /** A commit to keep with it after all, and what to record if that is refused as well. */
  readonly attachments?: Pick<Attachments, 'kept' | 'otherwise'>;
}

/** A fast-forward of the run's branch. */
export interface CodeMove {
  readonly branch: string;
  /** The branch's head when the work started; if the branch has moved since, it is never overwritten. */
  readonly from: string;
  readonly to: string;
}

/** A commit to keep; its ref must not exist yet. */
export interface KeptCommit {
  readonly ref: string;
  readonly to: string;
}

/** The commits of one push. */
export type PushedCode = CodeMove | KeptCommit;

/** A file that is kept in the ledger. */
export interface Artefact {
  readonly path: string;
  readonly content: string;
}

/** Why the remote refused the code. */
export interface CodeRefusal {
  readonly kind: 'moved' | 'declined';
  /** What the server said. */
  readonly message: string;
}

/** An event, and how it is decided. */
export interface Proposal {
  readonly event: Event;
  readonly decide: Decide;
}

/** Throws unless the path is allowed in a ledger (no `*.log`), and the content of a `.json` file is JSON. */
export function checkArtefact({ path, content }: Artefact): void {
  const steps = path.split('/');
  const sound =
    steps[0] === 'iterations' &&
    steps.length > 1 &&
    steps.every((step) => !/^(|\.|\.\.|\.git)$/i.test(step)) &&
    !/\p{Cc}|\.log$/u.test(path);
  if (!sound)
    throw new Error(`could not keep an artefact as ${JSON.stringify(path)}: not a valid path in a ledger`);
  if (path.endsWith('.json')) JSON.parse(content);
}

/** The full name of the ref. */
export function codeRef(code: PushedCode): string {
  return 'ref' in code ? code.ref : `refs/heads/${code.branch}`;
}

/** The fast-forward of the branch, or the creation of the ref that keeps a commit. */
export function codeUpdate(code: PushedCode): RefUpdate {
  return { ref: codeRef(code), from: 'ref' in code ? null : code.from, to: code.to };
}

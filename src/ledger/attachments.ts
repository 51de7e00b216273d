import type { Event } from '../steering/event.ts';
import type { Decide } from '../steering/ports.ts';

/** What comes along with one event. */
export interface Attachments {
  /** Commits for the run's branch: they and the record land together or not at all. */
  readonly code?: CodeMove;
  /** Files for the ledger, by path, e.g. `iterations/0/1/implement/prompt.md`. */
  readonly artefacts?: readonly Artefact[];
  /** What is true instead when the remote does not take the code. It is recorded without it. */
  otherwise(refusal: CodeRefusal): Proposal;
}

/** A step forward of the run's branch. */
export interface CodeMove {
  readonly branch: string;
  /** The branch's head as the work began; a branch that has moved since is never pushed over. */
  readonly from: string;
  readonly to: string;
}

/** A file for the ledger. */
export interface Artefact {
  readonly path: string;
  readonly content: string;
}

/** Why the remote did not take the code. */
export interface CodeRefusal {
  readonly kind: 'moved' | 'declined';
  /** The server's words. */
  readonly message: string;
}

/** An event and how it is decided. */
export interface Proposal {
  readonly event: Event;
  readonly decide: Decide;
}

/** Throws unless a file may be kept: at a path for a ledger (without `*.log`), and JSON if so named. */
export function checkArtefact({ path, content }: Artefact): void {
  const steps = path.split('/');
  const sound =
    steps[0] === 'iterations' &&
    steps.length > 1 &&
    steps.every((step) => !/^(|\.|\.\.|\.git)$/i.test(step)) &&
    !/\p{Cc}|\.log$/u.test(path);
  if (!sound)
    throw new Error(`could not keep an artefact as ${JSON.stringify(path)}: not a path for a ledger`);
  if (path.endsWith('.json')) JSON.parse(content);
}

import type { FileChange, VerifierOutput } from '../../steering/attempt-result.ts';
import type { Progress } from '../../steering/progress.ts';

/** Data that replies show but the state does not hold; undefined when it is not available. */
export interface Sources {
  /** The repository's web address, such as `https://github.com/acme/api`. */
  readonly web: string;
  /** The changes of the run, or of one path, folder or glob; bodies are cut unless `full`. */
  diff(path: string | null, full: boolean): Promise<DiffText | undefined>;
  /** The last output of the verifiers, for when the state no longer has it. */
  outputs(): Promise<LastOutputs | undefined>;
  /** What is being done, as far as this process knows. */
  progress(): AtWork;
}

/** What the verifiers printed, and on which commit. */
export interface LastOutputs {
  readonly head: string;
  readonly verifiers: readonly VerifierOutput[];
}

export interface AtWork {
  /** Undefined if this process does not do the work. */
  readonly progress: Progress | undefined;
  readonly now: Date;
}

/** A diff as replies show it. */
export interface DiffText {
  readonly files: readonly (FileChange & { readonly diff: string })[];
  readonly summary: string;
  readonly truncated: boolean;
}

import type { FileChange, VerifierOutput } from '../../steering/evidence.ts';

/** What can be asked for but is not in the state. Undefined: it cannot be had, which is then said. */
export interface Sources {
  /** The repository's address for people, as `https://github.com/acme/api`. */
  readonly web: string;
  /** The changes of the run; of one path, folder or glob when named; bodies cut unless `full`. */
  diff(path: string | null, full: boolean): Promise<DiffText | undefined>;
  /** What the verifiers last printed, when the state no longer has it. */
  outputs(): Promise<readonly VerifierOutput[] | undefined>;
}

/** F-3, as far as it is shown. */
export interface DiffText {
  readonly files: readonly (FileChange & { readonly diff: string })[];
  readonly summary: string;
  readonly truncated: boolean;
}

/** What a verifier is for; its name in the configuration begins with it. */
export type Purpose = 'test' | 'lint' | 'types' | 'build';

/** In the order in which they are listed: what fails soonest tells the most. */
export const purposes: readonly Purpose[] = ['test', 'lint', 'types', 'build'];

/** A command of the repository. */
export interface FoundCommand {
  readonly run: string;
  /** Where it is written, such as `script "test" in package.json`. */
  readonly from: string;
}

/** A command that tells by its exit code whether the work is right. */
export interface FoundVerifier extends FoundCommand {
  readonly name: string;
}

/** A program that neither GitHub's runners nor most machines have. */
export interface NeededProgram {
  readonly name: string;
  /** How to install it on a runner of GitHub's. */
  readonly install: string;
}

/** What one folder has in one language, by what its own files say. */
export interface Ecosystem {
  /** Such as `TypeScript with pnpm`. */
  readonly title: string;
  /** Tells its verifiers from those of another one in the same folder, such as `go`. */
  readonly short: string;
  readonly setup: readonly FoundCommand[];
  readonly verifiers: { readonly [P in Purpose]?: FoundCommand | undefined };
  readonly needs?: readonly NeededProgram[];
  /** What was left out, or chosen among several, as sentences without their full stops. */
  readonly notes?: readonly string[];
}

/** What is known of a repository from its files. */
export interface Findings {
  /** Such as `TypeScript with pnpm`; empty if nothing was recognized. */
  readonly found: readonly string[];
  readonly setup: readonly FoundCommand[];
  readonly verifiers: readonly FoundVerifier[];
  readonly needs: readonly NeededProgram[];
  /** Sentences without their full stops. */
  readonly notes: readonly string[];
}

/** A repository to look at, wherever it is: a folder, a commit in Git, or GitHub's API. */
export interface RepositoryFiles {
  /** Lists the paths of all files, with slashes, from the root of the repository. */
  files(): Promise<readonly string[]>;
  /** The text of a file; undefined if there is none, or it is too large to be what it should be. */
  read(path: string): Promise<string | undefined>;
}

/** One folder of a repository, in which a language is looked for. */
export interface Folder {
  /** Where it is in the repository; empty for the root. */
  readonly path: string;
  /** Whether there is a file of this name in the folder. */
  has(name: string): boolean;
  /** Lists the paths below the folder that match, relative to it. */
  matching(pattern: RegExp): readonly string[];
  /** The text of a file; empty if there is none. */
  text(name: string): Promise<string>;
}

/** Opens a folder with everything below it. */
export function folderOf(repository: RepositoryFiles, all: readonly string[], path: string): Folder {
  const prefix = path === '' ? '' : `${path}/`;
  const below = all.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
  const known = new Set(below);
  return {
    path,
    has: (name) => known.has(name),
    matching: (pattern) => below.filter((each) => pattern.test(each)),
    text: async (name) => (known.has(name) ? ((await repository.read(`${prefix}${name}`)) ?? '') : ''),
  };
}

/** A manifest in JSON, such as `package.json`; undefined if it is none. */
export function recordFrom(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return recordIn(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

/** Undefined if the value is not an object with keys. */
export function recordIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? { ...value } : undefined;
}

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
  /** What people call it, such as `TypeScript with pnpm`. */
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
  /** What people call it, such as `TypeScript with pnpm`; empty if nothing was recognized. */
  readonly found: readonly string[];
  readonly setup: readonly FoundCommand[];
  readonly verifiers: readonly FoundVerifier[];
  readonly needs: readonly NeededProgram[];
  /** What people should know, as sentences without their full stops. */
  readonly notes: readonly string[];
}

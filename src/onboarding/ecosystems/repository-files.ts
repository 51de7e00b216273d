/** A repository to look at, wherever it is: a folder, a commit in Git, or GitHub's API. */
export interface RepositoryFiles {
  /** The paths of all files, with slashes, from the root of the repository. */
  files(): Promise<readonly string[]>;
  /** The text of a file; undefined if there is none, or it is too large to be what it should be. */
  read(path: string): Promise<string | undefined>;
}

/** One folder of a repository. */
export interface Folder {
  /** Empty for the root. */
  readonly path: string;
  /** Whether there is a file of this name in the folder. */
  has(name: string): boolean;
  /** The paths below the folder that match, relative to it. */
  matching(pattern: RegExp): readonly string[];
  /** The text of a file; empty if there is none. */
  text(name: string): Promise<string>;
}

/** A folder with everything below it. */
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

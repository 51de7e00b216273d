/**
 * Whether the globs, such as `acme/*` and `!acme/secret`, name a repository; GitHub ignores case in names.
 * Where all of them exclude, every other repository is meant.
 */
export function matchesRepository(globs: readonly string[], repository: string): boolean {
  const matching = globs.filter((glob) => patternOf(glob.replace(/^!/, '')).test(repository));
  return !matching.some(excludes) && (matching.length > 0 || onlyExclude(globs));
}

/** Whether the globs say which repositories are not meant, and nothing else; an empty list means none. */
export function onlyExclude(globs: readonly string[]): boolean {
  return globs.length > 0 && globs.every(excludes);
}

function excludes(glob: string): boolean {
  return glob.startsWith('!');
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/[.-]/g, '\\$&').replaceAll(/\*+/g, '[^/]*');
  return new RegExp(`^${source}$`, 'i');
}

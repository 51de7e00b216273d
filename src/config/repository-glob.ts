/** Whether the globs, such as `acme/*` and `!acme/secret`, name a repository; GitHub ignores case in names. */
export function matchesRepository(globs: readonly string[], repository: string): boolean {
  const matching = globs.filter((glob) => patternOf(glob.replace(/^!/, '')).test(repository));
  return matching.length > 0 && matching.every((glob) => !glob.startsWith('!'));
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/[.-]/g, '\\$&').replaceAll(/\*+/g, '[^/]*');
  return new RegExp(`^${source}$`, 'i');
}

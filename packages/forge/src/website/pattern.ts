/**
 * The pattern of a path of a repository, such as `/issues/:number` or `/blob/*rest`; `:name` is one segment,
 * `:number` a number, and `*name` everything.
 */
export function below(path: string): RegExp {
  return pathPattern(`/:owner/:repo${path}`);
}

export function pathPattern(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(/:(\w+)/g, (_, name: string) => `(?<${name}>${name === 'number' ? '[1-9]\\d{0,8}' : '[^/]+'})`)
    .replace(/\*(\w+)/g, '(?<$1>.+)');
  return new RegExp(`^${source}/?$`);
}

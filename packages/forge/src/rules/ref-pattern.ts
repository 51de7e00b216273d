import picomatch from 'picomatch';

/** As GitHub uses `fnmatch`: only `*`, `?` and `[…]`, no braces and no negation. */
const options = { dot: true, nobrace: true, noextglob: true, nonegate: true };

/**
 * Whether a ruleset's pattern matches a ref: `*` matches within one segment, and `**` followed
 * by a slash matches across segments. A pattern without `refs/` matches branches.
 */
export function coversRef(pattern: string, ref: string): boolean {
  const full = pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`;
  const glob = full.replace(/\*{2,}(?!\/)/g, '*');
  return picomatch.isMatch(ref, glob, options);
}

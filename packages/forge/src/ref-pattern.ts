import picomatch from 'picomatch';

/** As GitHub calls `fnmatch`: no braces, no negation, nothing but `*`, `?` and `[…]`. */
const options = { dot: true, nobrace: true, noextglob: true, nonegate: true };

/**
 * Whether a ruleset's pattern covers a ref: `*` stays within one segment, and `**` crosses slashes where
 * one follows it. A pattern without `refs/` speaks of branches.
 */
export function coversRef(pattern: string, ref: string): boolean {
  const full = pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`;
  const glob = full.replace(/\*{2,}(?!\/)/g, '*');
  return picomatch.isMatch(ref, glob, options);
}

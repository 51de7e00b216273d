import { redact } from '../text/redact.ts';
import { control, escapeSequence, ignorable } from '../text/visible.ts';

/** What people are asked about they have to see as it is: they would allow what they cannot see. */

const maxShown = 4_000;

/** Blanks that push the rest out of sight: code is not indented as far. */
const gap = /[^\S\n]{100}|(?:\n[^\S\n]*){20}/;

/** Parts of an emoji, in which they hide nothing. */
const joining = /[\u200D\uFE0E\uFE0F]/g;

/**
 * Why people cannot be asked about a command, in part of a sentence that says what its agent can do;
 * undefined if they can be.
 */
export function objectionToShowing(text: string, secrets: readonly string[]): string | undefined {
  if (text.length > maxShown)
    return 'it is too long to be shown to people: split it, or write it into a script';
  const plain = text.replace(joining, '');
  if ([escapeSequence, control, ignorable].some((pattern) => plain.search(pattern) >= 0))
    return 'it contains characters that people would not see: leave them out, or write it into a script';
  if (gap.test(text)) return 'most of it is blank, so that people would not see all of it: leave that out';
  if (redact(text, secrets) !== text)
    return 'a part of it looks like a secret, which people are not shown: read it from a variable or a file';
  return undefined;
}

/** The same about the files that a call names, all of which people have to see. */
export function objectionToPaths(
  paths: readonly string[] = [],
  secrets: readonly string[] = [],
): string | undefined {
  if (paths.length > maxPaths)
    return `it names more files than the ${maxPaths} that people are shown: ask about fewer at once`;
  const hidden = paths.some(
    (path) => path.length > maxPath || objectionToShowing(path, secrets) !== undefined,
  );
  return hidden ? 'it names a file whose whole name people cannot be shown: rename it first' : undefined;
}

const maxPaths = 20;

/** Longer ones would be shown without their end. */
const maxPath = 300;

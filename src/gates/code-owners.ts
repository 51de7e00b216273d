import { isNamed, type Part } from '../text/globs.ts';

/** GitHub looks for the file at these paths, in this order; the first one counts. */
export const codeOwnersPaths = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

/** A larger file is ignored by GitHub, in bytes. */
export const maxCodeOwnersBytes = 3 * 1024 * 1024;

interface Rule {
  readonly pattern: OwnersPattern;
  readonly owners: readonly string[];
}

const maxProblems = 20;

/** Reads the file CODEOWNERS as GitHub does: what is invalid in a line makes GitHub skip the whole line. */
export function readCodeOwners(text: string) {
  const lines = text.split(/\r\n|\n|\r/);
  const problems: string[] = [];
  const rules = lines.flatMap((line, index): Rule[] => {
    const { rule, problem } = readLine(line);
    if (problem !== undefined) problems.push(`line ${index + 1} of CODEOWNERS: ${problem}`);
    return rule === undefined ? [] : [rule];
  });
  const lastFirst = rules.reverse();
  const more = problems.length - maxProblems;
  return {
    /** The owners of a path as they are written, by the last line that matches; empty if nobody owns it. */
    ownersOf: (path: string): readonly string[] => {
      const segments = path.split('/');
      return lastFirst.find(({ pattern }) => pattern.matches(segments))?.owners ?? [];
    },
    /** The lines that GitHub skips, and owners whom we cannot tell; in words, at most 20. */
    problems: [
      ...problems.slice(0, maxProblems),
      ...(more > 0 ? [`and ${more} more lines of CODEOWNERS`] : []),
    ],
  };
}

function readLine(line: string): { readonly rule?: Rule; readonly problem?: string } {
  const [written = '', ...owners] = wordsOf(line);
  if (written === '') return {};
  const pattern = ownersPattern(written);
  if (pattern === undefined)
    return { problem: `${quoted(written)} is not a pattern that GitHub supports, so it is skipped` };
  const invalid = owners.find((each) => !ownerForm.test(each));
  if (invalid !== undefined)
    return { problem: `${quoted(invalid)} is not a user, a team or an email address, so it is skipped` };
  const address = owners.find((owner) => !owner.startsWith('@'));
  const problem =
    address && `GitHub does not say whose account has the address ${quoted(address)}: name the account`;
  return { rule: { pattern, owners }, ...(problem !== undefined && { problem }) };
}

/** Up to a comment; a space after a backslash belongs to the pattern. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:\\.|[^\s\\]|\\$)+/gu)) {
    if (word.startsWith('#')) break;
    words.push(word);
  }
  return words;
}

const name = '[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?';
const ownerForm = new RegExp(
  `^(?:@${name}(?:/[A-Za-z0-9_.-]{1,100})?|[^\\s@]{1,64}@[^\\s@]{1,253}\\.[^\\s@.]{2,63})$`,
);

function quoted(text: string): string {
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
}

/**
 * Patterns of CODEOWNERS by GitHub's own rules. They look like those of .gitignore, but a last segment `*`
 * does not reach into folders, and `!` and `[ ]` mean nothing.
 */
interface OwnersPattern {
  /** Whether it matches a path, given as its segments; takes no longer than the product of their lengths. */
  matches(path: readonly string[]): boolean;
}

/** Undefined if GitHub would not accept the pattern, and so skip its line. */
export function ownersPattern(written: string): OwnersPattern | undefined {
  if (written === '' || written.startsWith('!') || written.includes('***')) return undefined;
  const segments = segmentsOf(written).map(segmentFrom);
  if (segments.includes(undefined)) return undefined;
  const known = segments.filter((segment) => segment !== undefined);
  return { matches: (path) => isMatch(known, path) };
}

/**
 * `folders`: any number of them, also none. A `name` at the end also matches everything in a folder of that
 * name.
 */
type Segment =
  | { readonly kind: 'folders' | 'anything' }
  | { readonly kind: 'name'; readonly parts: readonly Part[]; readonly literal: string | undefined };

function segmentsOf(written: string): readonly string[] {
  const segments = written.split('/');
  const isOneName = segments.length === 1 || (segments.length === 2 && segments[1] === '');
  if (segments[0] === '') segments.shift();
  // Without a slash before its end, it is a name in any folder.
  else if (isOneName) segments.unshift('**');
  if (segments.length > 1 && segments.at(-1) === '') segments[segments.length - 1] = '**';
  return segments;
}

function segmentFrom(segment: string): Segment | undefined {
  if (segment === '**') return { kind: 'folders' };
  if (segment === '*') return { kind: 'anything' };
  const parts: Part[] = [];
  for (const [character, at] of characters(segment)) {
    if (character === '') return undefined;
    if (at === 'escaped') parts.push({ is: character });
    else if (character === '*') parts.push('text');
    else if (character === '?') parts.push('one');
    else if ('[]#'.includes(character)) return undefined;
    else parts.push({ is: character });
  }
  return { kind: 'name', parts, literal: literalOf(parts) };
}

/** Most names have no wildcards. */
function literalOf(parts: readonly Part[]): string | undefined {
  const all = parts.map((part) => (typeof part === 'string' ? undefined : part.is));
  return all.includes(undefined) ? undefined : all.join('');
}

/** Each comes with whether a backslash stands before it. GitHub does not know `\#`. */
function characters(segment: string): readonly (readonly [string, 'plain' | 'escaped'])[] {
  return [...segment.matchAll(/\\?./gsu)].map(([found]) => {
    if (!found.startsWith('\\')) return [found, 'plain'];
    return [found === '\\#' ? '' : found.slice(1), 'escaped'];
  });
}

/**
 * Which of the first segments of the path can be matched by the first segments of the pattern, one by one.
 */
function isMatch(segments: readonly Segment[], path: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (isLast) return [...reached].some((at) => isEnd(segment, path, at));
    reached = next(segment, path, reached);
    if (reached.size === 0) return false;
  }
  return false;
}

function next(segment: Segment, path: readonly string[], reached: ReadonlySet<number>): Set<number> {
  if (segment.kind === 'folders') {
    const first = Math.min(...reached);
    return new Set(path.map((_, at) => at).filter((at) => at >= first));
  }
  return new Set([...reached].filter((at) => fits(segment, path[at])).map((at) => at + 1));
}

/** Whether the rest of the path, from here on, is what the last segment means. */
function isEnd(segment: Segment, path: readonly string[], at: number): boolean {
  if (segment.kind === 'folders') return at < path.length;
  if (segment.kind === 'anything') return at === path.length - 1;
  return fits(segment, path[at]);
}

function fits(segment: Exclude<Segment, { kind: 'folders' }>, name: string | undefined): boolean {
  if (name === undefined || name === '') return false;
  if (segment.kind !== 'name') return true;
  const { parts, literal } = segment;
  return literal === undefined ? isNamed(parts, [...name]) : literal === name;
}

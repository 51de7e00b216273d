import { type OwnersPattern, ownersPattern } from '../text/globs/owners-pattern.ts';

/** Where GitHub looks for the file, in this order; the first one counts. */
export const codeOwnersPaths = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

/** A larger file is ignored by GitHub, in bytes. */
export const maxCodeOwnersBytes = 3 * 1024 * 1024;

/** A file CODEOWNERS. */
export interface CodeOwners {
  /** The owners of a path as they are written, by the last line that matches; empty if nobody owns it. */
  ownersOf(path: string): readonly string[];
  /** The lines that GitHub skips, and owners whom we cannot tell; in words, at most 20. */
  readonly problems: readonly string[];
}

interface Rule {
  readonly pattern: OwnersPattern;
  readonly owners: readonly string[];
}

const maxProblems = 20;

/** Reads the file as GitHub does: what is invalid in a line makes GitHub skip the whole line. */
export function readCodeOwners(text: string): CodeOwners {
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
    ownersOf: (path) => {
      const segments = path.split('/');
      return lastFirst.find(({ pattern }) => pattern.matches(segments))?.owners ?? [];
    },
    problems: [
      ...problems.slice(0, maxProblems),
      ...(more > 0 ? [`and ${more} more lines of CODEOWNERS`] : []),
    ],
  };
}

interface Line {
  readonly rule?: Rule;
  readonly problem?: string;
}

function readLine(line: string): Line {
  const [written = '', ...owners] = wordsOf(line);
  if (written === '') return {};
  const pattern = ownersPattern(written);
  if (pattern === undefined)
    return { problem: `${quoted(written)} is not a pattern that GitHub supports, so it is skipped` };
  const invalid = owners.find((owner) => !isOwner(owner));
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
const owner = new RegExp(
  `^(?:@${name}(?:/[A-Za-z0-9_.-]{1,100})?|[^\\s@]{1,64}@[^\\s@]{1,253}\\.[^\\s@.]{2,63})$`,
);

function isOwner(text: string): boolean {
  return owner.test(text);
}

function quoted(text: string): string {
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
}

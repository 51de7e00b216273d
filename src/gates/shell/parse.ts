import { type ParsedScript, parse } from 'unbash';

/** The text of one command line cannot be understood, or not within bounds. */
export class Unclear extends Error {
  override name = 'Unclear';
}

/** Linux starts no program with a longer argument, and a shell gets its command line in one. */
export const maxLength = 131_072;

/** Parsing takes time by the square of the here-documents that begin on one line. */
const maxHereDocuments = 500;

/**
 * The syntax tree of a text for Bash, which may have errors; throws `Unclear`. The parser is tolerant: what it
 * repairs, Bash refuses or runs in part. Substitutions are parsed when they are reached, and may then have
 * errors of their own.
 */
export function parsed(text: string): ParsedScript {
  if (text.length > maxLength) throw new Unclear(`longer than ${maxLength} characters`);
  if (text.split('<<', maxHereDocuments + 2).length > maxHereDocuments + 1)
    throw new Unclear(`more than ${maxHereDocuments} here-documents`);
  return parsedInBounds(text);
}

/**
 * The part of a text with an error that Bash runs all the same, before it gets there: the lines before. Bash
 * reads them one after the other.
 */
export function beforeError(text: string): string {
  const { commands, errors: [error] = [] } = parsedInBounds(text);
  if (error === undefined) return text;
  const starts = [...commands.map(({ pos }) => pos), text.lastIndexOf('\n', error.pos - 1) + 1];
  const cuts = starts.filter((at) => /\n\s*$/.test(text.slice(0, at))).sort((one, other) => one - other);
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isClean(text.slice(0, cuts[middle]))) low = middle + 1;
    else high = middle;
  }
  return text.slice(0, cuts[low - 1] ?? 0);
}

function isClean(text: string): boolean {
  return (parsedInBounds(text).errors ?? []).length === 0;
}

function parsedInBounds(text: string): ParsedScript {
  try {
    return parse(text);
  } catch (cause) {
    throw new Unclear('the parser gave up', { cause });
  }
}

/** The script, unless it has errors; throws `Unclear`. */
export function withoutErrors(script: ParsedScript): ParsedScript {
  const [error] = script.errors ?? [];
  if (error !== undefined) throw new Unclear(error.message);
  return script;
}

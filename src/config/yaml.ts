import { load, YAMLException } from 'js-yaml';
import type { Problem } from './problem.ts';

export type Parsed =
  | { readonly outcome: 'parsed'; readonly document: unknown }
  | { readonly outcome: 'unreadable'; readonly problem: Problem };

/** Far more than any configuration needs; a larger file is a mistake or an attack. */
const longestText = 64 * 1024;
/** Aliases multiply: a small file could need a lot of memory. */
const mostAliases = 20;
const deepestNesting = 20;

/** Parses YAML 1.2. A syntax error is a problem with line and column, never an exception. */
export function parseYaml(text: string, example: string): Parsed {
  if (Buffer.byteLength(text) > longestText) return tooLong(text, example);
  try {
    // js-yaml counts the byte order mark as a character, which would shift the first column by one.
    const source = text.replace(/^\uFEFF/, '');
    return {
      outcome: 'parsed',
      document: load(source, { maxAliases: mostAliases, maxDepth: deepestNesting }),
    };
  } catch (cause) {
    if (cause instanceof YAMLException) return unreadable(cause, example);
    throw new Error('could not read the configuration as YAML', { cause });
  }
}

function tooLong(text: string, example: string): Parsed {
  const received = `${Buffer.byteLength(text)} bytes`;
  const expected = `at most ${longestText} bytes`;
  return { outcome: 'unreadable', problem: { path: '', expected, received, example } };
}

function unreadable({ reason, mark }: YAMLException, example: string): Parsed {
  const place = mark === undefined ? {} : { line: mark.line + 1, column: mark.column + 1 };
  const problem = {
    path: '',
    expected: `valid YAML${adviceFor(mark?.buffer[mark.position])}`,
    received: reason,
    example,
    ...place,
  };
  return { outcome: 'unreadable', problem };
}

/** `by: [@ada]` looks right but is not: YAML reserves `@` and the backtick. */
function adviceFor(character: string | undefined): string {
  if (character === '@') return " (a name with @ needs quotes: '@ada')";
  if (character === '`') return ' (a text that begins with a backtick needs quotes)';
  if (character === '\t') return ' (spaces for indentation, no tabs)';
  return '';
}

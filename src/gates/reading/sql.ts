/** Whether a text has a statement that drops, truncates or deletes. */
export function destroysData(text: string): boolean {
  // One word, such as the name of a database, is no statement.
  return /\S\s+\S/.test(text) && destroyingLines(text).length > 0;
}

/**
 * Finds the line numbers, from 0, at which statements begin that do so. What they quote or comment on is not
 * looked at. It is linear.
 */
export function destroyingLines(text: string): readonly number[] {
  const lines: number[] = [];
  let line = 0;
  for (const part of code(text).split(/(;|\b(?:BEGIN|THEN|ELSE|LOOP|GO)\b)/i)) {
    const blank = /^\s*/.exec(part)?.[0] ?? '';
    if (destructive.some((pattern) => pattern.test(part.trim()))) lines.push(line + count(blank));
    line += count(part);
  }
  return lines;
}

function count(text: string): number {
  return text.split('\n').length - 1;
}

const destructive = [
  /^DROP\s+\w/i,
  /\bDROP\s+(?:TABLE|DATABASE|SCHEMA|COLUMN|KEYSPACE|COLLECTION|TABLESPACE|OWNED|VIEW|MATERIALIZED)\b/i,
  /^ALTER\s[\s\S]*\bDROP\s+(?!(?:NOT\s+NULL|DEFAULT|CONSTRAINT|IDENTITY|EXPRESSION)\b)\w/i,
  /^TRUNCATE\s+\w/i,
  /\bTRUNCATE\s+(?:TABLE|PARTITION)\b/i,
  /^DELETE\b/i,
  /\bDELETE\s+FROM\b/i,
];

/** Comments go, and a quoted text becomes a word. MySQL runs what stands in its own kind of comments. */
function code(text: string): string {
  return text.replace(/\/\*!\d*((?:(?!\/\*)[\s\S])*?)\*\//g, ' $1 ').replace(tokens, (token) => {
    const kept = /^['"`]/.test(token) ? 'x' : /^\$/.test(token) ? ' ; ' : ' ';
    return kept + '\n'.repeat(count(token));
  });
}

/**
 * Comments, which a return alone ends for some databases, quoted texts and names, and the borders of a text
 * between dollars, which often is code.
 */
const tokens =
  /--[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|''|\\[\s\S])*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\$\w*\$/g;

import { unclosed } from '../../text/globs/unclosed.ts';

/** What is expected instead of a bad glob, or of a list with one: closed signs, if one of them is not. */
export function expectedGlob(input: unknown, expected: string): string {
  const globs: readonly unknown[] = Array.isArray(input) ? input : [input];
  const wrong = globs.flatMap((glob) => (typeof glob === 'string' ? (unclosed(glob) ?? []) : []));
  return wrong[0] === undefined ? expected : `a glob whose braces and brackets are closed: ${wrong[0]}`;
}

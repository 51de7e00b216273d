/** What is expected instead of a bad glob, or of a list with one: closed signs, if one of them is not. */
export function expectedGlob(input: unknown, expected: string): string {
  const globs: readonly unknown[] = Array.isArray(input) ? input : [input];
  const wrong = globs.flatMap((glob) => (typeof glob === 'string' ? (unclosed(glob) ?? []) : []));
  return wrong[0] === undefined ? expected : `a glob whose braces and brackets are closed: ${wrong[0]}`;
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * What is wrong with the braces and brackets of a glob, with the place of the first that has no partner,
 * counted in characters from 1; undefined if each has one.
 */
function unclosed(glob: string): string | undefined {
  const open: { readonly sign: string; readonly at: number }[] = [];
  for (const [index, sign] of [...glob].entries()) {
    if (closing[sign] !== undefined) open.push({ sign, at: index + 1 });
    if (sign !== '}' && sign !== ']') continue;
    const last = open.pop();
    if (last === undefined) return `the \`${sign}\` at character ${index + 1} closes nothing`;
    if (closing[last.sign] !== sign) return notClosed(last);
  }
  const [first] = open;
  return first && notClosed(first);
}

function notClosed({ sign, at }: { readonly sign: string; readonly at: number }): string {
  return `the \`${sign}\` at character ${at} has no \`${closing[sign]}\``;
}

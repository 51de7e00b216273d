/** One character, any one, or any text. */
export type Part = { readonly is: string } | 'one' | 'text';

/**
 * Whether a name without slashes is what these parts say. On a mismatch, only the last text takes one
 * character more: it takes no longer than the product of the lengths.
 */
export function isNamed(parts: readonly Part[], name: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let again: { readonly part: number; readonly at: number } | undefined;
  while (at < name.length) {
    const wanted = parts[part];
    if (wanted === 'text') {
      part += 1;
      again = { part, at };
    } else if (wanted === 'one' || (wanted !== undefined && wanted.is === name[at])) {
      part += 1;
      at += 1;
    } else if (again !== undefined) {
      again = { part: again.part, at: again.at + 1 };
      ({ part, at } = again);
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === 'text');
}

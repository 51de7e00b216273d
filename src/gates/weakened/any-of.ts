/** Matches what any of these regular expressions does; for lists that one line cannot hold. */
export function anyOf(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'));
}

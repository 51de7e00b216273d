/** A regular expression of JavaScript with so many alternatives that they take several lines. */
export function anyOf(alternatives: readonly string[], flags = ''): RegExp {
  return new RegExp(alternatives.join('|'), flags);
}

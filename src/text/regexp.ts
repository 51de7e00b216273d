/** Makes a regular expression of JavaScript with so many alternatives that they take several lines. */
export function anyOf(alternatives: readonly string[], flags = ''): RegExp {
  return new RegExp(alternatives.join('|'), flags);
}

/** Makes a regular expression that is too long for a literal; after `(?i)`, case does not matter. */
export function raw({ raw: [text = ''] }: TemplateStringsArray): RegExp {
  return text.startsWith('(?i)') ? new RegExp(text.slice(4), 'i') : new RegExp(text);
}

/**
 * Words and names of hosts as a list in YAML, each once, such as `[model, '*.example.org']`: a plain text may
 * not begin with an asterisk.
 */
export function yamlList(entries: readonly string[]): string {
  const written = [...new Set(entries)].map((entry) => (entry.startsWith('*') ? `'${entry}'` : entry));
  return `[${written.join(', ')}]`;
}

/** A program and its arguments as a line of shell; what is passed to a shell is itself the line. */
export function lineOf(words: readonly string[]): string {
  const [program = '', option = '', line] = words;
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(program) && /^-[a-z]*c$/.test(option);
  return isShell && line !== undefined && words.length === 3 ? line : words.map(quoted).join(' ');
}

/** A word as an argument of a line of shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

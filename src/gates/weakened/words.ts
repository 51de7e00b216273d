/** Reads the words of a piece of code. */
export type WordsOf = (code: string) => ReadonlySet<string>;

/** The same for many pieces of code that are compared with each other, each of which is read once. */
export function wordsRead(): WordsOf {
  const known = new Map<string, ReadonlySet<string>>();
  return (code) => {
    const words = known.get(code) ?? wordsOf(code);
    known.set(code, words);
    return words;
  };
}

/** The words of a piece of code. Literals count: `total(1, 2)` is not about `total(3, 4)`. */
export function wordsOf(code: string): ReadonlySet<string> {
  return new Set(code.match(/[A-Za-z_]\w*|\d[\w.]*/g) ?? []);
}

/**
 * Globs of branch names as in GitHub's branch rules: Ruby's `File.fnmatch` with `FNM_PATHNAME`.
 * `*` is any text without `/`, `**` followed by `/` any number of folders, `?` one character, `[a-z]` one of
 * a set. Rules and configuration then mean the same branches.
 */

/** The characters of a glob; braces, backslashes and negated sets are ones GitHub does not support either. */
export const branchGlob = /^(?!\/)(?!refs\/)(?:[^\s~^:\\{}[\]\p{C}]|\[(?![!^])[^\s/~^:\\{}[\]\p{C}]+\])+$/u;

/** Whether it is the name of a single branch. */
export function isLiteral(glob: string): boolean {
  return !/[*?[]/.test(glob);
}

/** Whether the glob matches the whole name; takes no longer than the product of their lengths. */
export function matchesBranch(glob: string, branch: string): boolean {
  const name = [...branch];
  let reached = name.map((_, index) => index === 0);
  reached.push(name.length === 0);
  for (const token of tokensOf(glob)) reached = after(token, name, reached);
  return reached.at(-1) === true;
}

type Token = { readonly kind: 'folders' | 'text' } | { readonly kind: 'one'; readonly set: RegExp | string };

function tokensOf(glob: string): readonly Token[] {
  const parts = glob.matchAll(/(?<=^|\/)\*\*\/|\*+|\[[^\]]+\]|./gsu);
  return [...parts].map(([part]): Token => {
    if (part === '**/') return { kind: 'folders' };
    if (part.startsWith('*')) return { kind: 'text' };
    if (part === '?') return { kind: 'one', set: /[^/]/u };
    return { kind: 'one', set: part.startsWith('[') && part.length > 1 ? setOf(part) : part };
  });
}

/** A hyphen is a range only between two characters in ascending order; anywhere else it is itself. */
function setOf(part: string): RegExp {
  const ranges = [...part.slice(1, -1).matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, single]) => {
    if (single !== undefined) return escaped(single);
    return from !== undefined && to !== undefined && from <= to ? `${escaped(from)}-${escaped(to)}` : '';
  });
  return new RegExp(`^(?!/)[${ranges.join('')}]$`, 'u');
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** The positions in the name that can be reached with one more token, from those that could be before. */
function after(token: Token, name: readonly string[], before: readonly boolean[]): boolean[] {
  const reached: boolean[] = [];
  let anyBefore = false;
  for (const [at, here] of before.entries()) {
    const last = name[at - 1];
    if (token.kind === 'one') reached.push(before[at - 1] === true && fits(token.set, last));
    if (token.kind === 'text') reached.push(here || (reached[at - 1] === true && last !== '/'));
    if (token.kind === 'folders') reached.push(here || (anyBefore && last === '/'));
    anyBefore ||= here;
  }
  return reached;
}

function fits(set: RegExp | string, character = ''): boolean {
  return typeof set === 'string' ? set === character : set.test(character);
}

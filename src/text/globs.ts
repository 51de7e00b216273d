/**
 * Globs of files in the repository. `*` is any text without `/`, `**` any number of folders, `?` one character,
 * `{a,b}` one of several texts. A glob without `/` is a name in any folder, and with `/` at its end everything in
 * the folder.
 */

const maxLength = 200;
const maxAlternatives = 64;

/** The characters of a glob; there are no sets, no exclusions and no escapes. */
export const pathGlob = /^(?![\s/])[^\p{C}\\[\]!]{1,200}$/u;

/** Whether it is a glob; the bounds keep matching fast. */
export function isPathGlob(written: string): boolean {
  if (written.length > maxLength || !pathGlob.test(written) || written.trimEnd() !== written) return false;
  const braces = written.match(/[{}]/gu)?.join('') ?? '';
  if (!/^(?:\{\})*$/.test(braces) || choicesIn(written) > maxAlternatives) return false;
  return alternatives(written.replace(/\/$/, '')).every((glob) => glob.split('/').every(isSegment));
}

function isSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && (text === '**' || !text.includes('**'));
}

function choicesIn(glob: string): number {
  const texts = glob.match(/\{[^}]*\}/gu) ?? [];
  return texts.reduce((product, text) => product * text.split(',').length, 1);
}

/**
 * Reads what `isPathGlob` accepts, once for many files. To match a path takes no longer than the product of
 * the lengths.
 */
export function pathGlobFrom(written: string): { matches(path: string): boolean } {
  const all = alternatives(anywhere(written)).map((glob) => glob.split('/').map(segmentFrom));
  return {
    matches: (path) => {
      const names = path.split('/').map((name) => [...name]);
      return all.some((glob) => matchesSegments(glob, names));
    },
  };
}

function anywhere(glob: string): string {
  const within = glob.endsWith('/') ? `${glob}**` : glob;
  return glob.replace(/\/$/, '').includes('/') ? within : `**/${within}`;
}

/** There is one glob without braces for each choice of texts. */
function alternatives(glob: string): readonly string[] {
  const [, before, texts, after] = /^([^{]*)\{([^}]*)\}(.*)$/su.exec(glob) ?? [];
  if (before === undefined || texts === undefined || after === undefined) return [glob];
  const rest = alternatives(after);
  return texts.split(',').flatMap((text) => rest.map((end) => `${before}${text}${end}`));
}

/** The parts of one name, or any number of folders. */
type Segment = readonly Part[] | 'folders';

function segmentFrom(text: string): Segment {
  if (text === '**') return 'folders';
  return [...text].map((sign) => {
    if (sign === '*') return 'text';
    return sign === '?' ? 'one' : { is: sign };
  });
}

/** Finds which of the first names can be matched by the first segments, segment by segment. */
function matchesSegments(glob: readonly Segment[], names: readonly (readonly string[])[]): boolean {
  let reached = names.map((_, at) => at === 0);
  reached.push(names.length === 0);
  for (const one of glob) reached = after(one, names, reached);
  return reached.at(-1) === true;
}

function after(one: Segment, names: readonly (readonly string[])[], before: readonly boolean[]): boolean[] {
  if (one === 'folders') {
    const first = before.indexOf(true);
    return before.map((_, at) => first !== -1 && at >= first);
  }
  return before.map((_, at) => at > 0 && before[at - 1] === true && isNamed(one, names[at - 1] ?? []));
}

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
  for (const token of tokensOf(glob)) reached = afterToken(token, name, reached);
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

/**
 * Finds the positions in the name that can be reached with one more token, from those that could be before.
 */
function afterToken(token: Token, name: readonly string[], before: readonly boolean[]): boolean[] {
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

/**
 * Whether the globs, such as `acme/*` and `!acme/secret`, name a repository; GitHub ignores case in names.
 * Where all of them exclude, every other repository is meant.
 */
export function matchesRepository(globs: readonly string[], repository: string): boolean {
  const matching = globs.filter((glob) => patternOf(glob.replace(/^!/, '')).test(repository));
  return !matching.some(excludes) && (matching.length > 0 || onlyExclude(globs));
}

/** Whether the globs say which repositories are not meant, and nothing else; an empty list means none. */
export function onlyExclude(globs: readonly string[]): boolean {
  return globs.length > 0 && globs.every(excludes);
}

function excludes(glob: string): boolean {
  return glob.startsWith('!');
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/[.-]/g, '\\$&').replaceAll(/\*+/g, '[^/]*');
  return new RegExp(`^${source}$`, 'i');
}

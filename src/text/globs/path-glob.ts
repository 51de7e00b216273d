import { isNamed, type Part } from './name.ts';

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

/** A glob that is read once, for many files. */
export interface PathGlob {
  /** Takes no longer than the product of the lengths. */
  matches(path: string): boolean;
}

/** Reads what `isPathGlob` accepts. */
export function pathGlobFrom(written: string): PathGlob {
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

/** One glob without braces for each choice of texts. */
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

/** Which of the first names can be matched by the first segments, segment by segment. */
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

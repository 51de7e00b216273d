import { actsAlike } from './behaviour.ts';
import {
  changedLines,
  identifiers,
  quoted,
  type Source,
  sourceOf,
  stem,
  subjectWords,
} from './changed-source.ts';
import { withdrawnWords, wordsIn } from './lost-words.ts';
import type { FileReading } from './reading.ts';

/** What a diff changes of the code that its tests are about. */
export interface TestedCode {
  /** Whether a diff changes what this is about: a test's path, its name and what it states. */
  concerns(path: string, ...texts: readonly string[]): boolean;
  /** Whether a diff takes away what a text is about. */
  removes(path: string, ...texts: readonly string[]): boolean;
  /** The same of a test or a row of a table, which a word that the code no longer knows says as well. */
  removesCase(path: string, ...texts: readonly string[]): boolean;
  /** Whether a word of a test's name is of code that is gone as a whole. */
  removesFeature(name: string): boolean;
  /** Whether the old text was taken from the tested code and the new one put there. */
  states(old: string, next: string): boolean;
  /** Nothing but tests and documents changes. */
  readonly isSame: boolean;
}

export function testedCode(readings: readonly FileReading[]): TestedCode {
  const changed = readings.filter(changesCode);
  const everything = readings.some(bumpsDependency);
  // Costly, and of most changes nobody asks.
  let known: Sources | undefined;
  let lost: ReadonlySet<string> | undefined;
  const sources = () => {
    known ??= sourcesOf(changed);
    return known;
  };
  const removes = (path: string, ...texts: readonly string[]) => {
    const { each, gone, added, withdrawn, present } = sources();
    if (each.some(({ deleted, stem: name }) => deleted && name !== '' && stem(path).includes(name)))
      return true;
    const text = texts.join(' ');
    const isGone = identifiers(text).some((name) => gone.has(name) && !added.has(name));
    return isGone || quoted(text).some((literal) => withdrawn.has(literal) && !present.has(literal));
  };
  return {
    isSame: changed.length === 0 && !everything,
    concerns: (path, ...texts) => {
      if (everything) return true;
      const words = subjectWords([stem(path), ...texts].join(' '));
      return sources().each.some(({ about, wide }) => wide || [...words].some((word) => about.has(word)));
    },
    removes,
    removesCase: (path, ...texts) => {
      if (removes(path, ...texts)) return true;
      const { dropped, present } = sources();
      return quoted(texts.join(' ')).some((literal) => dropped.has(literal) && !present.has(literal));
    },
    removesFeature: (name) => {
      lost ??= lostWords(changed, readings);
      return wordsIn(name).some((word) => lost?.has(word));
    },
    states: (old, next) => {
      if (old === next) return false;
      const { literals } = sources();
      return literals.added.has(next) && literals.removed.has(old);
    },
  };
}

/** Words of what went without anything in its place, which no source has any more. */
function lostWords(changed: readonly FileReading[], all: readonly FileReading[]): ReadonlySet<string> {
  const sources = all.filter(({ role }) => role === 'source');
  const kept = new Set(sources.flatMap(({ new: { lines } }) => lines.flatMap(({ text }) => wordsIn(text))));
  const gone = changed.flatMap((reading) => [...withdrawnWords(reading)]);
  return new Set(gone.filter((word) => !kept.has(word)));
}

/** All sources that a diff changes, and what they have together. */
interface Sources extends Pick<Source, 'added' | 'gone'> {
  readonly each: readonly Source[];
  readonly literals: Pick<Source['literals'], 'added' | 'removed'>;
  readonly withdrawn: ReadonlySet<string>;
  readonly dropped: ReadonlySet<string>;
  readonly present: ReadonlySet<string>;
}

function sourcesOf(readings: readonly FileReading[]): Sources {
  const each = readings.map(sourceOf);
  const literal = (kind: keyof Source['literals']) => unite(each.map(({ literals: own }) => own[kind]));
  return {
    each,
    added: unite(each.map(({ added }) => added)),
    gone: unite(each.map(({ gone }) => gone)),
    literals: { added: literal('added'), removed: literal('removed') },
    withdrawn: literal('withdrawn'),
    dropped: literal('dropped'),
    present: literal('present'),
  };
}

/** Changes in comments, in spaces, in names or in what is logged change no result. */
function changesCode(reading: FileReading): boolean {
  const { role, file } = reading;
  if (role !== 'source') return false;
  if (file.diff === undefined) return file.status !== 'renamed' || file.additions + file.deletions > 0;
  const [removed, added] = [changedLines(reading, 'old'), changedLines(reading, 'new')];
  if (actsAlike(removed, added)) return false;
  return true;
}

function bumpsDependency({ role, language, path, old, new: next }: FileReading): boolean {
  if (role === 'dependency') return true;
  if (
    !/(?:package|composer)\.json$|Cargo\.toml$|pyproject\.toml$|pom\.xml$|build\.gradle(?:\.kts)?$/.test(path)
  )
    return false;
  const version = language.family === 'xml' ? /<version>/ : /["'~^=:]\s*[~^>=v]*\d+\.\d+/;
  return [...old.lines, ...next.lines].some(
    (line) => line.changed && version.test(line.text) && !/thresh|fail/i.test(line.text),
  );
}

function unite(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

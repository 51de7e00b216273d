import type { FileReading } from './reading.ts';

/** Words of code that a file loses as a whole, without anything in its place, and with it a feature. */
export function withdrawnWords({ hunks, new: { lines } }: FileReading): ReadonlySet<string> {
  const present = new Set(lines.flatMap(({ text }) => wordsIn(text)));
  const gone = hunks.flatMap(({ lines: all }) =>
    all
      .filter(({ kind }, at) => kind === 'removed' && !isReplaced(all, at))
      .flatMap(({ text }) => wordsIn(text)),
  );
  return new Set(gone.filter((word) => !present.has(word)));
}

type Lines = FileReading['hunks'][number]['lines'];

function isReplaced(lines: Lines, at: number): boolean {
  let [from, to] = [at, at];
  while (lines[from]?.kind === 'removed') from--;
  while (lines[to]?.kind === 'removed') to++;
  return lines[from]?.kind === 'added' || lines[to]?.kind === 'added';
}

/** Words that are long enough to be of one feature, with `legacyAuth` taken apart. */
export function wordsIn(text: string): readonly string[] {
  const words = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return (words.match(/[a-z][a-z\d]{3,}/g) ?? []).filter((word) => !everywhere.has(word));
}

const everywhere = new Set(
  'test tests should with when that this from return returns value values error errors none null true false name type data result self list string number have none into only after before given then valid invalid empty default warning option options config handle handles check checks create creates update delete remove removes makes file files path user users'.split(
    ' ',
  ),
);

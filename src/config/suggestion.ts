/** The known word that somebody most likely meant, if any is near enough. */
export function suggestionFor(word: string, known: readonly string[]): string | undefined {
  if (word.length > 60) return undefined;
  const most = Math.max(1, Math.floor(word.length / 3));
  const near = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate) }))
    .filter((each) => each.distance <= most)
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.candidate;
}

/** Levenshtein: how many letters must be put in, taken out or exchanged. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) row = nextRow(row, { letter, to, first: index + 1 });
  return row.at(-1) ?? 0;
}

function nextRow(above: readonly number[], { letter, to, first }: Step): number[] {
  const row = [first];
  for (const [column, other] of [...to].entries()) {
    const exchanged = (above[column] ?? 0) + (letter === other ? 0 : 1);
    row.push(Math.min(exchanged, (above[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1));
  }
  return row;
}

interface Step {
  readonly letter: string;
  readonly to: string;
  readonly first: number;
}

/**
 * Which of these names a word most likely is, one slip of the finger away: a letter too many, too few,
 * another one, or two that changed places. Short words are too often something else, so that of three letters
 * none is corrected, and of four no letter is replaced. A word that only goes on, such as `/approved`, is
 * another one.
 */
export function misspeltName<N extends string>(word: string, names: readonly N[]): N | undefined {
  const said = word.toLowerCase();
  return names.find((name) => isOneSlipAway(said, name));
}

function isOneSlipAway(said: string, name: string): boolean {
  if (
    said.startsWith(name) ||
    Math.min(said.length, name.length) < 4 ||
    Math.abs(said.length - name.length) > 1
  )
    return false;
  const same = commonStart(said, name);
  const [rest, meant] = [said.slice(same), name.slice(same)];
  if (said.length > name.length) return rest.slice(1) === meant;
  if (said.length < name.length) return meant.slice(1) === rest;
  const isReplaced = name.length > 4 && rest.slice(1) === meant.slice(1);
  return isReplaced || `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}` === meant;
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

const nameColumn = 29;
const width = 110;

/** Names and what they are for, in two columns; a name too long for the first has a line of its own. */
export function helpOf(
  rows: readonly { readonly names: readonly string[]; readonly about: string }[],
): string {
  return rows.map(({ names, about }) => rowOf(names, about)).join('');
}

function rowOf(names: readonly string[], about: string): string {
  const heads = wrapped(names.join(', '), width - 2).map((line) => `  ${line}`);
  const texts = wrapped(about, width - nameColumn).map((line) => `${' '.repeat(nameColumn)}${line}`);
  const last = heads.at(-1) ?? '';
  const [first = '', ...rest] = texts;
  const fits = last.length < nameColumn;
  const middle = fits ? [`${last.padEnd(nameColumn)}${first.trimStart()}`] : [last, first];
  return [...heads.slice(0, -1), ...middle, ...rest].map((line) => `${line}\n`).join('');
}

function wrapped(text: string, length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= length) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

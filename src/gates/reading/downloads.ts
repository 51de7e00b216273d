/** Finds what runs a download, in shell and some idioms of other languages; linear in a line's length. */

export interface Line {
  readonly number: number;
  readonly text: string;
}

const downloader = /\b(?:curl|wget|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b/i;

const interpreters =
  'sh|bash|zsh|dash|ksh|ash|fish|busybox|python[\\d.]*|pypy\\d?|node|nodejs|deno|bun|perl|ruby|php|lua|pwsh|powershell|iex';

/** What may stand before an interpreter: a path, `sudo -E`, `env A=b`, `exec`, `xargs -n1`. */
const prefix =
  '(?:(?:(?:\\S{0,40}/)?(?:sudo|doas|env|exec|command|nohup|time|xargs)|\\w+=\\S*|-{1,2}[\\w=-]+)\\s+){0,6}(?:\\S{0,80}/)?';

/** The start of a part of a pipeline that runs its input. */
export const runsInput = new RegExp(`^\\s*&?\\s*["'(]?\\s*${prefix}(?:${interpreters})(?![\\w-])`, 'i');

/** Whatever is substituted after this is run. */
const runsSubstitution = new RegExp(
  `(?:^|[\\s;&|("'\`=/])(?:(?:${interpreters})(?:\\s+-{1,2}[\\w-]+){0,4}|eval|exec|source|\\.)\\s*(?:<<<?\\s*)?["']?\\s*$`,
  'i',
);

/** Lines that belong together are judged together; the number is that of the first. */
export function executedDownload(lines: readonly Line[]): readonly Line[] {
  const files = new Set<string>();
  return joined(lines).filter(({ text }) => {
    if (runsDownload(text)) return true;
    const command = text.slice(0, maxLength);
    if ([...files].some((file) => runs(command, file))) return true;
    const saved = savedBy(command);
    for (const file of saved) if (files.size < maxFiles) files.add(file);
    return saved.some((file) => runs(command.slice(command.indexOf(file) + 1), file));
  });
}

/** A command goes on after a backslash, after a pipe and before a pipe. */
export function joined(lines: readonly Line[]): readonly Line[] {
  const goesOn = (before: Line, line: Line) =>
    line.number === before.number + 1 &&
    (/(?:\\|\||&&)\s*$/.test(before.text.slice(-20)) || /^\s*\|/.test(line.text));
  return together(lines, goesOn).map((group) => {
    const [first] = group;
    return { number: first.number, text: group.map(({ text }) => text.replace(/\\\s*$/, '')).join(' ') };
  });
}

/** Puts lines into groups, as long as one goes on from the one before it. */
export function together<L extends Line>(
  lines: readonly L[],
  goesOn: (before: L, line: L) => boolean,
): readonly (readonly [L, ...L[]])[] {
  const groups: [L, ...L[]][] = [];
  let length = 0;
  for (const line of lines) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    const isOne = before !== undefined && length < maxLength && goesOn(before, line);
    length = (isOne ? length : 0) + line.text.length;
    if (isOne) group?.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** Nobody writes a longer command; this keeps looking for files linear. */
export const maxLength = 20_000;
const maxFiles = 100;

function runsDownload(text: string): boolean {
  const at = text.search(downloader);
  if (at < 0) return evaluatesResponse(text);
  if (/\b(?:iex|invoke-expression)\b/i.test(text)) return true;
  const parts = text.slice(at).split('|');
  // In `a || b`, the part between the bars is empty, and `b` runs on its own.
  if (parts.some((part, index) => index > 0 && parts[index - 1] !== '' && runsInput.test(part.slice(0, 400))))
    return true;
  return substitutes(text, downloader);
}

/** `bash -c "$(curl …)"`, `sh <(curl …)`, `` eval `curl …` ``, for a command that matches. */
export function substitutes(text: string, command: RegExp): boolean {
  for (const { index } of text.matchAll(/\$\(|<\(|`/g)) {
    const inside = text.slice(index, index + 200);
    const opened = text.slice(Math.max(0, index - 200), index);
    if (command.test(inside) && runsSubstitution.test(opened)) return true;
  }
  return false;
}

/** `exec(urlopen(…).read())`, `eval(await (await fetch(…)).text())`. */
function evaluatesResponse(text: string): boolean {
  return (
    /\b(?:urlopen|urlretrieve|requests\.get|fetch|https?\.get|axios\.get)\s*\(/.test(text) &&
    /\b(?:exec|eval|Function|runInThisContext|instance_eval|class_eval)\s*\(|\bthen\(\s*eval\b/.test(text)
  );
}

/** Finds the files that a line downloads to. */
function savedBy(text: string): readonly string[] {
  if (!downloader.test(text)) return [];
  const named = text.matchAll(
    /(?:\s-{1,2}(?:o|O|output|output-document|outfile)[\s=]+|>\s*)["']?([\w./-]{1,100})/gi,
  );
  const addressed = text.matchAll(/https?:\/\/[^\s"'|;&)]{1,500}/gi);
  const bases = [...addressed].map(([url]) => baseName(url.split(/[?#]/, 1)[0] ?? ''));
  const names = [...[...named].map(([, path = '']) => baseName(path)), ...bases];
  return [...new Set(names)].filter((name) => name !== '').slice(0, maxFiles);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `sh install.sh`, `./install.sh`, `chmod +x install.sh`. */
function runs(text: string, file: string): boolean {
  for (let at = text.indexOf(file); at >= 0; at = text.indexOf(file, at + 1)) {
    const isWhole = /[\s"'/]/.test(text.charAt(at - 1)) && !/[\w.-]/.test(text.charAt(at + file.length));
    if (isWhole && runsFile.test(text.slice(Math.max(0, at - 200), at))) return true;
  }
  return false;
}

const runsFile = new RegExp(
  `(?:^|[\\s;&|("'\`=/])(?:(?:${interpreters}|source|\\.|chmod\\s+[\\w+,=]+)(?:\\s+-{1,2}[\\w-]+){0,4}\\s+["']?(?:\\S{0,80}/)?|\\./)$`,
  'i',
);

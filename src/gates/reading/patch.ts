import type { FileDiff } from '../../steering/shapes/attempt-result.ts';

/** One line of a hunk, without its sign. */
export interface PatchLine {
  /** It counts in the new version; a removed line has the number of the line that comes after it. */
  readonly number: number;
  /** It counts in the old version; an added line has the number of the line that comes after it. */
  readonly former: number;
  readonly text: string;
  readonly sign: '+' | '-' | ' ';
}

/** A part of a file that changed, with what is around it. */
export interface Hunk {
  readonly lines: readonly PatchLine[];
  /** Git has found it above the hunk, such as the head of a function; it is often empty. */
  readonly heading: string;
}

const cutMark = /^\.\.\. \(truncated\)$/;

/** This stands at the end of a line that was cut. */
const cutLine = /\.\.\. \(\d+ more bytes\)$/;

/** A file of a diff, taken apart. */
export type Patch = ReturnType<typeof patchOf>;

/** Reads the text of a file's diff, however it ends. Linear; never throws. */
export function patchOf(change: FileDiff) {
  const reading: Reading = { hunks: [], isCut: false, number: 0, former: 0, left: { old: 0, new: 0 } };
  for (const line of (change.diff ?? '').split('\n')) take(reading, line);
  const lines = reading.hunks.flatMap((hunk) => hunk.lines);
  return {
    change,
    hunks: reading.hunks,
    added: lines.filter(({ sign }) => sign === '+'),
    removed: lines.filter(({ sign }) => sign === '-'),
    /** File modes as in `100644`, as far as the headers tell them; `160000` is a submodule, `120000` a link. */
    ...(reading.mode !== undefined && { mode: reading.mode }),
    /** Not everything that changed is there. */
    isCut: reading.isCut,
  };
}

interface Reading {
  readonly hunks: { readonly lines: PatchLine[]; readonly heading: string }[];
  mode?: string;
  isCut: boolean;
  /** The next line has this number in the new version. */
  number: number;
  /** The next line has this number in the old version. */
  former: number;
  /** How many lines the hunk still has; a line beyond them belongs to no hunk. */
  left: { old: number; new: number };
}

const hunkStart = /^@@ -(\d{1,12})(?:,(\d{1,12}))? \+(\d{1,12})(?:,(\d{1,12}))? @@ ?(.*)/;

function take(reading: Reading, line: string): void {
  const start = hunkStart.exec(line);
  if (start !== null) begin(reading, start);
  else if (cutMark.test(line)) reading.isCut = true;
  else if (reading.hunks.length > 0) body(reading, line);
  else if (/^[+-](?!\+\+ |-- )/.test(line)) {
    // Somebody wrote it by hand: the lines that changed, and nothing else.
    reading.hunks.push({ lines: [], heading: '' });
    reading.number = 1;
    reading.former = 1;
    body(reading, line);
  } else header(reading, line);
}

function begin(
  reading: Reading,
  [, former = '0', old = '1', first = '0', count = '1', heading = '']: RegExpExecArray,
): void {
  reading.hunks.push({ lines: [], heading: plain(heading) });
  reading.number = Number(first);
  reading.former = Number(former);
  reading.left = { old: Number(old), new: Number(count) };
}

function header(reading: Reading, line: string): void {
  const mode = /^(?:new mode|new file mode|deleted file mode) (\d{6})|^index \w+\.\.\w+ (\d{6})/.exec(line);
  if (mode !== null) reading.mode = mode[1] ?? mode[2] ?? '';
}

function body(reading: Reading, line: string): void {
  const [sign] = line;
  if (sign === '\\' || sign === undefined) return;
  if (sign !== '+' && sign !== '-' && sign !== ' ') return;
  if (line.length > longLine && cutLine.test(line.slice(-40))) reading.isCut = true;
  const { left } = reading;
  // After its last line, a hunk may only be followed by the next one, or by what somebody appended by hand.
  if (left.old <= 0 && left.new <= 0 && /^(?:---|\+\+\+) /.test(line)) return;
  const { number, former } = reading;
  // A return by itself ends a comment in SQL, Python and JavaScript, although Git shows one line.
  for (const text of plain(line.slice(1)).split('\r'))
    reading.hunks.at(-1)?.lines.push({ number, former, text, sign });
  if (sign !== '+') {
    left.old -= 1;
    reading.former += 1;
  }
  if (sign === '-') return;
  left.new -= 1;
  reading.number += 1;
}

/** Shorter ones are never cut. */
const longLine = 5_000;

/** Takes away the return of CRLF, and what UTF-16 puts between the letters. */
function plain(text: string): string {
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole;
}

/** A text of JSON with its letters as they are, of which each may be written by its number. */
export function unescaped(text: string): string {
  const decode = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  return text.replace(/\\u([0-9a-f]{4})/gi, decode);
}

/** Leaves out of a hunk what the new version no longer has. */
export function newSide({ lines }: Hunk): readonly PatchLine[] {
  return lines.filter(({ sign }) => sign !== '-');
}

/**
 * Finds the section that each line of a file is in, as far as its hunks show: the key of the object around it
 * in JSON, the heading `[…]` in TOML and INI, the target in a Makefile. A line goes by its number in the new
 * version.
 */
export function regionsOf(patch: Patch): ReadonlyMap<number, string> {
  const regions = new Map<number, string>();
  for (const hunk of patch.hunks) {
    let region = headingIn(hunk.heading);
    for (const { number, text } of newSide(hunk)) {
      const line = text.slice(0, maxLine);
      const own = headingIn(line);
      if (own !== undefined) region = own;
      else if (/^\s*[}\]],?\s*$/.test(line)) region = undefined;
      if (region !== undefined) regions.set(number, region);
    }
  }
  return regions;
}

const maxLine = 500;

const headings = [
  /^\s*"([^"]{1,100})"\s*:\s*[{[]\s*$/,
  /^\s*\[{1,2}\s*([^\]=]{1,200}?)\s*\]{1,2}\s*(?:#.*)?$/,
  /^([\w./%-]{1,100}(?:\s+[\w./%-]{1,100}){0,10})\s*::?(?!=)(?:\s|$)/,
];

function headingIn(text: string): string | undefined {
  return headings.map((heading) => heading.exec(text)?.[1]).find((name) => name !== undefined);
}

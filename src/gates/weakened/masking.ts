import type { Language, StringForm } from './languages.ts';

/** A line as a scanner sees it; all three have the same length. */
export interface MaskedLine {
  /** Without comments. */
  readonly text: string;
  /** Without comments and without what is inside strings. */
  readonly code: string;
  /** Nothing but comments. */
  readonly comment: string;
}

/**
 * Tells code, strings and comments apart in successive lines, which may start in the middle of a file, and
 * thus of a comment or a string.
 */
export function masked(lines: readonly string[], language: Language): readonly MaskedLine[] {
  const scanner = new Scanner(language, opening(lines, language));
  return lines.map((line) => scanner.read(line));
}

/** What ends only with a certain text, perhaps lines later. */
interface Inside {
  readonly close: string;
  readonly comment: boolean;
  readonly raw: boolean;
}

/** What the first line is inside of, as far as the lines show. */
function opening(lines: readonly string[], language: Language): Inside | undefined {
  for (const [open, close] of language.blockComments) {
    const closed = lines.findIndex((line) => line.trimEnd().endsWith(close));
    if (closed < 0) continue;
    const opened = lines.findIndex((line) => line.includes(open));
    if (opened < 0 || opened > closed) return { close, comment: true, raw: true };
  }
  const starred = lines[0]?.trimStart().startsWith('* ') ?? false;
  if (starred && language.blockComments.length > 0) {
    const end = lines.findIndex((line) => !line.trimStart().startsWith('*'));
    if (end < 0) return { close: '*/', comment: true, raw: true };
  }
  for (const form of language.strings) {
    if (form.multiline === true && startsInside(lines, form)) {
      return { close: form.close, comment: false, raw: form.raw ?? false };
    }
  }
  return undefined;
}

/** An odd number of delimiters, of which the first stands where a string ends. */
function startsInside(lines: readonly string[], { open, close }: StringForm): boolean {
  if (open !== close) return false;
  let count = 0;
  for (const line of lines) {
    for (let at = line.indexOf(open); at >= 0; at = line.indexOf(open, at + open.length)) count++;
  }
  if (count % 2 === 0) return false;
  const first = lines.findIndex((line) => line.includes(open));
  const line = lines[first] ?? '';
  const at = line.indexOf(open);
  const before = line.slice(0, at).trim();
  const after = line.slice(at + open.length).trim();
  if (/(?:[=(,:[{+]|\breturn|=>)$/.test(before) || /^[rbfu]{1,2}$/i.test(before)) return false;
  if (before === '' && after !== '' && !/^[;),\]}.]/.test(after)) return false;
  if (before !== '') return open.length > 1;
  const previous = lines.slice(0, first).findLast((each) => each.trim() !== '') ?? '';
  return !/[:(=,[{]\s*$/.test(previous);
}

class Scanner {
  private readonly language: Language;
  /** Finds the next sign with which a string or a comment may begin. */
  private readonly special: RegExp;
  private inside: Inside | undefined;
  private heredoc: string | undefined;

  constructor(language: Language, inside: Inside | undefined) {
    this.language = language;
    this.special = specialSigns(language);
    this.inside = inside;
  }

  read(line: string): MaskedLine {
    if (this.heredoc !== undefined) {
      if (line.trim() === this.heredoc) this.heredoc = undefined;
      return { text: line, code: ' '.repeat(line.length), comment: '' };
    }
    const output = new Output(line);
    let at = 0;
    while (at < line.length) {
      if (this.inside !== undefined) {
        at = this.close(output, at);
        continue;
      }
      this.special.lastIndex = at;
      if (!this.special.test(line)) break;
      at = this.code(output, this.special.lastIndex - 1);
    }
    if (this.language.heredocs === true) this.heredoc = /<<[~-]?['"]?([A-Z_]{2,40})\b/.exec(line)?.[1];
    return output.masked();
  }

  /** Goes on to the end of what it is inside of, or of the line. */
  private close(output: Output, from: number): number {
    const { close, comment, raw } = this.inside ?? { close: '', comment: true, raw: true };
    const { line } = output;
    let at = from;
    while (at < line.length && !line.startsWith(close, at)) at += !raw && line[at] === '\\' ? 2 : 1;
    const end = Math.min(line.length, at + close.length);
    if (at < line.length) this.inside = undefined;
    if (comment) output.comment(from, end);
    else output.hide(from, Math.min(at, line.length));
    return end;
  }

  /** Reads one sign of code, or enters a string or comment. */
  private code(output: Output, at: number): number {
    const { line } = output;
    const { lineComments, blockComments, strings, commentsAtWords } = this.language;
    const atWord = commentsAtWords !== true || at === 0 || /[\s;&|(]/.test(line.charAt(at - 1));
    if (atWord && lineComments.some((sign) => line.startsWith(sign, at))) {
      output.comment(at, line.length);
      return line.length;
    }
    const block = blockComments.find(([open]) => line.startsWith(open, at));
    if (block !== undefined) {
      this.inside = { close: block[1], comment: true, raw: true };
      output.comment(at, at + block[0].length);
      return at + block[0].length;
    }
    const form = strings.find(({ open }) => line.startsWith(open, at));
    if (form !== undefined) return this.string(output, at, form);
    if (this.language.regexLiterals === true && line[at] === '/') return regexEnd(output, at);
    return at + 1;
  }

  private string(output: Output, at: number, { open, close, multiline, raw }: StringForm): number {
    const start = at + open.length;
    if (multiline === true) {
      this.inside = { close, comment: false, raw: raw ?? false };
      return start;
    }
    const { line } = output;
    let end = start;
    while (end < line.length && !line.startsWith(close, end))
      end += raw !== true && line[end] === '\\' ? 2 : 1;
    // An apostrophe in a text, or a sign that means something else: not a string.
    if (end >= line.length) return start;
    output.hide(start, end);
    return end + close.length;
  }
}

function specialSigns({ lineComments, blockComments, strings }: Language): RegExp {
  const opening = [
    ...lineComments,
    ...blockComments.map(([open]) => open),
    ...strings.map(({ open }) => open),
  ];
  const signs = [...new Set(['/', ...opening.map((text) => text.charAt(0))])];
  return new RegExp(
    `[${signs.map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]`,
    'g',
  );
}

/** The end of a regular expression that starts here, or the next sign if none does. */
function regexEnd(output: Output, at: number): number {
  const { line } = output;
  const before = line.slice(Math.max(0, at - 12), at).trimEnd();
  if (before !== '' && !/[(,=:[!&|?{};]$|\breturn$/.test(before)) return at + 1;
  let end = at + 1;
  let inClass = false;
  while (end < line.length && (inClass || line[end] !== '/')) {
    if (line[end] === '\\') end++;
    else if (line[end] === '[') inClass = true;
    else if (line[end] === ']') inClass = false;
    end++;
  }
  if (end >= line.length) return at + 1;
  output.hide(at + 1, end);
  return end + 1;
}

/** Collects what to blank in a line. */
class Output {
  readonly line: string;
  private readonly hidden: (readonly [from: number, to: number])[] = [];
  private readonly comments: (readonly [from: number, to: number])[] = [];

  constructor(line: string) {
    this.line = line;
  }

  hide(from: number, to: number): void {
    if (to > from) this.hidden.push([from, to]);
  }

  comment(from: number, to: number): void {
    if (to > from) this.comments.push([from, to]);
  }

  masked(): MaskedLine {
    const { line, hidden, comments } = this;
    if (hidden.length === 0 && comments.length === 0) return { text: line, code: line, comment: '' };
    const text = blanked(line, comments);
    return {
      text,
      code: blanked(text, hidden),
      comment: comments.map((part) => line.slice(...part)).join(' '),
    };
  }
}

function blanked(line: string, parts: readonly (readonly [from: number, to: number])[]): string {
  let result = '';
  let end = 0;
  for (const [from, to] of parts) {
    result += line.slice(end, from) + ' '.repeat(to - from);
    end = to;
  }
  return result + line.slice(end);
}

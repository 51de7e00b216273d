/** A line of a text, without its line end. */
interface Line {
  /** Where it begins in the text. */
  readonly start: number;
  readonly text: string;
}

/** Only these end a line in Markdown; a line separator (U+2028) and the like are characters as any other. */
export function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split(/(\r\n|\r|\n)/).flatMap((part, index) => {
    const line = { start, text: part };
    start += part.length;
    return index % 2 === 0 ? [line] : [];
  });
}

/**
 * Which lines of a comment are plain text in a paragraph of their own, as GitHub shows it: not in a quote, a
 * list, a footnote, a table, code, math or HTML, and not hidden by HTML before them.
 * Strangers' comments are read here before anyone asks who they are, and parsers of CommonMark take quadratic
 * time in quotes and lists. This takes linear time, because it does not build a tree: where it is not certain
 * about a line, the line is not plain.
 */
export function plainLines(lines: readonly Line[]): readonly boolean[] {
  const reader = new LineReader(lines.findLastIndex(({ text }) => text.includes(math)));
  return lines.map(
    ({ text }, index) => reader.read(text, index) && !isTableRow(lines[index + 1]?.text ?? ''),
  );
}

const math = '$$';

interface Fence {
  /** The line that ends it. */
  readonly end: RegExp;
  readonly indent: number;
  /** It may be in a list, and then ends where the list ends. */
  readonly isUncertain: boolean;
}

const heading = /^#{1,6}(?:[ \t]|$)/;
const rule = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/** A quote, a list, or a definition of a footnote or a link. */
const container = /^(?:>|\[|(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$))/;

class LineReader {
  readonly #lastMath: number;
  #block: 'none' | 'paragraph' | 'container' = 'none';
  /** Indented lines may belong to a list or a footnote. */
  #isWithin = false;
  #fence: Fence | undefined;
  #isInComment = false;
  /** Elements that have not ended. */
  readonly #elements: string[] = [];
  /** Nothing that follows is certain to be visible. */
  #isLost = false;
  #hasMath = false;
  /** What follows is about the lines since the last blank one. */
  #hasRawHtml = false;
  #hasOpenCode = false;
  #hasTags = false;
  #hasTable = false;
  #canGoOn = true;

  constructor(lastMath: number) {
    this.#lastMath = lastMath;
  }

  /** Whether the line is plain text. */
  read(line: string, index: number): boolean {
    if (this.#isLost) return false;
    if (this.#fence !== undefined) this.#readCode(line, this.#fence);
    else if (this.#isInComment) this.#readComment(line);
    else if (/^[ \t]*$/.test(line)) this.#endBlock();
    else return this.#readText(line, index);
    return false;
  }

  #readText(line: string, index: number): boolean {
    const indent = indentOf(line);
    const text = line.trimStart();
    const fence = indent > 3 ? null : /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(text);
    if (fence) this.#openFence(fence[1] ?? fence[2] ?? '', indent);
    else if (indent > 3) this.#readIndented(text);
    else if (text.startsWith('<!--')) this.#openComment(text, indent);
    else if (!this.#hasRawHtml && (heading.test(text) || rule.test(text))) this.#readHeading(text, indent);
    else if (container.test(text)) this.#openContainer(text);
    else return this.#readParagraph(text, { indent, index });
    return false;
  }

  #readParagraph(text: string, { indent, index }: { indent: number; index: number }): boolean {
    if (this.#block === 'none') {
      this.#isWithin &&= indent > 0;
      this.#block = this.#isWithin ? 'container' : 'paragraph';
    }
    const isInMath = this.#hasMath && index <= this.#lastMath;
    const isSeen = this.#elements.length === 0 && !this.#hasRawHtml && !isInMath;
    const isPlain = this.#block === 'paragraph' && this.#canGoOn && isSeen;
    const parts = this.#take(text);
    this.#hasRawHtml ||= parts.hasHtml && text.startsWith('<');
    this.#canGoOn &&= canGoOn(parts);
    return isPlain;
  }

  /** What is indented deeper than three spaces is code, unless it continues something. */
  #readIndented(text: string): void {
    if (this.#block === 'none' && !this.#isWithin) return;
    if (this.#block === 'paragraph') this.#canGoOn &&= canGoOn(this.#take(text));
    else this.#openContainer(text);
  }

  #openContainer(text: string): void {
    this.#block = 'container';
    this.#isWithin = true;
    this.#hasRawHtml ||= this.#take(text).hasHtml;
  }

  /** Unindented, it ends every list; otherwise it may be in one. */
  #readHeading(text: string, indent: number): void {
    this.#take(text);
    if (indent < 2) this.#isWithin = false;
    this.#endBlock();
  }

  #openFence(marks: string, indent: number): void {
    // If an HTML block goes on, this is not code.
    this.#isLost ||= this.#hasRawHtml;
    const end = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
    this.#fence = { end, indent, isUncertain: indent > 1 && this.#isWithin };
    this.#isWithin &&= indent > 1;
    this.#endBlock();
  }

  #readCode(line: string, { end, indent, isUncertain }: Fence): void {
    this.#isLost ||= isUncertain && line.trim() !== '' && indentOf(line) < indent;
    if (end.test(line)) this.#fence = undefined;
  }

  /** A comment may go on over blank lines; the rest of its last line is HTML. */
  #openComment(text: string, indent: number): void {
    const isWhole = text.includes('-->');
    if (isWhole) this.#take(text, true);
    else {
      this.#isLost ||= this.#hasRawHtml || endsEarly(text) || (indent > 1 && this.#isWithin);
      this.#isInComment = true;
    }
    this.#endBlock();
  }

  #readComment(line: string): void {
    const end = line.indexOf('-->');
    this.#isLost ||= line.includes('--!>');
    if (end < 0) return;
    this.#isInComment = false;
    this.#take(line.slice(end + '-->'.length), true);
    this.#endBlock();
  }

  #endBlock(): void {
    this.#block = 'none';
    this.#hasRawHtml = false;
    this.#hasOpenCode = false;
    this.#hasTags = false;
    this.#hasTable = false;
    this.#canGoOn = true;
  }

  /** Remembers what of this line matters to later ones. */
  #take(text: string, isHtml = false): InlineParts {
    const isLiteral = isHtml || this.#hasRawHtml || this.#hasOpenCode || text.includes('|');
    const parts = inlineParts(text, isLiteral);
    for (const { name, ends } of parts.tags) {
      if (!ends) this.#elements.push(name);
      else if (this.#elements.pop() !== name) this.#isLost = true;
    }
    this.#hasTags ||= parts.tags.length > 0;
    this.#hasTable ||= isTableRow(text);
    this.#hasOpenCode ||= parts.hasOpenCode;
    this.#hasMath ||= parts.text.includes(math);
    // An end tag inside a cell does not end what began outside the table.
    this.#isLost ||= parts.isOpaque || (this.#hasTags && this.#hasTable);
    return parts;
  }
}

/** In columns; more than three are one and the same. */
function indentOf(line: string): number {
  const [blank = ''] = /^[ \t]*/.exec(line) ?? [];
  return blank.includes('\t') ? 4 : Math.min(blank.length, 4);
}

/** Whether a line belongs to a table, or would make one of the line before it. */
function isTableRow(line: string): boolean {
  return line.includes('|') || /^[ \t]*:?-+:[ \t]*$|^[ \t]*:-+[ \t]*$/.test(line);
}

const link = /!?\[[^[\]]*\]\([^\s()<>"'\\]*\)/g;
const bracketed = /\[[^[\]]*\](?![([:])/g;

/** Whether a paragraph goes on as plain text after this line: nothing that has begun here is still open. */
function canGoOn({ text, hasHtml, hasOpenCode }: InlineParts): boolean {
  if (hasHtml || hasOpenCode || isTableRow(text) || /[<`$~]/.test(text)) return false;
  const rest = text.replace(link, 'x').replace(bracketed, 'x');
  return (
    !/[[\]]/.test(rest) && isEven(rest, /\*+/g) && isEven(rest, /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu)
  );
}

/** Emphasis that has begun has also ended. */
function isEven(text: string, marks: RegExp): boolean {
  return [...text.matchAll(marks)].length % 2 === 0;
}

interface Tag {
  readonly name: string;
  readonly ends: boolean;
}

/** An escape, backticks, or the start of HTML or of an autolink. */
const special = /\\[!-/:-@[-`{-~]|`+|<(?=[a-z/!?])/gi;

const autolink = /<(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@`\\]+@[^\s<>@`\\]+)>/iy;
const attributes = '(?:[ \\t]+[a-z-]+(?:="[^"<>]*")?)*[ \\t]*';
const emptyElement = new RegExp(`<(?:br|hr|img)${attributes}/?>`, 'iy');

/** Elements that browsers nest as they are written; in a table, for one, an end tag may not count. */
const plainElement = new RegExp(
  `<(/?)(details|summary|div|span|p|sub|sup|kbd|b|i|em|strong)${attributes}>`,
  'iy',
);

/**
 * Finds the HTML and the code in one line, in linear time. It `isLiteral` inside an HTML block or a table, where
 * backticks and backslashes have no meaning.
 */
function inlineParts(line: string, isLiteral: boolean): InlineParts {
  const scanner = new Scanner(line, isLiteral);
  scanner.scan();
  return scanner;
}

/** One line, as far as it matters to what follows it. */
type InlineParts = Readonly<Pick<Scanner, 'text' | 'tags' | 'hasHtml' | 'isOpaque' | 'hasOpenCode'>>;

class Scanner {
  /** The line without its code and HTML. */
  text = '';
  /** Elements that begin or end here; those that are always empty, such as `<br>`, are left out. */
  readonly tags: Tag[] = [];
  hasHtml = false;
  /** It contains HTML that may hide anything after it. */
  isOpaque = false;
  /** A backtick has no partner on this line, so code may go on in the next lines. */
  hasOpenCode = false;
  readonly #line: string;
  readonly #isLiteral: boolean;
  readonly #closing: ClosingBackticks;
  /** Everything before this has been read. */
  #at = 0;

  constructor(line: string, isLiteral: boolean) {
    this.#line = line;
    this.#isLiteral = isLiteral;
    this.#closing = new ClosingBackticks(line);
  }

  scan(): void {
    special.lastIndex = 0;
    for (let found = special.exec(this.#line); found && !this.isOpaque; found = special.exec(this.#line)) {
      const start = found.index;
      this.text += this.#line.slice(this.#at, start);
      this.#at = this.#endOf(found[0], start);
      special.lastIndex = this.#at;
    }
    this.text += this.#line.slice(this.#at);
  }

  /** Where the part that begins with `mark` ends. */
  #endOf(mark: string, start: number): number {
    if (mark === '<') return this.#endOfHtml(start);
    if (this.#isLiteral) return this.#keep(start, 1);
    return mark.startsWith('`') ? this.#endOfCode(mark.length, start) : this.#keep(start, mark.length);
  }

  #keep(start: number, length: number): number {
    this.text += this.#line.slice(start, start + length);
    return start + length;
  }

  #endOfCode(length: number, start: number): number {
    const closing = this.#closing.after(start + length, length);
    if (closing !== undefined) return closing + length;
    this.hasOpenCode = true;
    return this.#keep(start, length);
  }

  #endOfHtml(start: number): number {
    if (!this.#isLiteral && matchAt(autolink, this.#line, start)) return autolink.lastIndex;
    this.hasHtml = true;
    if (this.#line.startsWith('<!--', start)) return this.#endOfComment(start);
    if (matchAt(emptyElement, this.#line, start)) return emptyElement.lastIndex;
    const found = matchAt(plainElement, this.#line, start);
    this.isOpaque = found === null;
    if (found !== null) this.tags.push({ name: (found[2] ?? '').toLowerCase(), ends: found[1] === '/' });
    return plainElement.lastIndex || start + 1;
  }

  #endOfComment(start: number): number {
    const end = this.#line.indexOf('-->', start + '<!--'.length);
    this.isOpaque = end < 0 || endsEarly(this.#line.slice(start, end));
    return end + '-->'.length;
  }
}

/** Whether browsers see the end of a comment before Markdown does. */
function endsEarly(comment: string): boolean {
  return /^<!---?>/.test(comment) || comment.includes('--!>');
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The runs of backticks in a line, by length; each is looked at once, so that all searches are linear. */
class ClosingBackticks {
  readonly #runs = new Map<number, number[]>();

  constructor(line: string) {
    for (const { 0: run, index } of [...line.matchAll(/`+/g)].reverse()) {
      const others = this.#runs.get(run.length);
      if (others === undefined) this.#runs.set(run.length, [index]);
      else others.push(index);
    }
  }

  /** The first run of exactly this length at or after `from`, which only grows. */
  after(from: number, length: number): number | undefined {
    const runs = this.#runs.get(length) ?? [];
    while (runs.length > 0 && (runs.at(-1) ?? 0) < from) runs.pop();
    return runs.at(-1);
  }
}

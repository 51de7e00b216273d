/** Finds the HTML and the code in one line of Markdown, in linear time. */

/** One line, as far as it matters to what follows it. */
export interface InlineParts {
  /** The line without its code and HTML. */
  readonly text: string;
  /** Elements that begin or end here; those that are always empty, such as `<br>`, are left out. */
  readonly tags: readonly Tag[];
  readonly hasHtml: boolean;
  /** It contains HTML that may hide anything after it. */
  readonly isOpaque: boolean;
  /** A backtick has no partner on this line, so code may go on in the next lines. */
  readonly hasOpenCode: boolean;
}

export interface Tag {
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

/** `isLiteral`: inside an HTML block or a table, where backticks and backslashes have no meaning. */
export function inlineParts(line: string, isLiteral: boolean): InlineParts {
  const scanner = new Scanner(line, isLiteral);
  scanner.scan();
  return scanner;
}

class Scanner implements InlineParts {
  text = '';
  readonly tags: Tag[] = [];
  hasHtml = false;
  isOpaque = false;
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
export function endsEarly(comment: string): boolean {
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

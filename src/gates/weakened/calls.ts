/** A call, its arguments, and the calls that are chained to it. */
export interface Call {
  /** Everything between the last bracket and this one: `.not.toBe`, `assert.equal`, `expect`. */
  readonly name: string;
  readonly arguments: readonly string[];
}

/** A piece of code beside the same piece with its strings blanked. */
export interface Piece {
  readonly text: string;
  readonly code: string;
}

const opens = '([{';
const closes = ')]}';

/** The calls on the top level of a statement in order, such as `expect(a)`, `.not.toBe(b)`. */
export function callsIn({ text, code }: Piece): { readonly calls: readonly Call[]; readonly rest: string } {
  const calls: Call[] = [];
  let at = 0;
  while (calls.length < 40) {
    const open = code.indexOf('(', at);
    if (open < 0) break;
    const close = closing(code, open);
    const inside = { text: text.slice(open + 1, close), code: code.slice(open + 1, close) };
    calls.push({ name: text.slice(at, open).trim(), arguments: splitAt(inside, ',') });
    at = close + 1;
    if (close >= code.length) break;
  }
  return { calls, rest: text.slice(at).trim() };
}

/** Where the bracket that opens here closes; the end if it does not. */
export function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const sign = code.charAt(at);
    if (opens.includes(sign)) depth++;
    else if (closes.includes(sign) && --depth === 0) return at;
  }
  return code.length;
}

/** The parts between top-level separators, trimmed, without empty ones. */
export function splitAt({ text, code }: Piece, separator: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < code.length; at++) {
    const sign = code.charAt(at);
    if (opens.includes(sign)) depth++;
    else if (closes.includes(sign)) depth--;
    else if (depth === 0 && code.startsWith(separator, at)) {
      parts.push(text.slice(start, at).trim());
      start = at + separator.length;
    }
  }
  parts.push(text.slice(start).trim());
  return parts.filter((part) => part !== '');
}

const comparison =
  /===|!==|==|!=|>=|<=|=~|\bis not\b|\bnot in\b|\bis\b|\bin\b|(?<![-=<>])>(?!>)|(?<![<])<(?![<-])/g;

/** The top-level comparison of an expression, if it has one. */
export function comparisonIn({
  text,
  code,
}: Piece): { readonly left: string; readonly operator: string; readonly right: string } | undefined {
  let depth = 0;
  let at = 0;
  for (const { 0: operator, index } of code.matchAll(comparison)) {
    for (; at < index; at++) {
      if (opens.includes(code.charAt(at))) depth++;
      else if (closes.includes(code.charAt(at))) depth--;
    }
    if (depth === 0) {
      return {
        left: text.slice(0, index).trim(),
        operator,
        right: text.slice(index + operator.length).trim(),
      };
    }
  }
  return undefined;
}

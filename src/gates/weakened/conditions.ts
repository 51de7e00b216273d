import { anyOf } from '../../text/pattern/any-of.ts';
import { strengths } from './assertion.ts';
import { comparisonIn, type Piece, splitAt } from './calls.ts';

/** What a statement asserts, without where it stands. */
export interface Claim {
  readonly subject: string;
  readonly verb: string;
  readonly expected: string;
  readonly arguments: readonly string[];
  readonly negated: boolean;
  readonly strength: number;
}

/** Callers name or write out what they expect; what they test is computed. */
export function looksExpected(text: string): boolean {
  return /^["'`\d[{-]|^&?(?:expected|want|exp)\w*$|^(?:true|false|null|nil|None|True|False)$|^&?[A-Z][\w.]*\{|^[A-Z][A-Z_\d.]*$|^\[\]\w+\{/.test(
    text,
  );
}

/** Expressions of which all must be true. */
export function conjunction(piece: Piece): readonly Claim[] {
  const whole = splitAt(piece, ',')[0] ?? '';
  const parts = splitAt(
    { text: whole, code: blankStrings(whole) },
    / and /.test(piece.code) ? ' and ' : '&&',
  );
  return parts.map((text) => boolean({ text, code: blankStrings(text) }));
}

/** An expression that must be true. */
export function boolean(piece: Piece): Claim {
  const compared = comparisonIn(piece);
  if (compared !== undefined) return comparisonClaim(compared);
  const negated = /^(?:!|not\s)/.test(piece.text);
  const hasArguments = /\w\(\s*[^)\s]/.test(piece.code);
  const strength = Math.min(hasArguments ? strengths.part : strengths.existence, mostOf(piece.text));
  const expected = negated ? 'false' : 'true';
  const subject = piece.text.replace(/^(?:!|not\s)\s*/, '');
  return { subject, verb: 'holds', expected, arguments: [expected], negated, strength };
}

function comparisonClaim(compared: { left: string; operator: string; right: string }): Claim {
  const { left, operator, right } = compared;
  const swapped = looksExpected(left) && !looksExpected(right);
  const [subject, expected] = swapped ? [right, left] : [left, right];
  const verb = swapped ? (mirrored[operator] ?? operator) : operator;
  const strength = Math.min(strengthOfOperator(verb), mostOf(subject));
  return { subject, verb, expected, arguments: [expected], negated: false, strength };
}

/** The most that can be said of it: how many there are says less than which, and a type less than a value. */
export function mostOf(subject: string): number {
  if (aboutType.test(subject.trim())) return strengths.kind;
  return isSize(subject) ? strengths.size : strengths.exact;
}

const aboutType = anyOf([
  String.raw`^(?:typeof\b|type\(|isinstance\()`,
  String.raw`\.getClass\(\)$`,
  String.raw`\sinstanceof\s`,
]);

function isSize(subject: string): boolean {
  return /^len\(.*\)$|\.(?:length|size|count|len|Count|Length|Len)(?:\(\))?$/.test(subject.trim());
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };
const opposite: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>': '<=',
  '<=': '>',
  '>=': '<',
};

function strengthOfOperator(operator: string): number {
  if (/^(?:===?|is)$/.test(operator)) return strengths.exact;
  return /^(?:!==?|is not|not in)$/.test(operator) ? strengths.existence : strengths.part;
}

/** The condition under which a test fails is the opposite of what it asserts. */
export function goCondition({ text, code }: Piece): Claim {
  const brace = code.indexOf('{');
  const head = text.slice(2, brace < 0 ? undefined : brace);
  const [first = '', ...rest] = splitAt({ text: head, code: blankStrings(head) }, ';');
  // `if got := total(1); got != 2`: the name alone says nothing of what is compared.
  const [, name, computed] = /^\s*(\w+)\s*:=\s*(.*)$/.exec(first) ?? [];
  const last = rest.at(-1) ?? first;
  const isNamed = rest.length > 0 && computed !== undefined && last.trimStart().startsWith(`${name} `);
  const condition = isNamed ? last.trimStart().replace(`${name}`, () => computed) : last;
  const piece = { text: condition, code: blankStrings(condition) };
  const compared = comparisonIn(piece);
  if (compared === undefined) {
    const claimed = boolean(piece);
    return { ...claimed, strength: /Equal|Is\(|As\(/.test(condition) ? strengths.exact : claimed.strength };
  }
  const operator = opposite[compared.operator] ?? compared.operator;
  const result = comparisonClaim({ ...compared, operator });
  return compared.right === 'nil' ? { ...result, strength: strengths.existence } : result;
}

export function blankStrings(text: string): string {
  return text.replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|`[^`]*`/g,
    (found) => found.charAt(0) + ' '.repeat(found.length - 2) + found.charAt(0),
  );
}

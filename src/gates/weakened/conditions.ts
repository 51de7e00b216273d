import { anyOf } from '../../text/pattern/any-of.ts';
import { strengths } from './assertion.ts';
import { closing, comparisonIn, type Piece, splitAt } from './calls.ts';
import { differenceIn, type Predicate, predicateIn } from './predicates.ts';

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

/** `assert (a == b, "message")` is true whatever a and b are. */
export function isTuple({ text, code }: Piece): boolean {
  const open = /^assert\s*\(/.exec(code)?.[0].length;
  if (open === undefined || closing(code, open - 1) < code.trimEnd().length - 1) return false;
  const end = code.lastIndexOf(')');
  return splitAt({ text: text.slice(open, end), code: code.slice(open, end) }, ',').length > 1;
}

/** An expression that must be true. */
export function boolean(piece: Piece): Claim {
  const compared = comparisonIn(piece);
  if (compared !== undefined) return comparisonClaim(compared);
  const negated = /^(?:!|not\s)/.test(piece.text);
  const hasArguments = /[\w!]\(\s*[^)\s]/.test(piece.code) && !asksExistence.test(piece.code);
  const strength = Math.min(hasArguments ? strengths.part : strengths.existence, mostOf(piece.text));
  const expected = negated ? 'false' : 'true';
  const subject = piece.text.replace(/^(?:!|not\s)\s*/, '');
  const predicate = predicateIn({ text: subject, code: blankStrings(subject) });
  if (predicate !== undefined) return predicateClaim(predicate, negated);
  return { subject, verb: 'holds', expected, arguments: [expected], negated, strength };
}

/** Two arguments of a function, of which one is expected. */
function predicateClaim({ verb, strength, given }: Predicate, negated: boolean): Claim {
  const [first = '', second = '', ...others] = given;
  const isSwapped = looksExpected(first) && !looksExpected(second);
  const [subject, expected] = isSwapped ? [second, first] : [first, second];
  const limit = negated ? strengths.existence : Math.min(strength, mostOf(subject));
  const stated = [expected, ...others];
  return { subject, verb, expected: stated.join(', '), arguments: stated, negated, strength: limit };
}

const asksExistence =
  /\.(?:is_(?:err|ok|some|none|error)|is(?:Present|Success|Failure|Ok|Err|Some|None|Left|Right))\(\)\s*$/;

function comparisonClaim(compared: { left: string; operator: string; right: string }): Claim {
  const { left, operator, right } = compared;
  const difference = /^(?:""|nil)$/.test(right) && /^[!=]=/.test(operator) ? differenceIn(left) : undefined;
  if (difference !== undefined) {
    const made = { verb: '==', strength: strengths.exact, given: difference.arguments };
    return predicateClaim(made, operator.startsWith('!'));
  }
  const swapped = looksExpected(left) && !looksExpected(right);
  const [subject, expected] = swapped ? [right, left] : [left, right];
  const verb = swapped ? (mirrored[operator] ?? operator) : operator;
  const strength = Math.min(strengthOfOperator(verb), mostOf(subject));
  return { subject, verb, expected, arguments: [expected], negated: false, strength };
}

/** The most that can be said of it: how many there are says less than which, and a type less than a value. */
export function mostOf(subject: string): number {
  if (asksWhether.test(subject.trim())) return strengths.existence;
  if (aboutType.test(subject.trim())) return strengths.kind;
  return isSize(subject) ? strengths.size : strengths.exact;
}

/** Whether there is one at all: `(err != nil)`, `bool(found)`, `!!found`. */
const asksWhether = anyOf([
  String.raw`^\((?:[^()]|\([^()]*\))*(?:[!=]==?|\bis(?:\snot)?)\s*(?:nil|None|null|undefined)\)$`,
  String.raw`^(?:bool|Boolean)\(.*\)$|^!!`,
]);

const aboutType = anyOf([
  String.raw`^(?:typeof\b|type\(|isinstance\()`,
  String.raw`\.getClass\(\)$`,
  String.raw`\sinstanceof\s`,
]);

function isSize(subject: string): boolean {
  return /^len\(.*\)$|\.(?:length|size|count|len|Count|Length|Len)(?:\(\))?$/.test(subject.trim());
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };
const opposites: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>': '<=',
  '<=': '>',
  '>=': '<',
};

function strengthOfOperator(operator: string): number {
  if (/^(?:===?|is)$/.test(operator)) return strengths.exact;
  return /^(?:!==?|is not)$/.test(operator) ? strengths.existence : strengths.part;
}

/** The conditions under which a test fails are the opposite of what it asserts. */
export function goConditions({ text, code }: Piece): readonly Claim[] {
  const brace = opensBlock(code);
  const head = text.slice(2, brace);
  const [first = '', ...rest] = splitAt({ text: head, code: blankStrings(head) }, ';');
  const condition = rest.at(-1) ?? first;
  const named = rest.length > 0 ? /^\s*([\w, ]+?)\s*:?=\s*(.*)$/.exec(first) : null;
  return splitAt({ text: condition, code: blankStrings(condition) }, '||').map((part) =>
    opposed(named === null ? part : computed(part, named[1] ?? '', named[2] ?? '')),
  );
}

/** The last bracket on the top level: others are of literals in the condition. */
function opensBlock(code: string): number {
  const last = code.search(/\{[^{}]*\bt\.\w+\(/);
  const found = last < 0 ? code.indexOf('{') : last;
  return found < 0 ? code.length : found;
}

/** `if got := total(1); got != 2`: the name alone says nothing of what is compared. */
function computed(part: string, names: string, call: string): string {
  const [first, ...others] = names.split(/\s*,\s*/);
  const name = /^\s*!?(\w+)/.exec(part)?.[1] ?? '';
  if (name === first || /^(?:err|ok)$/.test(name)) return part.replace(name, () => call);
  return others.includes(name) ? part.replace(name, () => `${call}.${name}`) : part;
}

function opposed(condition: string): Claim {
  const parts = splitAt({ text: condition, code: blankStrings(condition) }, '&&');
  const text = parts[0] ?? condition;
  const claimed = opposite({ text, code: blankStrings(text) }, condition);
  // What fails only when something else holds as well is stated of less.
  return parts.length > 1 ? { ...claimed, strength: Math.min(claimed.strength, strengths.part) } : claimed;
}

function opposite(piece: Piece, condition: string): Claim {
  const compared = comparisonIn(piece);
  if (compared === undefined) {
    const { subject, negated, ...claimed } = boolean(piece);
    if (claimed.verb !== 'holds') return { ...boolean(turned(piece)), subject };
    const expected = negated ? 'true' : 'false';
    const strength = /Equal|Is\(|As\(/.test(condition) ? strengths.exact : claimed.strength;
    return { ...claimed, subject, expected, arguments: [expected], negated: !negated, strength };
  }
  const operator = opposites[compared.operator] ?? compared.operator;
  const result = comparisonClaim({ ...compared, operator });
  return compared.right === 'nil' ? { ...result, strength: strengths.existence } : result;
}

function turned({ text }: Piece): Piece {
  const other = text.startsWith('!') ? text.slice(1).trim() : `!${text}`;
  return { text: other, code: blankStrings(other) };
}

export function blankStrings(text: string): string {
  return text.replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|`[^`]*`/g,
    (found) => found.charAt(0) + ' '.repeat(found.length - 2) + found.charAt(0),
  );
}

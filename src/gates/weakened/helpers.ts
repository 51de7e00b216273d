import { anyOf } from '../../text/pattern/any-of.ts';
import { type Assertion, between } from './assertion.ts';
import { assertionsOf } from './assertions.ts';
import { closing, splitAt } from './calls.ts';
import type { Family } from './languages.ts';
import { withMeanings } from './local-names.ts';
import type { FileReading, Version } from './reading.ts';
import { normalized, type SourceLine } from './source-line.ts';
import { blockAround, endOf, type TestBlock } from './test-blocks.ts';

/** A function of the tests' own that asserts. */
interface Helper {
  readonly parameters: readonly string[];
  readonly assertions: readonly Assertion[];
}

/** More would be a library. */
const maxAsserted = 40;

/** What tests assert by calling functions that do: their assertions with what each call gives them. */
export class Helpers {
  private readonly byName = new Map<string, Helper>();

  constructor(readings: readonly FileReading[]) {
    for (const reading of readings)
      for (const [name, helper] of helpersIn(reading)) this.byName.set(name, helper);
  }

  /** What the calls in a test assert, at the lines of these calls. */
  assertionsIn({ lines, blocks }: Version, block: TestBlock): readonly Assertion[] {
    if (this.byName.size === 0) return [];
    const found: Assertion[] = [];
    for (let index = block.head + 1; index < block.end; index++) {
      const line = lines[index];
      if (line === undefined || line.blank) continue;
      for (const { 1: name = '', index: at } of line.code.slice(0, 300).matchAll(calls)) {
        const helper = this.byName.get(name);
        if (helper === undefined || found.length > maxAsserted) continue;
        const open = at + line.code.slice(at).indexOf('(');
        const given = argumentsAt(lines, index, open);
        found.push(...helper.assertions.map((each) => applied(each, { helper, given, index, line })));
      }
    }
    return withMeanings(found, lines, blocks);
  }
}

const calls = /\b([A-Za-z_]\w*)\s*\(/g;

const functions = anyOf([
  String.raw`^\s*(?:export\s+)?(?:(?:async|static|private|public|protected|internal|pub|suspend|final)\s+)*(?:def|func|function|fun|fn)\s+(?:self\.|\([^)]*\)\s*)?(\w+)(?:[<[][^()]*[>\]])?\s*\(`,
  String.raw`^\s*(?:export\s+)?(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?\(`,
  String.raw`^\s*(?:(?:async|static|private|public)\s+)*(?!(?:if|for|while|switch|catch|function|return)\b)(\w+)\s*\((?=.*\{\s*$)`,
  String.raw`^\s*(?:(?:private|public|protected|static|final|internal)\s+)+[\w<>[\],.?]+\s+(\w+)\s*\(`,
]);

function helpersIn({ new: version, role, path, language }: FileReading): readonly [string, Helper][] {
  const { lines, blocks } = version;
  const isSupport = role === 'source' && /test|spec|assert/i.test(path);
  if (role !== 'test' && !isSupport) return [];
  const stated = isSupport ? assertionsOf(lines, language.family) : version.assertions;
  return lines.flatMap((line, head): readonly [string, Helper][] => {
    const code = line.blank ? '' : line.code.slice(0, 300);
    const found = functions.exec(code);
    const name = found?.slice(1).find((group) => group !== undefined);
    if (found === null || name === undefined) return [];
    const declared = blockAround(blocks, head);
    if (declared !== undefined && !declared.group) return [];
    const inside = between(stated, head + 1, endOf(lines, head)).filter(({ verb }) => verb !== 'row');
    if (inside.length === 0 || inside.length > maxAsserted) return [];
    const given = argumentsAt(lines, head, found[0].length - 1);
    const parameters = given.map((each) => nameOf(each, language.family)).filter((each) => !isHandle(each));
    return [[name, { parameters, assertions: inside }]];
  });
}

/** `email: string`, `email = None`, `email string`, `String email`. */
function nameOf(parameter: string, family: Family): string {
  const plain = parameter
    .replace(/\s*=.*$/s, '')
    .replace(/\s*:.*$/s, '')
    .trim();
  const words = plain.split(/\s+/);
  const isLast = family === 'jvm' || family === 'csharp' || family === 'php' || family === 'rust';
  return ((isLast ? words.at(-1) : words[0]) ?? '').replace(/^[*&$.]+/, '');
}

/** What says which test it is in, or that only names follow. */
function isHandle(name: string): boolean {
  return /^(?:t|tb|b|self|this|)$/.test(name);
}

/** The arguments in the brackets that open here, over several lines. */
function argumentsAt(lines: readonly SourceLine[], index: number, open: number): readonly string[] {
  let [text, code] = ['', ''];
  for (const line of lines.slice(index, index + 15)) {
    text += ` ${line.text}`;
    code += ` ${line.code}`;
    if (closing(code, open + 1) < code.length) break;
  }
  const end = closing(code, open + 1);
  return splitAt({ text: text.slice(open + 2, end), code: code.slice(open + 2, end) }, ',');
}

function applied(
  assertion: Assertion,
  of: { helper: Helper; given: readonly string[]; index: number; line: SourceLine },
): Assertion {
  const { helper, given, index, line } = of;
  const values = bound(helper.parameters, given);
  const fill = (text: string) =>
    text
      .replace(/\b(?:this|self)\./g, '')
      .replace(/(?<![\w."])[A-Za-z_]\w*(?!\w)/g, (name) => values.get(name) ?? name);
  const [subject, expected] = [fill(assertion.subject), fill(assertion.expected)];
  return {
    ...assertion,
    index,
    changed: line.changed,
    key: `${assertion.verb}:${subject}:${expected}`,
    subject,
    expected,
    arguments: assertion.arguments.map(fill),
  };
}

/** What a call gives for each parameter, by name or by place. */
function bound(parameters: readonly string[], given: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const places = given.filter((each) => !/^(?:t|tb|b|s\.T\(\))$/.test(each));
  for (const [place, each] of places.entries()) {
    const [, name, value] = /^(\w+)\s*[:=]\s*(?!=)([\s\S]+)$/.exec(each) ?? [];
    const parameter = name !== undefined && parameters.includes(name) ? name : parameters[place];
    if (parameter !== undefined) values.set(parameter, normalized(parameter === name ? (value ?? '') : each));
  }
  return values;
}

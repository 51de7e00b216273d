import { type Assertion, between } from './assertion.ts';
import type { FileReading, Version } from './reading.ts';
import { blockAround } from './test-blocks.ts';

/** How far above an assertion its input is looked for. */
const reach = 80;
const longestStatement = 20;

/** Whether what an assertion is about was made from other literals before: other input, another result. */
export function hasOtherInput(reading: FileReading, old: Assertion, next: Assertion): boolean {
  return inputOf(reading.old, old) !== inputOf(reading.new, next);
}

/** The literals in changed statements above that what is asserted depends on. */
function inputOf(version: Version, { index, subject }: Assertion): string {
  const names = new Set(namesIn(subject));
  const found: string[] = [];
  for (const { text, changed } of statementsAbove(version, index)) {
    const used = namesIn(text);
    if (!used.some((name) => names.has(name))) continue;
    for (const name of used) names.add(name);
    if (changed) found.push(...(text.match(/"[^"]*"|'[^']*'|`[^`]*`|(?<![\w.])-?\d[\d._]*/g) ?? []));
  }
  return found
    .map((literal) => literal.replace(/["'`_]/g, ''))
    .sort()
    .join('\n');
}

/** Variables, and not what is called or taken from them. */
function namesIn(code: string): readonly string[] {
  const plain = code.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '""');
  return (plain.match(/(?<![\w.])[A-Za-z_$][\w$]*(?!\s*\()/g) ?? []).filter((name) => !keywords.test(name));
}

const keywords =
  /^(?:const|let|var|val|new|await|async|self|this|def|return|null|nil|None|true|false|True|False)$/;

interface Statement {
  readonly text: string;
  readonly changed: boolean;
}

/** The nearest first; without assertions, and without what stands in other tests. */
function statementsAbove({ lines, blocks, assertions }: Version, index: number): readonly Statement[] {
  const own = blockAround(blocks, index);
  const stated = new Set(between(assertions, index - reach, index).map(({ index: at }) => at));
  const found: Statement[] = [];
  for (let at = Math.max(0, index - reach); at < index; at++) {
    const line = lines[at];
    const block = blockAround(blocks, at);
    const isOther = block !== undefined && !block.group && block !== own;
    if (line === undefined || line.blank || isOther || stated.has(at) || at === block?.head) continue;
    const from = at;
    let depth = 0;
    do {
      for (const sign of lines[at]?.code ?? '')
        depth += '([{'.includes(sign) ? 1 : ')]}'.includes(sign) ? -1 : 0;
      at++;
    } while (depth > 0 && at < index && at < from + longestStatement);
    const parts = lines.slice(from, at);
    at--;
    found.push({
      text: parts.map(({ text }) => text).join(' '),
      changed: parts.some(({ changed }) => changed),
    });
  }
  return found.reverse();
}

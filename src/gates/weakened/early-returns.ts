import { anyOf } from '../../text/pattern/any-of.ts';
import { between } from './assertion.ts';
import { testAround, type Version } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** A line that leaves a test, or a round of its loop, with assertions behind it that are not reached. */
export function returnsEarly(version: Version, index: number): boolean {
  const line = version.lines[index];
  if (line === undefined || !leaving.test(line.code)) return false;
  const block = testAround(version, index);
  const [from, to] = block === undefined ? hunkAround(version.lines, index) : [block.head + 1, block.end];
  const condition = conditionAt(version.lines, index);
  if (isUnbound(version.lines, index)) {
    return (
      goesOnUnseen(version.lines, index, to) ||
      between(version.assertions, index + 1, to).some(({ verb }) => verb !== 'row' && verb !== 'value')
    );
  }
  if (condition < 0) {
    const first = version.lines.slice(from, to).find(({ blank }) => !blank);
    if (line.indent !== first?.indent || /\bcontinue\b/.test(line.code)) return false;
  } else if (!isUnasked(version, { condition, index, from, inTest: version.blocks.length > 0 })) return false;
  const behind = between(version.assertions, index + 1, to);
  return behind.some(({ verb }) => verb !== 'row' && verb !== 'value');
}

const leaving = anyOf([
  String.raw`^\s*(?:return(?:\s+(?:nil|null|None|undefined|true|(?:done|resolve|callback|cb|next|t\.end)\(\)))?;?|continue;?|.*\belse\s*\{\s*return;?\s*\};?|if\s*\(?.*\)?\s*(?:\{\s*)?(?:return|continue);?\s*\}?)\s*$`,
]);

/** What is missing is no failure: `let Some(a) = b else { return };`, `guard let a = b else { return }`. */
function isUnbound(lines: readonly SourceLine[], index: number): boolean {
  const line = lines[index];
  const near = lines.slice(Math.max(0, index - 4), index + 1);
  const text = near.map(({ code }) => code).join(' ');
  if (
    !/\b(?:let|guard)\b[^;]*\belse\s*\{[^}]*$|\b(?:let|guard)\b[^;]*\belse\s*\{\s*return;?\s*\};?\s*$/.test(
      text,
    )
  )
    return false;
  const opener = near.findLast(({ code }) => /\belse\s*\{/.test(code));
  const isInside = opener === line || (opener?.indent ?? 0) < (line?.indent ?? 0);
  return isInside && !/\b(?:panic|XCTFail|fail\w*|assert\w*|throw|record|Issue)\b/.test(text);
}

/** The diff ends within a test that there was before: what it asserts stands below. */
function goesOnUnseen(lines: readonly SourceLine[], index: number, end: number): boolean {
  const isCut = lines[end]?.hunk !== lines[index]?.hunk;
  const last = lines[end - 1];
  return isCut && last !== undefined && !last.changed && !/^\s*[)\]}]+;?\s*$/.test(last.code);
}

/** Where the hunk of a line begins and ends, in so far as that is near. */
function hunkAround(lines: readonly SourceLine[], index: number): readonly [from: number, to: number] {
  const hunk = lines[index]?.hunk;
  let [from, to] = [index, index];
  while (from > index - 30 && lines[from - 1]?.hunk === hunk) from--;
  while (to < index + 30 && lines[to]?.hunk === hunk) to++;
  return [from, to];
}

/** The line with the condition under which another one is reached: its own or one above; -1 without one. */
function conditionAt(lines: readonly SourceLine[], index: number): number {
  const line = lines[index];
  if (line === undefined || /^\s*if\b/.test(line.code)) return index;
  for (let at = index - 1; at >= Math.max(0, index - 4); at--) {
    const above = lines[at];
    if (above === undefined || above.hunk !== line.hunk) break;
    if (above.blank || above.indent >= line.indent) continue;
    return /^\s*if\b/.test(above.code) ? at : -1;
  }
  return -1;
}

interface Guard {
  readonly condition: number;
  readonly index: number;
  readonly from: number;
  /** In a file that declares tests, though the diff may not show which one this is in. */
  readonly inTest: boolean;
}

/** Nothing fails under the condition, and nothing stated before decides it, as when a type is narrowed. */
function isUnasked(version: Version, { condition, index, from, inTest }: Guard): boolean {
  const { lines } = version;
  const near = lines.slice(Math.max(0, condition - 3, from), index + 1);
  const text = near.map(({ code }) => code).join(' ');
  if (/\b(?:fail|assert\w*|expect|throw|raise|panic|Error|Errorf|Fatal|Fatalf|[sS]kip)\b/.test(text))
    return false;
  const asked = lines[condition]?.code ?? '';
  if (/\bCI\b|\benv\b|ENV|platform|os\.|GOOS|win32|\bfalse\b|\btrue\b/.test(asked)) return true;
  return inTest && isOwnStep(lines, condition, from) && !isStatedBefore(version, { condition, from });
}

/** Nothing but loops is around it, and no function that a test hands to others. */
function isOwnStep(lines: readonly SourceLine[], condition: number, from: number): boolean {
  let level = lines[condition]?.indent ?? 0;
  for (let at = condition - 1; at >= from; at--) {
    const above = lines[at];
    if (above === undefined || above.blank || above.indent >= level) continue;
    if (!/^\s*(?:for|with|try|async with|using)\b|\.(?:forEach|each)\b|\.Run\(/.test(above.code))
      return false;
    level = above.indent;
  }
  return true;
}

function isStatedBefore(
  { lines, assertions }: Version,
  { condition, from }: { readonly condition: number; readonly from: number },
): boolean {
  const asked = new Set(lines[condition]?.code.match(/[A-Za-z_]\w*/g));
  return between(assertions, from, condition).some(({ subject }) =>
    asked.has(/[A-Za-z_]\w*/.exec(subject)?.[0] ?? ''),
  );
}

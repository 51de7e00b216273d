import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import { type FileReading, inTest, testAround } from './reading.ts';

/** How property tests name what makes their inputs: Hypothesis, fast-check, rapid, Kotest, ScalaCheck. */
const generator = /\b(?:st|strategies|fc|rapid|Arb|Gen|gen|Generators)\.(\w+)\s*\(([^()]*)/g;
const direct = /@given\(\s*(text|integers|floats|lists|binary|dictionaries)\(([^()]*)/g;

/** Inputs that are sorted out before the test sees them. */
const sortedOut = /(?<!\w)assume\(|\bfc\.pre\(|\.filter\(|\bprop_assume!\(|\bdiscard\b/;

/** Property tests that are given fewer kinds of inputs than before. */
export function narrowedInputs(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings
    .filter(({ role, file }) => role === 'test' && file.status !== 'added')
    .flatMap((reading) => [...boundedGenerators(reading), ...refusedInputs(reading)]);
}

interface Made {
  readonly index: number;
  readonly name: string;
  readonly given: string;
}

function madeIn({ lines }: FileReading['old']): readonly Made[] {
  return lines.flatMap((line, index) => {
    if (!line.changed || line.blank) return [];
    const text = line.text.slice(0, 500);
    return [...text.matchAll(generator), ...text.matchAll(direct)].map(([, name = '', given = '']) => ({
      index,
      name,
      given: given.trim(),
    }));
  });
}

/** `st.text()` is `st.text(max_size=8)` now: what could be anything has bounds. */
function boundedGenerators(reading: FileReading): readonly WeakenedTest[] {
  const [before, after] = [madeIn(reading.old), madeIn(reading.new)];
  const isFree = ({ given }: Made) => given === '';
  return [...new Set(before.filter(isFree).map(({ name }) => name))].flatMap((name) => {
    const free = (made: readonly Made[]) => made.filter((each) => each.name === name && isFree(each)).length;
    const bounds = (made: readonly Made[]) =>
      made.filter((each) => each.name === name && bounding.test(each.given));
    const found = bounds(after)[0];
    if (found === undefined || free(before) <= free(after) || bounds(before).length >= bounds(after).length)
      return [];
    return [finding(reading, found.index, 'makes fewer kinds of inputs')];
  });
}

const bounding = anyOf([
  String.raw`\b(?:alphabet|max_\w+|min_\w+|characters|allow_nan|allow_infinity|whitelist\w*|blacklist\w*)\s*[=:]`,
  String.raw`\b(?:maxLength|minLength|max|min|noNaN|unit)\s*[=:]`,
  String.raw`^-?\d|^string\.|^["']`,
]);

function refusedInputs(reading: FileReading): readonly WeakenedTest[] {
  const { old, new: version } = reading;
  const counts = (lines: typeof old.lines) =>
    lines.filter(({ changed, blank, code }) => changed && !blank && isInput(code)).length;
  const index = version.lines.findIndex(
    ({ changed, blank, code }, at) =>
      changed && !blank && isInput(code) && testAround(version, at)?.changed !== true,
  );
  if (index < 0 || counts(version.lines) <= counts(old.lines)) return [];
  return [finding(reading, index, 'leaves inputs out')];
}

function isInput(code: string): boolean {
  if (!sortedOut.test(code)) return false;
  return !/\.filter\(/.test(code) || /\b(?:st|strategies|fc|rapid|Arb|Gen)\./.test(code);
}

function finding({ path, new: version }: FileReading, index: number, says: string): WeakenedTest {
  const line = version.lines[index];
  const evidence = `${says}: \`${line?.text.trim().slice(0, 120)}\`${inTest(version, index)}`;
  return { path, line: line?.number ?? 0, side: 'new', what: 'narrowed-selection', evidence };
}

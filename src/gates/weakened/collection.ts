import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import { normalized } from './source-line.ts';

/** Tests that Python's runners no longer collect, although they are still written down. */
export function uncollectedTests(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings
    .filter(({ language, path }) => language.family === 'python' || /\.(?:md|rst)$/.test(path))
    .flatMap((reading) => [
      ...skippedExamples(reading),
      ...dropped(reading),
      ...unnamed(reading),
      ...marked(reading),
    ]);
}

/** `>>> total(1)  # doctest: +SKIP` where the example ran before. */
function skippedExamples({ path, hunks }: FileReading): readonly WeakenedTest[] {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const removed = lines.filter(({ kind }) => kind === 'removed').map(({ text }) => text);
  const before = new Set(removed.filter((text) => !skips.test(text)).map(exampleOf));
  return lines.flatMap(({ kind, text, new: line }) => {
    if (kind !== 'added' || !skips.test(text) || !before.has(exampleOf(text))) return [];
    const evidence = `skipped: \`${text.trim().slice(0, 120)}\``;
    return [{ path, line, side: 'new' as const, what: 'skipped' as const, evidence }];
  });
}

const skips = /#\s*doctest:.*\+SKIP\b/;

function exampleOf(text: string): string {
  return normalized(text.replace(/#\s*doctest:.*$/, ''));
}

/** A hook that takes tests out of those that were found. */
function dropped({ path, new: { lines }, old }: FileReading): readonly WeakenedTest[] {
  if (!/(?:^|\/)conftest\.py$/.test(path) || old.lines.some(({ text }) => deselecting.test(text))) return [];
  const line = lines.find(({ changed, blank, code }) => changed && !blank && deselecting.test(code));
  if (line === undefined) return [];
  const evidence = `takes tests out of those that run: \`${line.text.trim().slice(0, 120)}\``;
  return [{ path, line: line.number, side: 'new', what: 'narrowed-selection', evidence }];
}

const deselecting = anyOf([
  String.raw`^\s*items\[:\]\s*=(?!\s*(?:sorted|list\(reversed)\()|\bitems\.(?:remove|pop|clear)\(|\bdel\s+items\b`,
  String.raw`\bpytest_deselected\(`,
  String.raw`\bdef\s+pytest_ignore_collect\b`,
  String.raw`\.add_marker\(\s*(?:\w+\.)*(?:skip|xfail)\b`,
]);

/** A class of tests under a name that pytest does not collect, or with a constructor of its own. */
function unnamed({ path, role, new: { lines }, old }: FileReading): readonly WeakenedTest[] {
  if (role !== 'test') return [];
  const before = old.lines.filter(({ changed, code }) => changed && collected.test(code)).length;
  const after = lines.filter(({ changed, code }) => changed && collected.test(code)).length;
  const line = lines.find(({ changed, code }) => changed && uncollected.test(code));
  if (line === undefined || before <= after) return [];
  const evidence = `pytest does not collect \`${line.text.trim().slice(0, 120)}\``;
  return [{ path, line: line.number, side: 'new', what: 'skipped', evidence }];
}

const collected = /^class\s+Test\w*/;
const uncollected =
  /^class\s+(?!Test)\w*(?:[tT]ests?|[cC]hecks?|[sS]pec|Suite|Cases?)\w*\s*(?:\((?!.*Test)[^)]*\))?\s*:/;

/** A mark under a name of its own that an old test is given: `slow = pytest.mark.skipif(…)` and `@slow`. */
function marked({ path, role, new: version, old }: FileReading): readonly WeakenedTest[] {
  if (role !== 'test') return [];
  const { lines, blocks } = version;
  const named = lines.flatMap((line) => (line.changed ? [namedMark.exec(line.code)?.[1] ?? ''] : []));
  const names = new Set(named.filter((name) => name !== ''));
  if (names.size === 0) return [];
  const known = new Set(old.blocks.map(({ name }) => name));
  return lines.flatMap((line, index) => {
    const used = line.changed ? /^\s*@(\w+)\s*$/.exec(line.code)?.[1] : undefined;
    const block = blocks.find(({ start, head }) => start <= index && index < head);
    if (used === undefined || !names.has(used) || block === undefined || !known.has(block.name)) return [];
    const evidence = `skipped by \`@${used}\` in "${block.name.slice(0, 80)}"`;
    return [{ path, line: line.number, side: 'new' as const, what: 'skipped' as const, evidence }];
  });
}

const namedMark =
  /^(\w+)\s*=\s*(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip|skipIf|skipUnless))\b/;

import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';

/** Node's assertions under the name with which `equal` compares strictly. */
const strict = anyOf([
  '["\'](?:node:)?assert/strict["\']',
  String.raw`["'](?:node:)?assert["']\)\.strict\b`,
  String.raw`\bstrict(?:\s+as\s+\w+|\s*:\s*\w+)?\s*\}.*["'](?:node:)?assert["']`,
]);
const loose = /["'](?:node:)?assert["']\)?\s*;?\s*$/;

/** Files of tests whose `equal` now takes `1` for `'1'`, because of where it is imported from. */
export function loosenedImports(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings.flatMap(({ path, role, language, old, new: next }): readonly WeakenedTest[] => {
    if (role !== 'test' || language.family !== 'script') return [];
    const was = old.lines.find(({ changed, text }) => changed && strict.test(text));
    const now = next.lines.find(({ changed, text }) => changed && loose.test(text) && !strict.test(text));
    if (was === undefined || now === undefined || next.lines.some(({ text }) => strict.test(text))) return [];
    const comparesLoosely = next.lines.some(({ code }) => /\.(?:not)?(?:deep)?equal\(/i.test(code));
    if (!comparesLoosely && next.lines.some(({ code }) => /\.(?:deepS|s)trictEqual\(/.test(code))) return [];
    const evidence = `compares loosely: \`${now.text.trim().slice(0, 120)}\` (was \`${was.text.trim().slice(0, 120)}\`)`;
    return [{ path, line: now.number, side: 'new', what: 'weaker-assertion', evidence }];
  });
}

import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import type { SourceLine } from './source-line.ts';

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
    const given = looseCalls(old.lines, next.lines);
    if (given !== undefined && !next.lines.some(({ text }) => strict.test(text))) {
      const evidence = `compares loosely: \`${given.text.trim().slice(0, 120)}\``;
      return [{ path, line: given.number, side: 'new', what: 'weaker-assertion', evidence }];
    }
    if (was === undefined || now === undefined || next.lines.some(({ text }) => strict.test(text))) return [];
    const comparesLoosely = next.lines.some(({ code }) => /\.(?:not)?(?:deep)?equal\(/i.test(code));
    if (!comparesLoosely && next.lines.some(({ code }) => /\.(?:deepS|s)trictEqual\(/.test(code))) return [];
    const evidence = `compares loosely: \`${now.text.trim().slice(0, 120)}\` (was \`${was.text.trim().slice(0, 120)}\`)`;
    return [{ path, line: now.number, side: 'new', what: 'weaker-assertion', evidence }];
  });
}

/** `assert.strictEqual` that is written `assert.equal` now, of what need not be the same type. */
function looseCalls(old: readonly SourceLine[], next: readonly SourceLine[]): SourceLine | undefined {
  const plain = (text: string) =>
    text
      .replace(/assert\.(?:strictEqual|deepStrictEqual)/, 'assert.')
      .replace(/assert\.(?:deepE|e)qual/, 'assert.');
  const calls = /\bassert\.(?:strictEqual|deepStrictEqual)\(/;
  const before = new Set(
    old.filter(({ changed, code }) => changed && calls.test(code)).map(({ text }) => plain(text).trim()),
  );
  return next.find(
    ({ changed, code, text }) =>
      changed && /\bassert\.(?:deepE|e)qual\(/.test(code) && before.has(plain(text).trim()),
  );
}

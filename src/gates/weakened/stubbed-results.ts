import { anyOf } from '../../text/pattern/any-of.ts';
import { isEmpty } from './assertion.ts';
import type { WeakenedTest } from './finding.ts';
import { type FileReading, inTest } from './reading.ts';

const stubbing = anyOf([
  String.raw`\b(?:\w+\.)?(?:[sS]tub|[fF]ake|[dD]ummy|[cC]anned)\w*\s*\{\s*\S`,
  String.raw`\b(?:thenReturn|thenAnswer|doReturn|willReturn\w*|and_return|andReturn|mock(?:Return|Resolved)Value\w*)\s*\(`,
  String.raw`\b(?:return_value|side_effect)\s*=|\.[rR]eturns(?:Async)?\(|\breturns\s|\.Return\(|\bevery\s*\{.*\}\s*returns\b`,
]);

/** Tests that assert what a stub now hands them, although they got it from the real code before. */
export function stubbedResults(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings.flatMap((reading) => {
    const { path, role, file, old, new: next } = reading;
    if (role !== 'test' || file.status === 'added') return [];
    if (old.lines.some(({ code }) => stubbing.test(code))) return [];
    const before = new Set(old.assertions.map(({ expected }) => expected));
    const expected = next.assertions.filter((each) => before.has(each.expected) && !isEmpty(each));
    return next.lines.flatMap((line, index) => {
      if (!line.changed || line.blank || !stubbing.test(line.code)) return [];
      const handed = new Set(telling(line.text));
      const isStated = expected.some((each) => {
        const values = telling(each.expected);
        return values.length > 0 && values.every((value) => handed.has(value));
      });
      if (!isStated) return [];
      const shown = line.text.trim().slice(0, 120);
      const evidence = `a stub hands the test what it asserts: \`${shown}\`${inTest(next, index)}`;
      return [{ path, line: line.number, side: 'new' as const, what: 'mocked-subject' as const, evidence }];
    });
  });
}

/** Literals that are hardly the same by chance. */
function telling(text: string): readonly string[] {
  const found = text.match(/"[^"]{2,200}"|'[^']{2,200}'|(?<![\w.])\d[\d_.]{2,}/g) ?? [];
  return found.map((each) => each.replace(/['"_]/g, ''));
}

import { expect, test } from 'vitest';
import { readTests } from '../../src/gates/index.ts';
import type { FileDiff } from '../../src/steering/shapes/attempt-result.ts';
import { expectInProportion } from '../setup/in-proportion.ts';
import { caseFiles, casesIn, diffsOf } from './weakened/cases.ts';

const files = [...diffsOf(caseFiles.flatMap(casesIn), 3).values()].flat();

test('a diff may be cut anywhere, mixed up, or of another file', () => {
  const random = seeded(7);
  const changes = [cut, doubled, noise, carriageReturns, withoutHeader];
  for (const [index, file] of files.entries()) {
    const change = changes[index % changes.length] ?? cut;
    const diff = change(file.diff ?? '', random);
    const path = index % 3 === 0 ? otherPath(random) : file.path;
    expect(Array.isArray(readTests([{ ...file, path, diff }]).findings)).toBe(true);
  }
});

test.each([
  '',
  '@@',
  '@@ -1 +1 @@',
  '@@ -9999999999,9 +1 @@\n+a',
  '\u0000\ufffd\n+\ufffd',
  '... (truncated)',
])('nothing is found in %j', (diff) => {
  const file = { path: 'test/a.test.ts', status: 'modified', additions: 1, deletions: 1 } as const;
  expect(readTests([{ ...file, diff }]).findings).toEqual([]);
});

test('line endings of another kind are no change of a test', () => {
  const diff =
    '@@ -1,3 +1,3 @@\n-it("a", () => {\n-  expect(a).toBe(1);\n-});\n+it("a", () => {\r\n+  expect(a).toBe(1);\r\n+});\r\n';
  expect(
    readTests([{ path: 'a.test.ts', status: 'modified', additions: 3, deletions: 3, diff }]).findings,
  ).toEqual([]);
});

const repeated: readonly (readonly [path: string, line: string])[] = [
  ['a.test.ts', "-it('a', () => {"],
  ['a.test.ts', '+  expect(((((((((((((((((((('],
  ['a.test.ts', "-  expect(a).toBe('"],
  ['a.test.ts', '-  expect(a.b).toEqual({ a: 1, b: [2, 3] });'],
  ['a.test.ts', '+  } catch (error) {'],
  ['test_a.py', '-    assert a == 1 and b == 2'],
  ['test_a.py', '+"""'],
  ['test_a.py', '-        (1, 2, 3),'],
  ['a_test.go', '-\tif got := f(1); got != 2 {'],
  ['a_test.go', '+\t\tt.Errorf("a")'],
  ['ATest.java', '-    @Test'],
  ['a_spec.rb', '-  it "a" do'],
  ['src/a.rs', '-    #[test]'],
  ['.github/workflows/a.yml', '-      - run: npm test'],
  ['.github/workflows/a.yml', '+        continue-on-error: true'],
  ['jest.config.js', "+      'a.test.ts',"],
  ['package.json', '+    "test": "jest || true",'],
  ['src/a.ts', '-export function a(b: string) {'],
];

test.each(repeated)('%s: twice as many lines %j are twice the work', (path, line) => {
  const small = work(path, [line], 500);
  const large = work(path, [line], 1_000);
  // Anything that compares each line with each other one quadruples.
  expect(large / small).toBeLessThan(2.5);
});

test('twice as many tests that stay are twice the work', () => {
  const stays = [" it('a', () => {", '+  expect(a).toBe(1);', '+  } catch (error) {', ' });'];
  expect(work('a.test.ts', stays, 4_000) / work('a.test.ts', stays, 2_000)).toBeLessThan(2.5);
});

/** What a line was and what it is, so that each old one may be compared with each new one. */
const rewritten: readonly (readonly [
  path: string,
  was: (at: number) => string,
  is: (at: number) => string,
])[] = [
  ['a.test.js', (at) => `expect(a${at}).toBe(1);`, (at) => `expect(a${at}).toBe(2);`],
  [
    'a.test.js',
    (at) => `test('a ${at}', () => { expect(f(${at})).toBe(${at}); });`,
    (at) => `test('b ${at}', () => { expect(f(${at})).toBe(${at}); });`,
  ],
  [
    'test_a.py',
    (at) => (at % 2 ? `    assert f(${at}) == 1` : `def test_a${at}():`),
    (at) => (at % 2 ? `    assert f(${at}) == 2` : `def check_a${at}():`),
  ],
  ['ATest.java', (at) => `@Test void a${at}() { assertEquals(1, f(${at})); }`, (at) => `void b${at}() { }`],
  ['a.test.js', (at) => `test('a ${at}', () => {`, (at) => `test.skip('a ${at}', () => {`],
  ['a.test.js', (at) => `  expect(f(${at})).toBe(1);`, (at) => `  vi.spyOn(a, 'foo${at}');`],
  [
    '.github/workflows/a.yml',
    (at) => `- run: npm test a${at} --strict${at}`,
    (at) => `- run: npm test a${at} || true`,
  ],
  ['jest.config.js', (at) => `  branches: ${at},`, (at) => `  lines: 1, retries: ${at}`],
];

test.each(rewritten)('many rewritten lines of %s are read in proportion to their number', (path, was, is) => {
  expectInProportion((count) => readTests([change(path, count, was, is)]), { from: 500, largest: 16_000 });
});

function change(
  path: string,
  count: number,
  was: (at: number) => string,
  is: (at: number) => string,
): FileDiff {
  const lines = (sign: string, line: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => `${sign}${line(at)}\n`).join('');
  const diff = `@@ -1,${count} +1,${count} @@\n${lines('-', was)}${lines('+', is)}`;
  return { path, status: 'modified', additions: count, deletions: count, diff };
}

/**
 * How many characters regular expressions went over, and how many items of lists were looked at: steps, which
 * no busy machine changes.
 */
function work(path: string, pattern: readonly string[], lines: number): number {
  const { exec } = RegExp.prototype;
  const { find, some } = Array.prototype;
  let steps = 0;
  const counting =
    (judge: (...given: unknown[]) => unknown) =>
    (...given: unknown[]) => {
      steps++;
      return judge(...given);
    };
  Array.prototype.find = function counted(judge: never) {
    return find.call(this, counting(judge));
  };
  Array.prototype.some = function counted(judge: never) {
    return some.call(this, counting(judge));
  };
  RegExp.prototype.exec = function counted(text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    const end = found === null ? String(text).length : found.index + found[0].length;
    steps += Math.max(0, end - from) + 1;
    return found;
  };
  try {
    const diff = `@@ -1,${lines} +1,${lines} @@\n${`${pattern.join('\n')}\n`.repeat(lines / pattern.length)}`;
    const file: FileDiff = { path, status: 'modified', additions: lines, deletions: lines, diff };
    readTests([file]);
  } finally {
    Object.assign(RegExp.prototype, { exec });
    Object.assign(Array.prototype, { find, some });
  }
  return steps;
}

function cut(diff: string, random: () => number): string {
  return diff.slice(0, Math.floor(random() * diff.length));
}

function doubled(diff: string): string {
  return diff + diff;
}

function noise(diff: string, random: () => number): string {
  const signs = '(){}[]"\'`/\\#*+-@ \t\n\ufffd';
  return diff.replace(/./g, (sign) =>
    random() < 0.05 ? signs.charAt(Math.floor(random() * signs.length)) : sign,
  );
}

function carriageReturns(diff: string): string {
  return diff.replaceAll('\n', '\r\n');
}

function withoutHeader(diff: string): string {
  return diff.replace(/^@@.*\n/gm, '');
}

const paths = [
  'test_a.py',
  'a_test.go',
  'ATest.kt',
  'a_spec.rb',
  'src/a.rs',
  'ci.yml',
  'pom.xml',
  'a.snap',
  'Makefile',
  'a',
];

function otherPath(random: () => number): string {
  return paths[Math.floor(random() * paths.length)] ?? 'a';
}

/** The same numbers each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

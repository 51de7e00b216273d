import { anyOf } from '../../text/pattern/any-of.ts';

/** How frameworks declare a test with a name in quotes. */
const called = new RegExp(
  String.raw`^\s*(?:[\w.]+\s*=\s*)?(?:@|\bf|\bx|p)?(?:it|test|specify|example|scenario|feature|should|Test|It|Specify|(?:t|b|s)\.Run|QUnit\.test|Deno\.test|testset|testWidgets|describe|context|suite|Describe|Context|Entry|TEST_CASE|SECTION)` +
    String.raw`(?:\.\w+(?:\([^()]*\))?)*\s*[ (]\s*(?:t,\s*)?(["'\x60])(.{1,200}?)\1`,
);
/** A Kotest or a Bats test is declared by its name alone, and rows of `each` come before the name. */
const headed = /^\s*(?:\}?\)?\)?\(|\]\)\()?(["'`])(.{1,200}?)\1\s*(?:,\s*(?:async\s*)?(?:\(|function)|\{$)/;
const byName = anyOf([
  String.raw`^\s*(?:(?:public|protected|private|internal|static|async|override|suspend|pub|final)\s+)*(?:def|func|fn|fun|function|void|Task)\s+(?:self\.)?(?:\(\w+ \*?\w+\)\s*)?(test\w*|Test\w*|Benchmark\w*|Fuzz\w*|Example\w*|it_\w+)\s*[({<:]?`,
]);
const marks = anyOf([
  String.raw`^\s*(?:@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property|Theory)\b|#\[(?:\w+::)*(?:test|rstest|test_case|bench)\b|#\[Test\]|\[(?:\w+, *)*(?:Fact|Theory|Test|TestCase|TestMethod|SkippableFact|Property)\b)`,
]);
const marked =
  /(?:\b(?:fn|fun|func|function|void|def|Task(?:<\w+>)?)\s+|^\s*(?:public|private|internal)\s+\w+\s+)`?([A-Za-z_][^`(]*?)`?\s*[(<=]/;
const groups = /^\s*(?:\bf|\bx)?(?:describe|context|suite|feature|Describe|Context)\b/;

/** The name of the test that a line declares by itself; empty if it declares none. */
export function testNameIn(text: string): string {
  const [, , name] = called.exec(text) ?? headed.exec(text) ?? [];
  if (name !== undefined) return groups.test(text) ? '' : name;
  return byName.exec(text)?.[1] ?? '';
}

/** Tells for each line of a hunk which test it is in. */
export class TestNames {
  private test: string;
  /** Lines since an annotation that says that the next function is a test. */
  private sinceMark = Number.POSITIVE_INFINITY;

  constructor(first: string) {
    this.test = first;
  }

  read(text: string, code: string): { readonly test: string; readonly declares: boolean } {
    if (code.trim() !== '') this.sinceMark++;
    const isMarked = marks.test(code);
    if (isMarked) this.sinceMark = 0;
    const name = testNameIn(text) || (this.sinceMark <= 6 ? (marked.exec(text)?.[1] ?? '') : '');
    if (name !== '') this.sinceMark = Number.POSITIVE_INFINITY;
    if (name !== '' || isMarked || groups.test(text)) this.test = name;
    return { test: this.test, declares: name !== '' };
  }
}

import type { Family } from './languages.ts';
import type { SourceLine } from './source-line.ts';

/** How a language opens a test or a group of tests. */
export interface Declaration {
  readonly name: string;
  readonly group: boolean;
}

interface Form {
  /** Matches the line's code without strings. */
  readonly pattern: RegExp;
  readonly group?: true;
  /** The name is the first string of this line or the next; otherwise the pattern's first group. */
  readonly named?: true;
  /** Something above must say that it is a test. */
  readonly marked?: RegExp;
}

const scriptCall = String.raw`(?:\.\w+(?:\([^()]{0,200}\))?)*\s*(?:<[^>]{0,80}>\s*)?[(\x60]`;
const annotated = /@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property|TestTemplate)\b/;
const identifier = String.raw`([\w$]+)`;

const forms: Readonly<Partial<Record<Family, readonly Form[]>>> = {
  script: [
    {
      pattern: new RegExp(
        String.raw`^\s*(?:await\s+)?(?:[xf]?(?:it|specify)|x?test|bench|Deno\.test|QUnit\.test|t\.test|QUnit\.skip)\b${scriptCall}`,
      ),
      named: true,
    },
    {
      pattern: new RegExp(String.raw`^\s*[xf]?(?:describe|context|suite)\b${scriptCall}`),
      named: true,
      group: true,
    },
    { pattern: /^\s*test\.describe(?:\.\w+)*\s*\(/, named: true, group: true },
  ],
  python: [
    { pattern: /^\s*(?:async\s+)?def\s+(test\w*)\s*\(/ },
    { pattern: /^\s*class\s+(Test\w*|\w+Tests?|\w+TestCase)\b/, group: true },
  ],
  go: [
    { pattern: /^func\s+(?:\(\w+\s+\*?\w+\)\s*)?((?:Test|Fuzz|Example)\w*)\s*\(/ },
    { pattern: /^\s*\w{1,4}\.Run\(\s*"/, named: true },
    { pattern: /^\s*(?:It|Specify|Entry)\(\s*"/, named: true },
    { pattern: /^\s*(?:Describe|Context|When|DescribeTable)\(\s*"/, named: true, group: true },
  ],
  jvm: [
    {
      pattern: new RegExp(String.raw`^\s*(?:[\w<>,.?[\]]+\s+)*?void\s+${identifier}\s*\(`),
      marked: annotated,
    },
    { pattern: /^\s*public\s+void\s+(test\w*)\s*\(/ },
    {
      pattern: /^\s*(?:(?:internal|private|public|suspend|override|open)\s+)*fun\s+(\w+|`[^`]{0,200}`)\s*\(/,
      marked: annotated,
    },
    { pattern: /^\s*x?(?:test|it|should|expect|scenario)\s*\(\s*"/, named: true },
    { pattern: /^\s*(?:describe|context|feature|given)\s*\(\s*"/, named: true, group: true },
    { pattern: /^\s*"[^"]*"(?:\.config\([^)]*\))?\s*(?:should\s*)?\{\s*$/, named: true },
    { pattern: /^\s*(?:public\s+)?class\s+(\w*Test\w*)\b/, group: true },
  ],
  ruby: [
    { pattern: /^\s*[xf]?(?:it|specify|scenario|example)\b[\s(]*(?:"|'|do\b|\{)/, named: true },
    { pattern: /^\s*test\s*[\s(]["']/, named: true },
    { pattern: /^\s*def\s+(test_\w+[?!]?)/ },
    { pattern: /^\s*(?:RSpec\.)?[xf]?(?:describe|context|feature)\b/, named: true, group: true },
  ],
  rust: [
    {
      pattern: /^\s*(?:pub\s+)?(?:async\s+)?fn\s+(\$?\w+)/,
      marked: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b/,
    },
    { pattern: /^\s*(?:pub\s+)?mod\s+(tests?|\w+_tests?)\s*\{/, group: true },
  ],
  csharp: [
    {
      pattern: /^\s*(?:public|internal)\s+(?:async\s+)?[\w<>]+\s+(\w+)\s*\(/,
      marked: /\[(?:\w+,\s*)*(?:Test|TestCase|Fact|Theory|TestMethod|DataTestMethod)\b/,
    },
    { pattern: /^\s*public\s+(?:sealed\s+)?class\s+(\w*Tests?)\b/, group: true },
  ],
  php: [
    { pattern: /^\s*(?:public\s+)?function\s+(test\w*)\s*\(/ },
    { pattern: /^\s*public\s+function\s+(\w+)\s*\(/, marked: /#\[Test\]|@test\b/ },
    { pattern: /^\s*(?:it|test)\(\s*['"]/, named: true },
    { pattern: /^\s*describe\(\s*['"]/, named: true, group: true },
  ],
  swift: [
    { pattern: /^\s*(?:@MainActor\s+)?(?:public\s+|internal\s+)?func\s+(test\w*)\s*\(/ },
    { pattern: /^\s*(?:@Test\b.*\s)?func\s+(\w+|`[^`]{0,200}`)\s*\(/, marked: /@Test\b/ },
    { pattern: /^\s*(?:final\s+)?class\s+(\w*Tests?)\b/, group: true },
  ],
  elixir: [
    { pattern: /^\s*test\s+"/, named: true },
    { pattern: /^\s*describe\s+"/, named: true, group: true },
  ],
  cpp: [
    { pattern: /^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*(\w+\s*,\s*\w+)/ },
    { pattern: /^\s*(?:TEST_CASE|SECTION|test|testWidgets)\s*\(\s*["']/, named: true },
    { pattern: /^\s*group\s*\(\s*["']/, named: true, group: true },
  ],
  shell: [
    { pattern: /^\s*@test\s+["']/, named: true },
    { pattern: /^\s*(?:function\s+)?(test_?\w+)\s*\(\)/ },
  ],
};

/** The test that a line declares. `marks` is what stands above it: annotations, attributes, decorators. */
export function declarationAt(
  lines: readonly SourceLine[],
  index: number,
  context: { readonly family: Family; readonly marks: string },
): Declaration | undefined {
  const line = lines[index];
  if (line === undefined || line.blank) return undefined;
  for (const { pattern, group, named, marked } of forms[context.family] ?? []) {
    const code = line.code.slice(0, 400);
    const found = pattern.exec(code);
    if (found === null || (marked !== undefined && !marked.test(`${context.marks} ${code}`))) continue;
    const name = named === true ? firstString(lines, index) : found[1];
    return { name: (name ?? '').replaceAll('`', '').trim(), group: group ?? false };
  }
  return undefined;
}

/** The first string from this line on, behind a table if there is one; or the constant that is described. */
function firstString(lines: readonly SourceLine[], index: number): string {
  const first = lines[index]?.code ?? '';
  const hasTable = /\.each\s*[(`<]/.test(first);
  for (const line of lines.slice(index, index + (hasTable ? 60 : 3))) {
    const from = hasTable ? line.code.search(/[\])`]\s*\(\s*["'`]/) : -1;
    if (hasTable && from < 0) continue;
    const at = line.code.slice(from + 1).search(/["'`]/) + from + 1;
    if (at <= from) continue;
    const end = line.code.indexOf(line.code.charAt(at), at + 1);
    return line.text.slice(at + 1, end < 0 ? undefined : end);
  }
  return /\b(?:describe|context)\s*\(?\s*([\w:.]+)/.exec(first)?.[1] ?? '';
}

/** Whether a line belongs to what stands above a declaration: `@Test`, `#[test]`, `[Fact]`. */
export function isMark(line: SourceLine, family: Family): boolean {
  const start = line.code.trimStart();
  if (family === 'rust') return start.startsWith('#[');
  if (family === 'csharp') return start.startsWith('[') && /\]\s*$/.test(line.code);
  if (family === 'php') return start.startsWith('#[') || line.comment.includes('@test');
  if (family === 'elixir') return /^@(?:tag|moduletag|describetag)\b/.test(start);
  return start.startsWith('@') && ['python', 'jvm', 'swift', 'script'].includes(family);
}

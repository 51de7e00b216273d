import type { TestReport } from '../../steering/shapes/attempt-result.ts';
import { anyOf } from '../../text/pattern/any-of.ts';
import { visible } from '../../text/visible.ts';

/** What is counted under which words. A line with a word that is not here cannot be added up. */
const words = {
  total: anyOf(['^(?:total(?: tests)?|tests?(?: run| completed)?|examples?|specs?|runs)$']),
  passed: anyOf(['^(?:(?:tests? )?pass(?:ed|ing)?|succeeded|xpassed|flaky|expected fail)$']),
  failed: anyOf([
    '^(?:(?:tests? )?fail(?:ed|ing|ures?)?|errors?|cancelled|timed out|interrupted)$',
    '^(?:unexpected successes|xpass)$',
  ]),
  skipped: anyOf([
    '^(?:(?:tests? )?skip(?:ped|s)?|pendings?(?: specs?)?|ignored|(?:tests? )?todo|excluded)$',
    '^(?:incomplete|omissions|did not run|xfail(?:ed)?|expected failures|canceled)$',
  ]),
  nothing: anyOf([
    '^(?:assertions?|warnings?|measured|filtered out|deselected|rerun|subtests passed|notifications)$',
    '^(?:risky|flakes|(?:phpunit )?(?:deprecations|notices|warnings))$',
  ]),
};

/** Lines that say all counts of a runner. What they capture lists the counts. */
const alone = [
  // pytest, gotestsum
  /(?:=+ )?(\d+ (?:passed|failed|skipped|xfailed|xpassed)\b.*) in [\d.]+s(?: \([\d:]+\))?(?: =+)?/,
  /DONE (\d+ tests?(?:, \d+ (?:skipped|failures?))*) in [\d.]+s/,
  // Jest, Vitest, Pest, ScalaTest; PHPUnit
  /Tests:? +(\d+ .+?|succeeded .+)(?: \(\d+ assertions?\))?/,
  /(Tests: \d+, Assertions: .+)\./,
  /OK \((\d+ tests?, \d+ assertions?)\)/,
  // RSpec, Minitest, Bats, ExUnit, Jasmine; unittest
  /(\d+ (?:tests?|examples?|specs?|runs), (?:\d+ assertions, )?\d+ failures?(?:, .+)?)/,
  /Ran (\d+ tests?) in [\d.]+s (?:OK|FAILED)(?: \((.+)\))?/,
  // Cargo, cargo-nextest
  /test result: \w+\. (.+?)(?:; finished in .+)?/,
  /Summary \[.+\] \S+ tests? run: (.+)/,
  // Maven, whose lines about single classes say more; Gradle
  /(Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+(?:, Flakes: \d+)?)/,
  /(\d+ tests? completed, .+)/,
  // .NET
  /(?:Passed|Failed|Skipped)! +- (.+), Duration: .+/,
  /Test summary: (.+), duration: .+/,
  // CTest, Deno, Ginkgo
  /\d+% tests passed, (.+)/,
  /(?:ok|FAILED) \| (.+) \([\dms.]+\)/,
  /(?:FAIL|SUCCESS)! -- (.+)/,
].map(whole);

/** Lines that say one count each, with the one that their runner never leaves out. */
const together: readonly (readonly ['total' | 'passed', RegExp])[] = [
  // node:test, tape, QUnit; Automake
  ['passed', whole(/[#ℹ] ((?:tests|pass|fail|cancelled|skipped|skip|todo) +\d+)/)],
  ['total', whole(/# ((?:TOTAL|PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): +\d+)/)],
  // Mocha; Bun; AVA
  ['passed', whole(/(\d+ (?:passing(?= \()|pending|failing))(?: \(.+\))?/)],
  ['passed', whole(/(\d+ (?:pass|fail|skip|todo))/)],
  ['passed', whole(/(\d+ tests? (?:passed|failed|skipped|todo))/)],
  // Playwright, which says first how many there are; .NET
  [
    'total',
    whole(
      anyOf([
        String.raw`Running (\d+ tests?) using .+`,
        String.raw`(\d+ (?:passed|failed|flaky|skipped|interrupted|did not run))(?: \(.+\))?`,
      ]),
    ),
  ],
  ['total', whole(/((?:Total tests|total|Passed|succeeded|[Ff]ailed|[Ss]kipped): +\d+)/)],
];

/** A line of this shape, perhaps after what says of which package or how grave it is. */
function whole({ source }: RegExp): RegExp {
  const before = String.raw`\[[^\]]+\]:? +|[\w@./-]+ +\| +|[\w@./-]+(?:[: ][\w:.-]+)?: +`;
  return new RegExp(`^(?:${before}){0,2}(?:${source})$`);
}

const maxLine = 300;

/**
 * The tests that the closing lines of all the runners in an output tell of. Undefined if there are none, or
 * if one of them is not understood: people are told nothing rather than a number that is wrong.
 */
export function testsInClosingLines(output: string): TestReport | undefined {
  const lines = linesOf(output);
  const told = [
    ...alone.flatMap((shape) => listsIn(lines, shape).map((list) => countsIn(list))),
    ...together.map(([first, shape]) => countsIn(listsIn(lines, shape).join(', '), first)),
  ].filter((counts) => counts !== 'none');
  const all = { total: 0, failed: 0, skipped: 0 };
  for (const counts of told) {
    if (counts === 'unclear') return undefined;
    all.total += counts.total;
    all.failed += counts.failed;
    all.skipped += counts.skipped;
  }
  return told.length === 0 ? undefined : { from: 'closing_lines', ...all, failures: [] };
}

function linesOf(output: string): readonly string[] {
  const lines = visible(output)
    .split('\n')
    .filter((line) => line.length <= maxLine && /\d|\bOK$/.test(line))
    .map((line) => line.trim());
  // Python says how many there were in one line, and how they ended in the next.
  return lines
    .join('\n')
    .replace(/^(.*)(Ran \d+ tests? in \S+s)\n\1(?=OK|FAILED)/gm, '$1$2 ')
    .split('\n');
}

function listsIn(lines: readonly string[], shape: RegExp): readonly string[] {
  return lines.flatMap((line) => shape.exec(line)?.slice(1).filter(Boolean).join(', ') ?? []);
}

interface Counts {
  readonly total: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What a list counts, whose numbers must go together; `first` is what it must have. */
function countsIn(list: string, first?: 'total' | 'passed'): Counts | 'unclear' | 'none' {
  const found = new Map<string, number>();
  for (const item of itemsIn(list)) {
    const [, number = '0', word = ''] = /^(\d{1,9}) +(.+)$/.exec(item) ?? [];
    const [kind = 'unknown'] = Object.entries(words).find(([, each]) => each.test(word.toLowerCase())) ?? [];
    found.set(kind, (found.get(kind) ?? 0) + Number(number));
  }
  const count = (kind: keyof typeof words) => found.get(kind) ?? 0;
  const [failed, skipped] = [count('failed'), count('skipped')];
  const named = count('passed') + failed + skipped;
  const total = found.get('total') ?? named;
  const isOurs = first === undefined ? found.has('total') || named > 0 : found.has(first) && named > 0;
  if (!isOurs) return 'none';
  const isExact = first !== undefined || found.has('passed');
  if (found.has('unknown') || named > total || (isExact && named < total)) return 'unclear';
  return { total, failed, skipped };
}

/** `1 failed`, `total 12`, each with its number first. */
function itemsIn(list: string): readonly string[] {
  return list
    .replace(/ \((\d+)\)$/, ', total $1')
    .replace(' out of ', ', total ')
    .replace(/ \([^)]*\)/g, '')
    .split(/[,;|]/)
    .map((item) => item.trim().replace(/^(\D+?)[:=]? *(\d+)$/, '$2 $1'));
}

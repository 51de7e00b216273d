import type { TestFailure, TestReport } from '../../steering/shapes/attempt-result.ts';
import { shortened, visible } from '../../text/characters.ts';
import { redact } from '../../text/redact.ts';
import { anyOf } from '../../text/regexp.ts';
import { filesIn, findReports, openReport, type Search } from './find-reports.ts';
import { failureOf, NoReport, readJUnit, type TestCase, Unreadable } from './junit.ts';

/** The run of a verifier that has ended. */
export interface Ended extends Search {
  /** The path of the workspace, without links in it. */
  readonly workspace: string;
  /** The workspace as the verifier saw it. */
  readonly seenAs: string;
  readonly secrets: readonly string[];
  /** What it printed. */
  readonly output: string;
  /** Whether its exit code was 0. */
  readonly success: boolean;
}

const maxFailures = 100;

/**
 * What a verifier says of single tests: in the reports that it wrote, else in its closing lines. Undefined if
 * neither is understood. Everything in them was written by programs of the repository.
 */
export async function testsOf(ended: Ended): Promise<TestReport | undefined> {
  const { unread, ...tests } = await readReports(ended);
  const said = testsInClosingLines(ended.output);
  if (unread.length === 0 && tests.total === 0) return said;
  // Of several runners, or packages, some may have written no report, or one that was not read.
  const isMore = said !== undefined && said.total > tests.total && said.failed >= tests.failed;
  const counts = isMore ? said : tests;
  if (unread.length === 0) return { ...counts, failures: tests.failures };
  return { ...counts, failures: tests.failures, unread: unread.map((each) => shown(each, ended.secrets)) };
}

const maxUnread = 2000;
const maxPath = 300;

function shown(text: string, secrets: readonly string[]): string {
  return shortened(visible(redact(text, secrets)).replace(/\s+/g, ' '), maxUnread);
}

async function readReports(ended: Ended) {
  const { workspace, globs } = ended;
  const found = await findReports(workspace, ended);
  const isFile = filesIn(workspace);
  // Where not everything was searched, nobody knows.
  const isMissing = globs !== undefined && found.paths.length === 0 && found.unread.length === 0;
  const unread = [
    ...(isMissing ? [`${globs.join(', ')}: the command wrote no such file`] : []),
    ...found.unread,
  ];
  const failures: TestFailure[] = [];
  const counts = { total: 0, failed: 0, skipped: 0 };
  for (const report of found.paths) {
    let failed: readonly TestCase[] = [];
    const tries = new Map<string, number>();
    const onCase = (test: TestCase) => {
      const id = idOf(test);
      const before = tries.get(id) ?? 0;
      if (test.outcome === 'failed') tries.set(id, before + 1);
      // Gradle and gotestsum name each try of a test: what passed in the end has not failed.
      if (ended.success && test.outcome === 'passed' && before > 0) {
        tries.delete(id);
        counts.failed -= before;
        counts.total -= before;
        failed = failed.filter((each) => idOf(each) !== id);
      }
      counts.total += 1;
      if (test.outcome !== 'passed') counts[test.outcome] += 1;
      if (test.outcome === 'failed' && failures.length + failed.length < maxFailures)
        failed = [...failed, test];
    };
    const why = await readOne(ended, report, onCase);
    if (why instanceof NoReport ? globs !== undefined : why !== undefined)
      unread.push(`${shortened(report, maxPath)}: ${why?.message}`);
    for (const test of failed) failures.push(await failureOf(test, { ...ended, isFile, report }));
  }
  return { from: 'junit' as const, ...counts, failures, unread };
}

function idOf({ suites, classname, name }: TestCase): string {
  return JSON.stringify([suites, classname, name]);
}

/** Why it was not read, or not to its end. */
async function readOne(
  { workspace, since }: Ended,
  report: string,
  onCase: (test: TestCase) => void,
): Promise<Unreadable | undefined> {
  const file = await openReport(workspace, report, since);
  if (typeof file === 'string') return new Unreadable(file);
  try {
    await readJUnit(file, onCase);
  } catch (fault) {
    if (fault instanceof Unreadable) return fault;
    throw new Error(`could not read ${report}`, { cause: fault });
  }
  return undefined;
}

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

/** What a list counts, whose numbers must go together; `first` is what it must have. */
function countsIn(
  list: string,
  first?: 'total' | 'passed',
): { readonly total: number; readonly failed: number; readonly skipped: number } | 'unclear' | 'none' {
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

import { anyOf } from '../../text/pattern/any-of.ts';
import type { Change } from './change.ts';
import { changedLines } from './change.ts';
import { type Verification, verificationsIn } from './commands.ts';
import { inNew, inOld, type Judged } from './finding.ts';
import type { Line, Reading } from './lines.ts';

/** Commands that verify the work which are gone, leave something out, or succeed whatever they find. */
export function weakenedCommands({ readings }: Change): readonly Judged[] {
  const automation = readings.filter(
    ({ role, path }) => role === 'automation' || /\.(?:sh|bash)$/.test(path),
  );
  const old = automation.flatMap((each) => verificationsIn(each, each.old));
  const next = automation.flatMap((each) => verificationsIn(each, each.new));
  const removed = old.filter(({ line }) => line.changed);
  const added = next.filter(({ line }) => line.changed);
  const isPiped = automation.some(({ new: { lines } }) =>
    lines.some(({ text }) => /shell:\s*bash|pipefail|SHELL\s*:?=.*bash/.test(text)),
  );
  return [
    ...removed.flatMap((each) => gone(each, { next, added })),
    ...added.flatMap((each) => compared(each, { removed, added, isPiped })),
    ...automation.flatMap((each) => [...settings(each, removed), ...needs(each)]),
  ];
}

function gone(
  { verified, name, line, path }: Verification,
  { next, added }: { readonly next: readonly Verification[]; readonly added: readonly Verification[] },
): readonly Judged[] {
  const isThere = next.some((each) => each.name === name) || added.some((each) => each.verified === verified);
  return isThere ? [] : [inOld(path, line, ['forced-success', 'it is not run any more'])];
}

const forced = anyOf([
  String.raw`\|\|\s*(?:true\b|:|exit\s+0|echo\b|printf\b|\(?exit 0|/bin/true|return\s+0)|;\s*(?:true|:|exit\s+0)\s*["']?\s*$|--passWithNoTests|--pass-with-no-tests|\bset \+e\b|test\.failure\.ignore=true`,
]);
const narrowing = anyOf([
  String.raw`(?:^|[\s"'=])(?:-k[\s"']|--ignore(?:-glob)?\b|--deselect\b|-m\s+["']?not\b|--exclude\S*|--skip\S*|-short\b|--lib\b|--bins?\b|--onlyChanged\b|--changed\S*|--grep\b|--invert\b|--testPathIgnorePatterns\b|-D(?:skipTests|skipITs|maven\.test\.skip)\S*|-x\s+\w*[tT]est\w*|--filter\S*|--related\b|--findRelatedTests\b|--no-run\b|-tags\s*=?\s*unit|--tag\s+~|--onlyFailures|--retries\b|--reruns\b|--flake-attempts\S*|--test-?[nN]ame-?[pP]attern\b)`,
]);
const strictness = anyOf(
  [
    String.raw`(?:^|\s)(?:-race\b|--max-warnings\S*|--strict\S*|-Werror\b|--forbid-only\b|--fail-on\S*|--check-coverage\b|--cov-fail-under\S*|--workspace\b|--all-features\b|--doc\b|-W\s+error|--fail-fast-never)`,
  ],
  'g',
);

function compared(
  next: Verification,
  {
    removed,
    added,
    isPiped,
  }: {
    readonly removed: readonly Verification[];
    readonly added: readonly Verification[];
    readonly isPiped: boolean;
  },
): readonly Judged[] {
  const { line, path, text } = next;
  const before = removed.filter(({ verified }) => verified === next.verified);
  if (before.length === 0) return [];
  const isNew = (pattern: RegExp) =>
    pattern.test(line.text) && !before.some((each) => pattern.test(each.line.text));
  const isIgnored =
    /file|tox\.ini|\.mk/i.test(path) && isNew(/^\s*@?-\s*(?!run|script|name|uses|\w+:)(?=\S)/);
  if (isNew(forced) || isIgnored)
    return [inNew(path, line, ['forced-success', 'it succeeds whatever it finds'])];
  if (isNew(/\|\s*tee\b/) && !/pipefail/.test(text) && !isPiped)
    return [inNew(path, line, ['forced-success', 'only the status of tee counts'])];
  const others = added.filter((each) => each !== next && each.verified === next.verified);
  if (isNew(narrowing) && others.length < before.length)
    return [inNew(path, line, ['narrowed-selection', 'it leaves something out'])];
  const kept = added.map((each) => each.line.text).join(' ');
  const flags = before.flatMap((each) => each.line.text.match(strictness) ?? []).map((each) => each.trim());
  const lost = flags.find((flag) => !kept.includes(flag.split(/[= ]/)[0] ?? flag));
  return lost === undefined ? [] : [inNew(path, line, ['narrowed-selection', `it goes without ${lost}`])];
}

/** Settings of a step, a job or a build with which what fails does not count, or does not run. */
const harmless: readonly (readonly [RegExp, string])[] = [
  [
    anyOf(
      [
        String.raw`^\s*-?\s*(?:continue-on-error|continueOnError|allow_failure|allow-failure|ignore_failure|ignore_errors|soft_fail)\s*:\s*["']?(?:true|yes)\b`,
      ],
      'i',
    ),
    'its failure does not count',
  ],
  [
    anyOf([
      String.raw`^\s*-?\s*(?:if|condition)\s*:\s*(?:["']?(?:false|never)\b|\$\{\{\s*false\s*\}\})|^\s*-?\s*when\s*:\s*(?:never|manual)\b`,
    ]),
    'it does not run by itself',
  ],
  [
    anyOf([
      String.raw`\btestFailureIgnore>\s*true|\bfailIfNoTests>\s*false|\bisIgnoreFailures\s*=\s*true|\bignoreFailures(?:\.set\(|\s*=\s*)\s*true|haltonfailure="(?:false|no)"|<failOnError>\s*false|<(?:skipTests|skip|maven\.test\.skip|skipITs)>\s*true|\bonlyIf\s*\{\s*false|rerunFailingTestsCount>\s*[1-9]`,
    ]),
    'failing tests do not fail the build',
  ],
  [
    anyOf([
      String.raw`\bignore_outcome\s*=\s*true|\bsuccess_codes\s*=\s*[[(][^\])]*[1-9]|\bpassWithNoTests["']?\s*[:=]\s*true|\bcheck-?[cC]overage["']?\s*[:=]\s*false|\binformational\s*:\s*true|\bcatchError\b|returnStatus:\s*true|\bfailOn\w*="false"|doctest\s*=\s*false|\bforbidOnly\s*:\s*false|allow_failures`,
    ]),
    'what fails does not count',
  ],
];

function settings(reading: Reading, removed: readonly Verification[]): readonly Judged[] {
  const { path, old, new: next } = reading;
  const known = new Set(changedLines(old).map(({ text }) => text.trim()));
  return changedLines(next).flatMap((line) => {
    const says = harmless.find(([pattern]) => pattern.test(line.text))?.[1];
    if (says === undefined || known.has(line.text.trim()) || !concernsTests(reading, line, removed))
      return [];
    return [inNew(path, line, ['forced-success', says])];
  });
}

const verifying = /\b(?:tests?|lint|check|verify|spec|e2e|integration|unit|coverage|typecheck|types)\b/i;
const harmlessSteps = anyOf(
  [
    'upload|deploy|publish|notify|slack|codecov|comment|cache|artifact|release|sarif|label|bench|nightly|experimental|canary|early|preview|report|badge|scan|sonar',
  ],
  'i',
);

/** In YAML, whether the step or job verifies; one that is new as a whole takes nothing away. */
function concernsTests(reading: Reading, line: Line, removed: readonly Verification[]): boolean {
  if (!/\.ya?ml$/.test(reading.path)) return true;
  const block = blockAround(reading.new.lines, line).filter(
    (each) => each !== line && each.code.trim() !== '',
  );
  const commands = verificationsIn(reading, { ...reading.new, lines: block });
  if (
    block.every(({ changed }) => changed) &&
    !commands.some(({ name }) => removed.some((each) => each.name === name))
  )
    return false;
  const text = block.map((each) => each.text).join('\n');
  return (
    commands.length > 0 ||
    (!harmlessSteps.test(text) && verifying.test(text)) ||
    /informational|allow_failures/.test(line.text)
  );
}

/** The lines around one that belong to the same step or job by their indentation. */
function blockAround(lines: readonly Line[], line: Line): readonly Line[] {
  const isItem = /^\s*-\s/.test(line.text);
  const ends = (each: Line) =>
    each.hunk !== line.hunk || (each.text.trim() !== '' && each.indent < line.indent);
  const at = lines.indexOf(line);
  let start = at;
  while (!isItem && start > 0 && at - start < 60) {
    const above = lines[start - 1];
    if (above === undefined || above.hunk !== line.hunk) break;
    start--;
    if (ends(above)) break;
  }
  const below = lines.slice(at + 1, at + 60);
  const end = below.findIndex(
    (each) => ends(each) || (isItem && each.indent <= line.indent && each.text.trim() !== ''),
  );
  return lines.slice(start, end < 0 ? at + 60 : at + 1 + end);
}

const jobs = /^\s*(?:-\s*)?(?:needs|requires|depends_on|dependsOn|dependencies)\s*:\s*(.*)$/;

/** Jobs that a later one no longer waits for. */
function needs({ path, old, new: next }: Reading): readonly Judged[] {
  if (!/\.ya?ml$/.test(path)) return [];
  const named = (text: string) => text.match(/[\w-]+/g) ?? [];
  const waits = (lines: readonly Line[]) => {
    let level = -1;
    return lines.filter((line) => {
      if (jobs.test(line.text)) level = line.indent;
      else if (!/^\s*-\s*[\w-]+:?\s*$/.test(line.text) || line.indent < level) level = -1;
      return level >= 0;
    });
  };
  const after = new Set(
    waits(next.lines)
      .filter(({ changed }) => changed)
      .flatMap(({ text }) => named(text)),
  );
  const declared = new Set(next.lines.map(({ text }) => /^\s*([\w-]+)\s*:\s*$/.exec(text)?.[1] ?? ''));
  return waits(old.lines).flatMap((line) => {
    const lost =
      line.changed &&
      named(line.text).find(
        (name) =>
          /test|e2e|lint|check|spec|integration|unit|verify|qa/i.test(name) &&
          !after.has(name) &&
          declared.has(name),
      );
    return lost ? [inOld(path, line, ['narrowed-selection', `a job no longer waits for ${lost}`])] : [];
  });
}

import { anyOf } from '../../text/pattern/any-of.ts';
import { type VerifyingCommand, verifyingCommands } from './commands.ts';
import type { WeakenedTest, Weakening } from './finding.ts';
import { lostDependencies } from './job-dependencies.ts';
import type { FileReading } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** Settings of a step, job or build that make it count less, as CI services and build tools spell them. */
const settings: readonly (readonly [RegExp, Weakening, string])[] = [
  [
    new RegExp(
      [
        String.raw`^\s*-?\s*(?:continue-on-error|continueOnError|allow_failure|allow-failure|ignore_failure|ignore_errors|soft_fail)\s*:\s*["']?(?:true|yes)\b`,
      ].join('|'),
      'i',
    ),
    'forced-success',
    'its failure does not count',
  ],
  [
    anyOf([
      String.raw`^\s*-?\s*(?:if|condition)\s*:\s*(?:["']?(?:false|never|failure\(\)\s*&&\s*false)\b|\$\{\{\s*false\s*\}\})`,
    ]),
    'narrowed-selection',
    'it never runs',
  ],
  [
    /^\s*-?\s*if\s*:.*\bgithub\.(?:ref|ref_name|base_ref|event_name|actor)\s*==/,
    'narrowed-selection',
    'it no longer runs everywhere',
  ],
  [
    /^\s*-?\s*if\s*:.*\b(?:head_commit\.message|pull_request\.(?:title|labels)|vars\.\w+)/,
    'narrowed-selection',
    'it runs only if somebody wants it',
  ],
  [/\bcheck-?[cC]overage["']?\s*[:=]\s*false\b/, 'loosened-threshold', 'coverage is not checked'],
  [/^\s*-?\s*when\s*:\s*(?:never|manual)\b/, 'narrowed-selection', 'it does not run by itself'],
  [
    anyOf([
      String.raw`\btestFailureIgnore>\s*true`,
      String.raw`\bfailIfNoTests>\s*false`,
      String.raw`\bignoreFailures(?:\.set\(|\s*=\s*)(?!\s*false)`,
      String.raw`\bisIgnoreFailures\s*=\s*true`,
      String.raw`\bhaltonfailure="(?:false|no)"`,
      String.raw`<failOnError>\s*false`,
    ]),
    'forced-success',
    'a failing test does not fail the build',
  ],
  [
    /<(?:skipTests|skip|maven\.test\.skip|skipITs)>\s*true|\benabled\s*=\s*false\b|\bonlyIf\s*\{\s*false/,
    'narrowed-selection',
    'tests do not run',
  ],
  [/\bcatchError\b|\breturnStatus:\s*true|\bwarnError\b/, 'forced-success', 'its failure does not count'],
  [
    anyOf([
      String.raw`\bignore_outcome\s*=\s*true`,
      String.raw`\bsuccess_codes\s*=\s*[[(][^\])]*[1-9]`,
      String.raw`\bpassWithNoTests["']?\s*[:=]\s*true`,
      String.raw`\bfailOnError\s*[:=]\s*false`,
      String.raw`\bexitOnError\s*[:=]\s*false`,
    ]),
    'forced-success',
    'passes whatever happens',
  ],
];

/** Added settings that make a verifying step count less; steps that verify nothing may fail. */
export function weakenedSteps(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings
    .filter(({ role }) => role === 'automation')
    .flatMap((reading) => [
      ...inSteps(reading),
      ...allowedFailures(reading),
      ...ignoredPaths(reading),
      ...lostTriggers(reading),
      ...lostSystems(reading),
      ...lostDependencies(reading),
    ]);
}

function inSteps({ path, new: { lines }, old }: FileReading): readonly WeakenedTest[] {
  const wasHere = new Map<string, number>();
  for (const { changed, text } of old.lines)
    if (changed) wasHere.set(text.trim(), (wasHere.get(text.trim()) ?? 0) + 1);
  return lines.flatMap((line, index) => {
    if (!line.changed || line.text.trim() === '') return [];
    const found = settings.find(([pattern]) => pattern.test(line.text));
    if (found === undefined) return [];
    const left = wasHere.get(line.text.trim()) ?? 0;
    wasHere.set(line.text.trim(), left - 1);
    if (left > 0 || !verifies(lines, index, { path, old })) return [];
    const [, what, says] = found;
    const evidence = `${says}: \`${line.text.trim().slice(0, 120)}\``;
    return [{ path, line: line.number, side: 'new' as const, what, evidence }];
  });
}

/** What a build ran before may now fail; what is new to it may do so from the start. */
function allowedFailures({ path, new: { lines } }: FileReading): readonly WeakenedTest[] {
  const kept = new Set(lines.filter(({ changed }) => !changed).map(({ text }) => itemOf(text)));
  return addedUnder(lines, /^\s*allow_failures\s*:/).flatMap((line) => {
    if (!kept.has(itemOf(line.text))) return [];
    const evidence = `its failure does not count: \`${line.text.trim().slice(0, 120)}\``;
    return [{ path, line: line.number, side: 'new' as const, what: 'forced-success' as const, evidence }];
  });
}

const untested =
  /docs?\b|\.(?:md|mdx|rst|adoc|txt|png|svg|jpe?g)\b|licen[sc]e|changelog|readme|\.git|\.vscode|\.idea/i;

/** A workflow that runs tests no longer starts when certain files change, other than documents. */
function ignoredPaths({ path, new: { lines } }: FileReading): readonly WeakenedTest[] {
  if (/deploy|release|publish|docs/i.test(path)) return [];
  return addedUnder(lines, /^\s*paths-ignore\s*:/).flatMap((line) => {
    if (line.text.trim() === '' || untested.test(line.text)) return [];
    const evidence = `it does not start for \`${itemOf(line.text).slice(0, 120)}\``;
    return [{ path, line: line.number, side: 'new' as const, what: 'narrowed-selection' as const, evidence }];
  });
}

/** The added lines that are indented more than a key above them. */
function addedUnder(lines: readonly SourceLine[], key: RegExp): readonly SourceLine[] {
  let level = -1;
  return lines.filter((line) => {
    if (level >= 0 && !line.blank && line.indent <= level) level = -1;
    if (key.test(line.code)) level = line.indent;
    else return level >= 0 && line.changed;
    return false;
  });
}

/** `3.12` of `- python: "3.12"` and of `- "3.12"`. */
function itemOf(text: string): string {
  return text.replace(/^[\s-]*(?:[\w-]+\s*:\s+)?|["'\s]/g, '') || text;
}

const unrelated = new RegExp(
  [
    String.raw`\b(?:upload|deploy|publish|notify|slack|codecov|comment|cache|artifact|release|docs?|sarif|label|benchmark|bench|nightly|experimental|canary|preview|report|badge|scan|sonar\w*|lighthouse|chromatic|dependency-review)\b`,
  ].join('|'),
  'i',
);

/** Whether the step or job around a setting verifies something. A new one takes nothing away. */
function verifies(
  lines: readonly SourceLine[],
  index: number,
  { path, old }: Pick<FileReading, 'path' | 'old'>,
): boolean {
  const own = lines[index];
  if (own === undefined) return false;
  if (!/\.ya?ml$/.test(path)) return true;
  const around = stepAround(lines, index);
  const others = around.filter((line) => line !== own && !line.blank);
  if (others.length > 0 && others.every(({ changed }) => changed)) return takesOver(others, old.lines);
  const text = others.map((line) => line.text).join('\n');
  if (others.some((line) => verifyingCommands(line.text).length > 0)) return true;
  if (unrelated.test(text)) return false;
  return (
    /\b(?:tests?|lint|check|verify|spec|e2e|coverage|build|typecheck|ci)\b/i.test(text) || others.length === 0
  );
}

/** A step that is written anew runs what another one ran. */
function takesOver(step: readonly SourceLine[], before: readonly SourceLine[]): boolean {
  const headOf = ({ words }: VerifyingCommand) => words.slice(0, 2).join(' ');
  const commands = (line: SourceLine) => verifyingCommands(line.text).map(headOf);
  const removed = new Set(before.filter(({ changed }) => changed).flatMap(commands));
  return step.flatMap(commands).some((command) => removed.has(command));
}

/** The lines of the step or job that a setting belongs to, as far as they are shown. */
function stepAround(lines: readonly SourceLine[], index: number): readonly SourceLine[] {
  const own = lines[index];
  if (own === undefined) return [];
  const isItem = /^\s*-\s/.test(own.text);
  const level = isItem ? own.indent : own.indent - 1;
  let start = index;
  while (!isItem && start > 0) {
    const above = lines[start - 1];
    if (above === undefined || above.hunk !== own.hunk || index - start > 80) break;
    start--;
    // The head of a step (`- name:`), or the key of a job (`test:`), is indented less.
    if (!above.blank && above.indent <= level) break;
  }
  let end = index + 1;
  for (; end < lines.length && end < index + 80; end++) {
    const line = lines[end];
    if (line === undefined || line.hunk !== own.hunk) break;
    if (!line.blank && line.indent <= level) break;
  }
  return lines.slice(start, end);
}

/** A workflow that runs tests no longer starts on pull requests or pushes. */
function lostTriggers({ path, old, new: next }: FileReading): readonly WeakenedTest[] {
  if (!/\.(?:github|gitea|forgejo)\/workflows\//.test(path) || /deploy|release|publish|docs/i.test(path))
    return [];
  const trigger = /^\s*-?\s*(pull_request|push)\s*:?\s*(?:$|\{)|^\s*["']?on["']?\s*:\s*(\S.*)$/;
  const events = (lines: readonly SourceLine[], onlyChanged: boolean) =>
    lines
      .filter(({ changed, code }) => (changed || !onlyChanged) && trigger.test(code))
      .flatMap(({ code }) => code.match(/\b(?:pull_request|push)\b/g) ?? []);
  const present = new Set(events(next.lines, false));
  const lost = events(old.lines, true).find((event) => !present.has(event));
  if (lost === undefined || next.lines.length === 0) return [];
  const line = old.lines.find(({ changed, code }) => changed && code.includes(lost));
  const evidence = `it no longer starts on ${lost}`;
  return [{ path, line: line?.number ?? 0, side: 'old', what: 'narrowed-selection', evidence }];
}

/** Systems that a list in a workflow names, such as `os: [ubuntu-latest, windows-latest]`. */
const systems = /\b(?:ubuntu|windows|macos|linux)[\w.-]*/g;

/** Tests no longer run on some of the systems that they ran on. */
function lostSystems({ path, old, new: next }: FileReading): readonly WeakenedTest[] {
  if (!/\.ya?ml$/.test(path)) return [];
  const key = /^\s*-?\s*(os|runs-on|platform|runner|image|vmImage)s?\s*:\s*\[/;
  const added = next.lines.filter(({ changed, code }) => changed && key.test(code));
  return old.lines.flatMap((line) => {
    if (!line.changed || !key.test(line.code)) return [];
    const after = added.shift();
    const names = (text: string) => (text.match(systems) ?? []).map((name) => name.replace(/[-\d].*$/, ''));
    const present = new Set(names(after?.text ?? ''));
    const lost = names(line.text).find((name) => !present.has(name));
    if (after === undefined || lost === undefined) return [];
    const evidence = `it no longer runs on ${lost}: \`${after.text.trim().slice(0, 120)}\``;
    return [
      { path, line: after.number, side: 'new' as const, what: 'narrowed-selection' as const, evidence },
    ];
  });
}

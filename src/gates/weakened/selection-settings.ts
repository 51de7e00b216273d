import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest, Weakening } from './finding.ts';
import type { FileReading } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** Settings of test runners by which fewer tests are found. */
export function narrowedSettings(reading: FileReading): readonly WeakenedTest[] {
  return [...moreExcluded(reading), ...lessIncluded(reading)];
}

const excluding = anyOf([
  String.raw`\b(?:testPathIgnorePatterns|exclude\w*|testIgnore|collect_ignore(?:_glob)?|norecursedirs|ignore|excludes|modulePathIgnorePatterns|excludeTestsMatching|excludeTags|excludedGroups|excludeCategories|spec_exclude|ignorePatterns|default-filter|deselect|exclude_pattern|watchPathIgnorePatterns|excludeSpecPattern)\b`,
]);

/** What every project leaves out. */
const ordinary = anyOf([
  'node_modules',
  String.raw`\bdist\b`,
  String.raw`\bbuild\b`,
  'coverage',
  String.raw`\.git\b`,
  'vendor',
  String.raw`\.venv`,
  '__pycache__',
  String.raw`\.cache`,
  String.raw`\.next`,
  String.raw`\bout\b`,
  'target',
  String.raw`fixtures?\b`,
  String.raw`\.d\.ts`,
  String.raw`\.idea`,
  'tmp',
  'storybook',
  String.raw`helpers?\b`,
  'testdata',
  String.raw`mocks?\b`,
  'worktrees',
  String.raw`\.nx`,
  'snapshots',
]);

/** Paths or names that are newly left out of what runs. */
function moreExcluded(reading: FileReading): readonly WeakenedTest[] {
  const {
    path,
    new: { lines },
    old,
  } = reading;
  if (!isAboutTests(reading)) return [];
  const before = new Set(old.lines.flatMap(({ text }) => quotedIn(text)));
  const keys = new Keys();
  return lines.flatMap((line) => {
    const isExcluding =
      /^\s*exclude\w*[\s(]+["']/.test(line.text) ||
      (excluding.test(keys.around(line)) && !/coverage|collectCoverage|omit/.test(keys.around(line)));
    if (!line.changed || line.blank || !(isExcluding || isFlag(line))) return [];
    const added = quotedIn(line.text).filter(
      (each) =>
        !before.has(each) &&
        !ordinary.test(each) &&
        (each.startsWith('--') || !excluding.test(each)) &&
        /[/.*_~]|[tT]est|[sS]pec|slow|integration|e2e/.test(each),
    );
    if (added.length === 0) return [];
    const evidence = `\`${added[0]?.slice(0, 100)}\` is left out of what runs`;
    const what: Weakening = 'narrowed-selection';
    return [{ path, line: line.number, side: 'new' as const, what, evidence }];
  });
}

function isFlag({ text }: SourceLine): boolean {
  return (
    (/^\s*(?:addopts|--ignore|--deselect|-k\b|-m\b)/.test(text) &&
      /--ignore|--deselect|-k\s|-m\s+["']?not/.test(text)) ||
    /^\s*(?:--tag|-t)[\s=]+~/.test(text)
  );
}

/** The same words in other settings decide what is compiled or formatted. */
function isAboutTests({ path, old, new: next }: FileReading): boolean {
  if (runnerFiles.test(path)) return true;
  if (!/package\.json|pyproject|setup\.cfg|pom\.xml|build\.gradle|Rakefile|deno\.json/.test(path))
    return false;
  return [...old.lines, ...next.lines].some(({ text }) =>
    /jest|pytest|surefire|failsafe|\bTest\b|\btest\b|mocha|ava|spec/.test(text),
  );
}

const runnerFiles = anyOf([
  'jest',
  'vitest',
  String.raw`vite\.`,
  'playwright',
  'cypress',
  'karma',
  'mocharc',
  'pytest',
  'tox',
  'phpunit',
  'conftest',
  'nextest',
  String.raw`\.rspec`,
  'jasmine',
  String.raw`ava\.`,
  'wdio',
  String.raw`helper\.rb`,
]);

function quotedIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/"([^"]{1,200})"|'([^']{1,200})'|>([^<>]{1,200})</g)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  );
  if (quoted.length > 0)
    return quoted.flatMap((each) => (/--ignore|--deselect/.test(each) ? each.split(/\s+/) : [each]));
  return text
    .replace(/^\s*[\w-]+\s*[:=]\s*/, '')
    .split(/[\s,]+/)
    .filter((each) => each !== '' && each !== '-');
}

/** Follows which key a line is under. */
class Keys {
  private readonly stack: { readonly indent: number; readonly key: string }[] = [];

  around(line: SourceLine): string {
    while (
      this.stack.length > 0 &&
      !line.blank &&
      (this.stack.at(-1)?.indent ?? 0) >= line.indent &&
      !/^\s*[\])}]/.test(line.code)
    )
      this.stack.pop();
    const own = /["'<]?([A-Za-z][\w-]*)["'>]?\s*(?:[:=({>]|$)/.exec(line.text)?.[1] ?? '';
    const keys = [...this.stack.slice(-3).map(({ key }) => key), own].join(' ');
    if (!line.blank && this.stack.length < 50) this.stack.push({ indent: line.indent, key: own });
    return keys;
  }
}

const including =
  /^\s*["']?(include|testMatch|testRegex|testpaths|python_files|python_functions|roots|testDir|spec|specPattern|test|files|spec_files|pattern)["']?\s*[:=]\s*(.+)$/;

/** A pattern of what runs that is narrower than before. */
function lessIncluded(reading: FileReading): readonly WeakenedTest[] {
  if (!isAboutTests(reading)) return [];
  const { path, old, new: next } = reading;
  const added = next.lines.filter(({ changed, blank, text }) => changed && !blank && including.test(text));
  return old.lines.flatMap((line) => {
    const key = line.changed && !line.blank ? including.exec(line.text)?.[1] : undefined;
    const after = added.find(({ text }) => including.exec(text)?.[1] === key);
    if (key === undefined || after === undefined || /package\.json$/.test(path)) return [];
    const [before, now] = [globsIn(line.text), globsIn(after.text)];
    const lost = before.find((glob) => !now.some((other) => covers(other, glob)));
    if (lost === undefined || !now.every((glob) => before.some((other) => covers(other, glob)))) return [];
    const evidence = `\`${key}\` selects less than \`${lost}\`: \`${after.text.trim().slice(0, 100)}\``;
    return [
      { path, line: after.number, side: 'new' as const, what: 'narrowed-selection' as const, evidence },
    ];
  });
}

function globsIn(text: string): readonly string[] {
  return quotedIn(text.replace(/^[^:=]*[:=]/, ''));
}

/** Whether everything that the narrow glob matches is under the fixed start of the wide one. */
function covers(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  const fixed = /^[^*?{[(]*/.exec(wide)?.[0] ?? '';
  const start = /^[^*?{[(]*/.exec(narrow)?.[0] ?? '';
  return start.startsWith(fixed) && start.length > fixed.length && narrow.length >= wide.length - 3;
}

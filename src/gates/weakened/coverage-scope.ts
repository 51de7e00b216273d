import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** Code of the product that a diff leaves out of what coverage is measured of. */
export function narrowedCoverage(readings: readonly FileReading[]): readonly WeakenedTest[] {
  const before = new Set(readings.flatMap(leftOut));
  const moved = new Set(readings.filter(({ file }) => file.status === 'renamed').map(({ path }) => path));
  return readings.flatMap(({ path, new: { lines } }): readonly WeakenedTest[] => {
    const keys = coverageKeys(path);
    if (keys === undefined) return [];
    const isNew = (each: string) => !before.has(baseName(each)) && !moved.has(each) && !ordinary.test(each);
    return entriesUnder(lines, keys).flatMap(({ line, entries }) => {
      const added = line.changed ? entries.find(isNew) : undefined;
      if (added === undefined) return [];
      const evidence = `\`${added.slice(0, 100)}\` is left out of coverage`;
      return [
        { path, line: line.number, side: 'new' as const, what: 'loosened-threshold' as const, evidence },
      ];
    });
  });
}

/** What the old version of a file left out, by the last part of its path, since it may have moved. */
function leftOut({ path, old }: FileReading): readonly string[] {
  const keys = coverageKeys(path);
  return keys === undefined
    ? []
    : entriesUnder(old.lines, keys).flatMap(({ entries }) => entries.map(baseName));
}

function baseName(entry: string): string {
  return entry.slice(entry.lastIndexOf('/', entry.length - 4) + 1);
}

/** The settings that leave code out, by the file that they are in. */
function coverageKeys(path: string): RegExp | undefined {
  if (/(?:^|\/)(?:\.coveragerc|pyproject\.toml|setup\.cfg|tox\.ini)$/.test(path))
    return /^\s*(?:omit|exclude_also)\b/;
  if (/sonar-project\.properties$/.test(path)) return /^\s*sonar\.coverage\.exclusions\b/;
  if (/\.?codecov\.ya?ml$/.test(path)) return /^\s*ignore\b/;
  if (/\.?nycrc|\.c8rc/.test(path)) return /^\s*"?exclude"?/;
  if (/(?:jest|package)[\w.]*\.(?:json|[cm]?[jt]s)$/.test(path)) return /coveragePathIgnorePatterns/;
  return undefined;
}

const ordinary = anyOf([
  'generated|migrations|_pb2|\\.pb\\.|proto|vendor|node_modules|third_party|__main__|__init__|version|conftest',
  String.raw`tests?\b|spec|fixtures?|mocks?|stubs?|typings|\.d\.ts|\.gen\.|setup\.py|docs?\b|examples?|scripts?\b`,
  String.raw`\bdist\b|\bbuild\b|\.venv|noxfile|tasks\.py|TYPE_CHECKING|NotImplemented|abstract|pragma|storybook|stories`,
]);

interface Entries {
  readonly line: SourceLine;
  readonly entries: readonly string[];
}

/** What the lines under a key list, or that stands behind it. */
function entriesUnder(lines: readonly SourceLine[], key: RegExp): readonly Entries[] {
  let level = -1;
  return lines.flatMap((line) => {
    if (line.text.trim() === '') return [];
    const opens = key.test(line.text);
    const isItem = level >= 0 && (line.indent > level || /^\s*[-\])}]/.test(line.text));
    if (opens) level = line.indent;
    else if (!isItem) level = -1;
    if (!opens && !isItem) return [];
    const text = opens ? line.text.replace(/^[^=:]*[=:]/, '') : line.text;
    const entries = text.split(/[\s,;"'[\]]+/).filter((each) => /\w/.test(each) && /[/.*]/.test(each));
    return line.blank ? [] : [{ line, entries }];
  });
}

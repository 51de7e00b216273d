import { anyOf } from '../../text/pattern/any-of.ts';
import { stem } from './changed-source.ts';
import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import { normalized, type SourceLine } from './source-line.ts';
import type { TestedCode } from './tested-code.ts';

/** Files with expected output that change although neither the tested code nor the tests' own input does. */
export function rewrittenSnapshots(
  readings: readonly FileReading[],
  tested: TestedCode,
): readonly WeakenedTest[] {
  return readings.flatMap((reading): readonly WeakenedTest[] => {
    const { path, file, role } = reading;
    if (role === 'test') return acceptedAnyway(reading);
    if (role !== 'expected' || file.status === 'added' || file.status === 'renamed') return [];
    if (readings.some((other) => changesInput(other, reading))) return [];
    const line = reading.new.lines.find(({ changed }) => changed)?.number ?? 0;
    if (file.status === 'deleted') {
      if (tested.removes(path) || readings.some((other) => isOwner(other, reading))) return [];
      return [{ path, line: 0, side: 'old', what: 'rewritten-snapshot', evidence: `${path} is deleted` }];
    }
    if (!rewrites(reading) || (!tested.isSame && tested.concerns(path, textOf(reading)))) return [];
    const evidence = 'the expected output is rewritten, although the tested code is the same';
    return [{ path, line, side: 'new', what: 'rewritten-snapshot', evidence }];
  });
}

/** A test that writes the file with which it compares, unless it is told to. */
function acceptedAnyway({ path, new: { lines }, old }: FileReading): readonly WeakenedTest[] {
  const line = lines.find(({ changed, text }) => changed && updates.test(text));
  if (line === undefined || old.lines.some(({ text }) => updates.test(text))) return [];
  const evidence = `accepts whatever the code gives as expected: \`${line.text.trim().slice(0, 120)}\``;
  return [{ path, line: line.number, side: 'new', what: 'rewritten-snapshot', evidence }];
}

const updates = anyOf(
  [
    String.raw`\b(?:flag\.Bool|getenv|environ\.get|get_?bool)\w*\(\s*["']\w*(?:update|regen|record|bless)\w*["'],\s*["']?(?:true|1)\b`,
    String.raw`\b(?:update|regenerate|overwrite|bless)_?\w*(?:golden|snapshot|expected)\w*\s*[:=]=?\s*true\b`,
  ],
  'i',
);

function textOf({ old, new: next }: FileReading): string {
  const added = next.lines.filter(({ changed }) => changed);
  return [...old.lines.slice(0, 200), ...added.slice(0, 200)].map(({ text }) => text).join(' ');
}

/** Entries that are only added, or taken away as a whole, belong to tests that came or went. */
function rewrites({ file, hunks }: FileReading): boolean {
  if (file.diff === undefined) return file.additions > 0 && file.deletions > 0;
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const changed = lines.filter(({ kind, text }) => kind !== 'same' && text.trim() !== '');
  const adds = changed.some(({ kind }) => kind === 'added');
  const removed = changed.filter(({ kind }) => kind === 'removed');
  if (removed.length === 0) return false;
  const key = /^\s*exports\[`|^\/\/ Jest Snapshot|^# name:/;
  return adds ? !changed.every(({ text }) => key.test(text)) : !removed.some(({ text }) => key.test(text));
}

/** A test of the same name that changes in more than what it expects, or a fixture that it reads. */
function changesInput(other: FileReading, snapshot: FileReading): boolean {
  if (other === snapshot || (other.role !== 'test' && other.role !== 'document')) return false;
  const isNear = stem(other.path) === stem(snapshot.path) || stem(snapshot.path).startsWith(stem(other.path));
  if (!isNear || /\.(?:md|rst|adoc)$/.test(other.path)) return false;
  const { lines, assertions } = other.new;
  const stated = new Set(assertions.map(({ index }) => index));
  const removed = other.old.lines.filter(({ changed }) => changed);
  const before = new Set(removed.map(({ text }) => withoutType(text)));
  const isInput = ({ changed, blank, code, text }: SourceLine) =>
    changed && !blank && !imports.test(code) && !before.has(withoutType(text));
  return lines.some((line, index) => !stated.has(index) && isInput(line)) || lines.length === 0;
}

/** A value is the same however its variable is declared: `var a = b()` and `Basket a = b()`. */
function withoutType(text: string): string {
  return normalized(text.slice(0, 500).replace(declared, '$1='));
}

const declared =
  /^\s*(?:(?:final|static|const|let|mut|var|val|auto)\s+)*(?:[\w<>[\].?]+\s+)?(\w+)\s*(?::\s*[\w<>[\].?]+\s*)?=(?!=)/;

/** Where something is imported from is no input. */
const imports = /^\s*(?:import|from|use|using|require|package)\b|\brequire\(/;

function isOwner({ path, file, new: next }: FileReading, snapshot: FileReading): boolean {
  if (stem(path) !== stem(snapshot.path)) return false;
  if (file.status === 'deleted' || file.status === 'renamed') return true;
  return next.lines.some(({ changed, code }) => changed && /InlineSnapshot|toEqual|toBe/.test(code));
}

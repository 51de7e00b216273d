import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import type { Located } from './located.ts';
import type { FileReading } from './reading.ts';
import { isTestFile } from './test-files.ts';
import type { TestPairs } from './test-pairs.ts';
import type { TestedCode } from './tested-code.ts';

/** Tests that no other test takes the place of, although what they test is still there. */
export function deletedTests(
  readings: readonly FileReading[],
  { pairs, tested }: { readonly pairs: TestPairs; readonly tested: TestedCode },
): readonly WeakenedTest[] {
  const comments = new Map<FileReading, string>();
  const commentsOf = (reading: FileReading): string => {
    const found = comments.get(reading) ?? addedComments(reading);
    comments.set(reading, found);
    return found;
  };
  return pairs.lost
    .filter((test) => !tested.removesCase(test.reading.path, test.block.name, textOf(test)))
    .filter((test) => !tested.removesFeature(test.block.name) && !onlyStarts(test, readings))
    .slice(0, 200)
    .map((test) => (test.block.changed ? deleted(test, commentsOf(test.reading)) : undeclared(test)));
}

/** Only starts the specs of a framework, none of which is left beside it. */
function onlyStarts(test: Located, readings: readonly FileReading[]): boolean {
  if (!/\b(?:RunSpecs|RunSpecsWith\w+)\(/.test(textOf(test))) return false;
  const folder = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
  const beside = readings.filter(({ path }) => folder(path) === folder(test.reading.path));
  const specs = (side: 'old' | 'new') =>
    beside.some((reading) =>
      reading[side].lines.some(({ code }) => /\b(?:It|Specify|Describe)\(/.test(code)),
    );
  return specs('old') && !specs('new');
}

function textOf({ version, block }: Located): string {
  return version.lines
    .slice(block.head, block.end)
    .map(({ text }) => text)
    .join(' ');
}

function deleted({ reading, version, block }: Located, comments: string): WeakenedTest {
  const { path } = reading;
  const line = version.lines[block.head]?.number ?? 0;
  const name = block.name === '' ? 'a test' : `the test "${block.name.slice(0, 80)}"`;
  const how = block.name !== '' && comments.includes(block.name) ? 'is commented out' : 'is deleted';
  return { path, line, side: 'old', what: 'deleted', evidence: `${name} ${how}` };
}

/** The declaration is still there, but nothing says any more that it is a test. */
function undeclared({ reading, version, block }: Located): WeakenedTest {
  const line = version.lines[block.head]?.number ?? 0;
  const evidence = `"${block.name.slice(0, 80)}" is no test any more`;
  return { path: reading.path, line, side: 'old', what: 'skipped', evidence };
}

function addedComments({ new: { lines } }: FileReading): string {
  return lines
    .filter(({ changed, comment }) => changed && comment !== '')
    .map(({ comment }) => comment)
    .join('\n');
}

/** Test files that are deleted, or are none any more by their new names, where the diff shows no tests. */
export function lostFiles(
  readings: readonly FileReading[],
  { tested, globs }: { readonly tested: TestedCode; readonly globs?: readonly string[] | undefined },
): readonly WeakenedTest[] {
  const added = readings.filter(({ file }) => file.status === 'added').map(({ path }) => baseName(path));
  return readings.flatMap(({ path, file, old }) => {
    const lost = file.status === 'deleted' ? path : file.previous_path;
    if (lost === undefined || !isTestFile(lost, globs) || !hasTests(lost)) return [];
    if (file.status !== 'deleted') {
      if (isTestFile(path, globs) || isSupport(lost)) return [];
      return [
        {
          path: lost,
          line: 0,
          side: 'old' as const,
          what: 'deleted' as const,
          evidence: `${lost} is renamed to ${path}, which is no test`,
        },
      ];
    }
    const isUnread = old.lines.length === 0;
    if (!isUnread || added.includes(baseName(lost)) || tested.removes(lost)) return [];
    return [
      { path: lost, line: 0, side: 'old' as const, what: 'deleted' as const, evidence: `${lost} is deleted` },
    ];
  });
}

/** Of the files that belong to the tests, those that may declare some. */
function hasTests(path: string): boolean {
  return declaring.test(path);
}

const declaring = anyOf([
  String.raw`\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|scala|groovy|cs|fs|php|swift|exs?|c|cc|cpp|sh|bats|feature|vue)$`,
]);

const supporting = anyOf(
  ['helper|util|support|setup|fixture|fake|dummy|sample|mock|stub|factor(?:y|ies)|builder|conftest'],
  'i',
);

function isSupport(path: string): boolean {
  return supporting.test(path);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

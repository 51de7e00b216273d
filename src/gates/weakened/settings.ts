import { once } from '../reading/once.ts';
import { raw } from '../reading/raw.ts';
import { holds } from '../reading/work.ts';
import { type Change, changedLines, placesIn } from './change.ts';
import { add } from './comparing.ts';
import { inNew, type Judged } from './finding.ts';
import type { Line, Reading, Version } from './lines.ts';

/** Thresholds and selections in the settings of test runners, coverage tools and CI. */
export function weakenedSettings({ readings }: Change): readonly Judged[] {
  const read = readings.filter(
    ({ role, path }) =>
      role === 'automation' || role === 'test' || /_helper\.rb$|conftest\.py$|setup/i.test(path),
  );
  return read.flatMap((each) => [
    ...looserBounds(each),
    ...(each.role === 'test' ? [] : leftOut(each, read)),
  ]);
}

const floors = raw`(?i)^(?:branches|functions|lines|statements|line|branch|fail_under|fail-under|cov-fail-under|minimum_coverage\w*|minimum|min\w*|coverageThreshold|coverage_threshold|break|threshold|target|numRuns|max_examples|cases|PROPTEST_CASES)$`;
const ceilings = raw`^(?:retries|retry|reruns|retryTimes|testRetries|flake-attempts|rerunFailingTestsCount|maxRetries|max_retries|max-warnings|maxWarnings|maxDiffPixels|maxDiffPixelRatio|count|retry_count|default_retry_count|verify_retry_count)$`;
const number =
  /([A-Za-z_][\w-]*)["'>]?(?:\s*[:=(]+\s*|\s+|>)(?:\{\s*)?(?:[\w.!]{1,60}\s*(?:\?\?|\|\||\?)\s*)?["']?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/g;

/** So much looser is no rounding. */
const factor = 3;

interface Bound {
  readonly key: string;
  readonly value: number;
  readonly line: Line;
}

/** What tests say of how many inputs a property is tried with, and which. */
const tried = /^(?:numRuns|num_runs|max_examples|max_value|max_size|maxLength|PROPTEST_CASES)$/;
/** And of how far off a result may be. */
const isTolerance = /eps|tolerance|delta|[ar]tol/i;

function boundsIn(reading: Reading, side: 'old' | 'new'): readonly Bound[] {
  const isTest = reading.role === 'test' && !/conftest|helper|setup/i.test(reading.path);
  return changedLines(reading[side]).flatMap((line) =>
    [...line.text.matchAll(number)]
      .map(([, key = '', value]) => ({ key, value: Number(value), line }))
      .filter(({ key }) =>
        isTest
          ? tried.test(key) || isTolerance.test(key)
          : floors.test(key) || (ceilings.test(key) && !/timeout/i.test(line.text)),
      ),
  );
}

/** A coverage that is demanded sinks; a number of further tries rises, or is new. */
function looserBounds(reading: Reading): readonly Judged[] {
  const { path, file } = reading;
  if (file.status === 'added') return [];
  const before = new Map<string, Bound[]>();
  for (const each of boundsIn(reading, 'old')) add(before, each.key, each);
  return boundsIn(reading, 'new').flatMap(({ key, value, line }) => {
    const was = before.get(key)?.shift();
    if (was === undefined)
      return /retr|rerun|flake/i.test(key) && value > 0 && !/when|max:/.test(line.text)
        ? [inNew(path, line, ['loosened-threshold', 'tries again until it passes'])]
        : [];
    const isLooser = ceilings.test(key)
      ? value > was.value
      : isTolerance.test(key)
        ? value >= was.value * factor
        : value < was.value && !(value <= 1 && was.value > 1);
    if (!isLooser) return [];
    return [inNew(path, line, ['loosened-threshold', `${key} was ${was.value} and is ${value}`])];
  });
}

const excluding = /exclude|ignore|omit|skip|deselect|default-filter|collect_ignore|not_tests|add_filter/i;
const usual = raw`(?i)node_modules|dist\b|build\b|generated|vendor|\.d\.ts|fixtures?|coverage|\bout\b|target\b|venv|docs?\b|examples?\b|bench|\.git|cache|tmp|__mocks__|stories|migrations|\.next|bower|third_party|setup|config`;
const flags =
  /(?:^|[\s"'=[])(?:-k(?=[\s"'])|--ignore(?:-glob)?\b|--deselect\b|-m["',\s]+not\b|--exclude\S*|--only\S*|--changed\b)/;

/** Entries of lists with which tests or code are left out. */
function leftOut({ path, new: next }: Reading, all: readonly Reading[]): readonly Judged[] {
  if (
    !raw`(?i)jest|vitest|vite|pytest|tox|pyproject|setup\.cfg|mocha|nyc|c8|coverage|simplecov|pom\.xml|gradle|nextest|phpunit|karma|playwright|cypress|package\.json|rspec|conftest|stryker|codecov|noxfile|ava|helper`.test(
      path,
    )
  )
    return [];
  const before = formerText(all);
  const hadFlags = flags.test(before);
  return changedLines(next).flatMap((line) => {
    const entry = entryIn(line.text);
    const isFlag = flags.test(line.text) && !hadFlags && !/watch/.test(line.text);
    const isListed =
      entry !== undefined &&
      !usual.test(entry) &&
      excluding.test(keyOf(next, line).replace(entry, '')) &&
      !holds(before, entry);
    return isFlag || isListed ? [inNew(path, line, ['narrowed-selection', 'leaves something out'])] : [];
  });
}

const formerText = once((all: readonly Reading[]) =>
  all.flatMap((each) => each.old.lines.map(({ text }) => text)).join('\n'),
);

/** What a line of a list names. */
function entryIn(text: string): string | undefined {
  const found =
    text.match(/["']([^"']{2,})["']|>\s*([^<>]{2,})\s*</g)?.at(-1) ??
    /^\s*(?:-\s+)?([\w./*-]+[/*.][\w./*-]*),?\s*$/.exec(text)?.[1] ??
    /=\s*([\w./*-]+\/[\w./*-]*)\s*$/.exec(text)?.[1];
  return found?.replace(/^["'>\s]+|["'<\s]+$/g, '');
}

/** The line itself, and the nearest ones above that are indented less. */
function keyOf(version: Version, line: Line): string {
  const { lines } = version;
  const at = placesIn(version).get(line) ?? 0;
  let [level, text] = [line.indent, line.text];
  for (const above of lines.slice(Math.max(0, at - 15), at).reverse()) {
    if (above.hunk !== line.hunk || above.text.trim() === '') continue;
    if (above.indent >= level && !/[:=[({>]\s*$/.test(above.text)) continue;
    if (above.indent > level || (above.indent === level && !/[=[]\s*$/.test(above.text))) continue;
    level = above.indent;
    text += ` ${above.text}`;
    break;
  }
  return text;
}

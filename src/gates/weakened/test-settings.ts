import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import { narrowedSettings } from './selection-settings.ts';
import type { SourceLine } from './source-line.ts';

interface Bound {
  readonly key: RegExp;
  /** Which direction lets more pass. */
  readonly looser: 'up' | 'down';
  /** Taking it away lets everything pass. */
  readonly needed: boolean;
  readonly paths?: RegExp;
  /** How many times as much is another thing, and not a slower machine. */
  readonly factor?: number;
}

/** Numbers in the settings of test runners, coverage tools and budgets. */
const bounds: readonly Bound[] = [
  {
    key: anyOf([
      String.raw`^(?:branches|functions|lines|statements|perFile|fail_under|fail-under|fail_under_\w+|minimum_coverage|minimum_coverage_by_file|minimum|minimumCoverage|minValue|minBound|coverageThreshold|min_coverage|min-coverage|minScore|minimumInstructionRatio|COVERAGE_MIN\w*|MIN_COVERAGE|COVERAGE_THRESHOLD|coverage_threshold|break|high|low|msi|min-msi|line|branch)$`,
    ]),
    looser: 'down',
    needed: true,
  },
  { key: /^target$/, looser: 'down', needed: true, paths: /codecov/ },
  { key: /^threshold$/, looser: 'up', needed: false, paths: /codecov|playwright|jest|vitest/ },
  {
    key: anyOf([
      '^(?:retries|retry|reruns|retryTimes|testRetries|flake-attempts|runMode|openMode|rerunFailingTestsCount|maxRetries|max_retries|--reruns|--retries)$',
    ]),
    looser: 'up',
    needed: false,
  },
  {
    factor: 2,
    key: anyOf([
      '^(?:testTimeout|hookTimeout|test_timeout|defaultCommandTimeout|--timeout|faulthandler_timeout|slow-timeout)$',
    ]),
    looser: 'up',
    needed: false,
  },
  {
    key: anyOf([
      '^(?:maxWarnings|max-warnings|maxDiffPixels|maxDiffPixelRatio|maximumWarning|failureThreshold|--max-warnings|maxErrors)$',
    ]),
    looser: 'up',
    needed: false,
  },
];

/** Looser bounds and narrower selections in the settings of test runners. */
export function weakenedSettings(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings
    .filter(
      ({ role, path }) =>
        role === 'automation' ||
        /(?:spec|test|rails)_helper\.rb$|conftest\.py$|(?:jest|vitest)[.-]setup/.test(path),
    )
    .flatMap((reading) => [...looserBounds(reading, readings), ...narrowedSettings(reading)]);
}

const setting =
  /(?:^|[\s<"'{,(])(--?[\w-]+|[A-Za-z_][\w-]*)["'>]?(?:\s*[:=]+\s*|\s+|>|\()(?:[\w.!]{1,60}\s*(?:\?\?|\|\||\?)\s*)?["']?(-?\d+(?:\.\d+)?)(?:\s*:\s*(\d+))?\s*%?/g;

/** The bounds that a line sets, or sets under a condition. */
function boundsIn(
  { text }: SourceLine,
  path: string,
): readonly { bound: Bound; key: string; value: number }[] {
  return [...text.slice(0, 500).matchAll(setting)].flatMap(([, key = '', value = '', other = value]) => {
    const bound = bounds.find((each) => each.key.test(key) && (each.paths?.test(path) ?? true));
    if (bound === undefined) return [];
    // `process.env.CI ? 2 : 0`: the looser of the two is what can happen.
    const either = [Number(value), Number(other)];
    return [{ bound, key, value: bound.looser === 'up' ? Math.max(...either) : Math.min(...either) }];
  });
}

function looserBounds(reading: FileReading, all: readonly FileReading[]): readonly WeakenedTest[] {
  const { path } = reading;
  const added = new Set(setBounds(reading, 'new'));
  const found: WeakenedTest[] = [];
  for (const old of setBounds(reading, 'old')) {
    const next = [...added].slice(0, 100).find(({ key }) => key === old.key);
    if (next === undefined) {
      if (isGone(old, reading) && !isElsewhere(old, all))
        found.push(made(path, old, `the bound \`${old.line.text.trim().slice(0, 100)}\` is gone`));
      continue;
    }
    added.delete(next);
    const isLooser =
      old.bound.looser === 'up'
        ? next.value > old.value && next.value >= old.value * (old.bound.factor ?? 1)
        : next.value < old.value;
    if (isLooser) found.push(made(path, next, `\`${old.key}\` was ${old.value} and is ${next.value}`));
  }
  if (reading.file.status === 'added') return found;
  const retries = [...added].filter(({ key, value }) => /retr|rerun|flake/i.test(key) && value > 0);
  const says = ({ key, value }: SetBound) => `tries again until it passes: \`${key}\` is ${value}`;
  return [...found, ...retries.map((each) => made(path, each, says(each)))];
}

/** A bound where a file sets it. */
interface SetBound {
  readonly bound: Bound;
  readonly key: string;
  readonly value: number;
  readonly line: SourceLine;
  readonly side: 'old' | 'new';
}

function setBounds(reading: FileReading, side: 'old' | 'new'): readonly SetBound[] {
  return reading[side].lines
    .filter(({ changed, blank }) => changed && !blank)
    .flatMap((line) => boundsIn(line, reading.path).map((each) => ({ ...each, line, side })));
}

const withCoverage =
  /cover|nyc|c8|jest|vitest|pytest|pyproject|setup\.cfg|stryker|package\.json|pom|gradle|helper|tox/i;

/** A bound is gone, unless it is written in another way now. */
function isGone({ bound }: SetBound, { path, new: { lines } }: FileReading): boolean {
  if (!bound.needed || !withCoverage.test(path)) return false;
  return !lines.some(({ changed, text }) => changed && /thresholds?\b|autoUpdate/.test(text));
}

/** Another file of the diff sets it now. */
function isElsewhere({ key, value }: SetBound, readings: readonly FileReading[]): boolean {
  const added = readings
    .filter(({ role }) => role === 'automation')
    .flatMap((reading) => setBounds(reading, 'new'));
  // Another tool calls it by another name, and may count in percent.
  const isSame = (other: number) => other === value || other === value * 100 || other * 100 === value;
  return added.some((each) => (each.key === key ? each.value >= value : isSame(each.value)));
}

function made(path: string, { line, side }: SetBound, evidence: string): WeakenedTest {
  return { path, line: line.number, side, what: 'loosened-threshold', evidence };
}

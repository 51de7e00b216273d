import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import { type FileReading, inTest, testAround, type Version } from './reading.ts';
import type { SourceLine } from './source-line.ts';

interface Limit {
  readonly pattern: RegExp;
  /** How many times as much is another thing, and not a slower machine; 0 if anything more is. */
  readonly factor: number;
  /** Having one at all is weaker than having none. */
  readonly isRetry: boolean;
  /** Less of it is weaker, and not more. */
  readonly isEffort?: true;
}

const limits: readonly Limit[] = [
  {
    pattern: /\b(?:retries|retryTimes|retry|reruns|max_runs|maxAttempts)\s*[(:=]\s*(\d+)/,
    factor: 1,
    isRetry: true,
  },
  {
    pattern: anyOf([
      String.raw`@(?:RetryingTest|Retry|RepeatedIfExceptionsTest|Flaky|flaky)\w*(?:\([^)\d]*(\d+))?`,
    ]),
    factor: 1,
    isRetry: true,
  },
  {
    pattern: new RegExp(
      [
        String.raw`\b\w*(?:eps(?:ilon)?|tol(?:erance)?|accuracy|slack|max_?(?:diff|error|ulps?))\w*\b`,
        String.raw`[^=\n]{0,30}=\s*(\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)\b`,
      ].join(''),
      'i',
    ),
    factor: 0,
    isRetry: false,
  },
  { pattern: /@pytest\.mark\.flaky(?:\([^)\d]*(\d+))?/, factor: 1, isRetry: true },
  {
    pattern: anyOf([
      String.raw`@Timeout\([^)\d]*(\d+)`,
      String.raw`@pytest\.mark\.timeout\((\d+)`,
      String.raw`\btimeout\s*=\s*([\d_]+)`,
    ]),
    factor: 2,
    isRetry: false,
  },
  {
    pattern: anyOf([
      String.raw`\b(?:jest\.setTimeout|this\.timeout)\(([\d_]+)`,
      String.raw`\btimeout:\s*([\d_]+)`,
      String.raw`^\s*\},\s*([\d_]{3,})\s*\)`,
    ]),
    factor: 2,
    isRetry: false,
  },
  {
    pattern:
      /\b(?:max_examples|numRuns|num_runs|maxSuccess|iterations|trials|tries|with_cases)\s*[(:=]\s*([\d_]+)/,
    factor: 5,
    isRetry: false,
    isEffort: true,
  },
];

/** Waiting longer for a state is what mends a flaky test. */
const waits = /waitFor|wait_for|atMost|[eE]ventually|until|poll|findBy|toPass|toBeVisible|toHave/;

/** Limits that tests set for themselves: more time, or more attempts until they pass. */
export function looserLimits(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings
    .filter(({ role }) => role === 'test')
    .flatMap((reading) => {
      const [old, next] = [candidates(reading.old), candidates(reading.new)];
      return limits.flatMap((limit) =>
        looser(reading, limit, { before: found(old, limit), after: found(next, limit) }),
      );
    });
}

function looser(
  reading: FileReading,
  limit: Limit,
  { before, after }: { readonly before: readonly Found[]; readonly after: readonly Found[] },
): readonly WeakenedTest[] {
  const { path, new: next } = reading;
  return after.flatMap(({ value, line, index }, place) => {
    const old = before[place];
    const isNew = old === undefined;
    if (isNew && (!limit.isRetry || reading.file.status === 'added' || testAround(next, index)?.changed))
      return [];
    if (!isNew && !isLooser(limit, old.value, value)) return [];
    const says = limit.isRetry ? 'tries again until it passes' : `the limit of ${old?.value} is loosened`;
    const evidence = `${says}: \`${line.text.trim().slice(0, 120)}\`${inTest(next, index)}`;
    return [{ path, line: line.number, side: 'new' as const, what: 'loosened-threshold' as const, evidence }];
  });
}

function isLooser({ factor, isEffort }: Limit, old: number, value: number): boolean {
  return isEffort === true
    ? value * factor <= old
    : factor === 0
      ? value > old
      : value >= Math.max(old * factor, old + 1);
}

interface Candidate {
  readonly line: SourceLine;
  readonly index: number;
}

interface Found extends Candidate {
  readonly value: number;
}

/** Lines that only one version has, and in which a limit may stand. */
function candidates({ lines }: Version): readonly Candidate[] {
  return lines.flatMap((line, index) => {
    const isNone = !line.changed || line.blank || !/[\d@]/.test(line.code) || waits.test(line.code);
    return isNone ? [] : [{ line, index }];
  });
}

function found(lines: readonly Candidate[], { pattern }: Limit): readonly Found[] {
  return lines.flatMap(({ line, index }) => {
    const match = pattern.exec(line.code);
    if (match === null) return [];
    const value = match.slice(1).find((group) => group !== undefined);
    return [{ value: Number((value ?? '1').replaceAll('_', '')), line, index }];
  });
}

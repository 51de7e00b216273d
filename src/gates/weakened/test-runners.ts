import { raw } from '../../text/regexp.ts';
import { holds, once } from '../reading/work-limit.ts';
import { type Change, changedLines, inNew, inOld, type Judged, placesIn } from './change.ts';
import { add } from './compared-assertions.ts';
import type { Line, Reading, Version } from './statements.ts';

/** Finds commands that verify the work which are gone, leave something out, or succeed whatever they find. */
export function weakenedCommands({ readings }: Change): readonly Judged[] {
  const automation = readings.filter(
    ({ role, path }) => role === 'automation' || /\.(?:sh|bash)$/.test(path),
  );
  const old = automation.flatMap((each) => verificationsIn(each, each.old));
  const next = automation.flatMap((each) => verificationsIn(each, each.new));
  const removed = old.filter(({ line }) => line.changed);
  const added = next.filter(({ line }) => line.changed);
  return [
    ...gone(removed, next, added),
    ...kinds.flatMap((kind) => {
      const isOfIt = ({ verified }: Verification) => verified === kind;
      return compared(added.filter(isOfIt), removed.filter(isOfIt), added);
    }),
    ...automation.flatMap((each) => settings(each)),
  ];
}

function gone(
  removed: readonly Verification[],
  next: readonly Verification[],
  added: readonly Verification[],
): readonly Judged[] {
  const names = new Set(next.map(({ name }) => name));
  const verified = new Set(added.map((each) => each.verified));
  const missing = removed.filter((each) => !names.has(each.name) && !verified.has(each.verified));
  return missing.map(({ path, line }) => inOld(path, line, ['forced-success', 'it is no longer run']));
}

const forced = raw`\|\|\s*(?:true\b|:|exit\s+0|echo\b|printf\b|\(?exit 0|/bin/true|return\s+0)|;\s*(?:true|:|exit\s+0)\s*["']?\s*$|--passWithNoTests|--pass-with-no-tests|\bset \+e\b|test\.failure\.ignore=true`;
const narrowing = raw`(?:^|[\s"'=])(?:-k[\s"']|--ignore(?:-glob)?\b|--deselect\b|-m\s+["']?not\b|--exclude\S*|--skip\S*|-short\b|--lib\b|--bins?\b|--onlyChanged\b|--changed\S*|--grep\b|--invert\b|--testPathIgnorePatterns\b|-D(?:skipTests|skipITs|maven\.test\.skip)\S*|-x\s+\w*[tT]est\w*|--filter\S*|--related\b|--findRelatedTests\b|--no-run\b|-tags\s*=?\s*unit|--tag\s+~|--onlyFailures|--retries\b|--reruns\b|--flake-attempts\S*|--test-?[nN]ame-?[pP]attern\b)`;
const strictness = new RegExp(
  raw`(?:^|\s)(?:-race\b|--max-warnings\S*|--strict\S*|-Werror\b|--forbid-only\b|--fail-on\S*|--check-coverage\b|--cov-fail-under\S*|--workspace\b|--all-features\b|--doc\b|-W\s+error|--fail-fast-never)`,
  'g',
);

/** Nobody writes more such options; what is beyond would be looked for in all that is added. */
const maxFlags = 100;
const ignoring = /^\s*@?-\s*(?!run|script|name|uses|\w+:)(?=\S)/;

/** Compares commands of one kind that are added, and those that stood there before. */
function compared(
  next: readonly Verification[],
  before: readonly Verification[],
  added: readonly Verification[],
): readonly Judged[] {
  if (before.length === 0 || next.length === 0) return [];
  const was = (pattern: RegExp) => before.some((each) => pattern.test(each.line.text));
  const [wasForced, wasIgnored, wasNarrowed] = [was(forced), was(ignoring), was(narrowing)];
  const kept = added.map((each) => each.line.text).join(' ');
  const all = before.flatMap((each) => each.line.text.match(strictness) ?? []).map((each) => each.trim());
  const flags = [...new Set(all)].slice(0, maxFlags);
  const lost = flags.find((flag) => !kept.includes(flag.split(/[= ]/)[0] ?? flag));
  return next.flatMap(({ path, line }): readonly Judged[] => {
    const { text } = line;
    const isIgnored = /file|tox\.ini|\.mk/i.test(path) && ignoring.test(text) && !wasIgnored;
    if ((forced.test(text) && !wasForced) || isIgnored)
      return [inNew(path, line, ['forced-success', 'it succeeds whatever it finds'])];
    if (narrowing.test(text) && !wasNarrowed)
      return [inNew(path, line, ['narrowed-selection', 'it leaves something out'])];
    return lost === undefined ? [] : [inNew(path, line, ['narrowed-selection', `it goes without ${lost}`])];
  });
}

/** Settings of a step, a job or a build with which what fails does not count, or does not run. */
const harmless: Readonly<Record<string, RegExp>> = {
  'its failure does not count': raw`(?i)^\s*-?\s*(?:continue-on-error|continueOnError|allow_failure|allow-failure|ignore_failure|ignore_errors|soft_fail)\s*:\s*["']?(?:true|yes|\$\{\{(?!.*experimental))`,
  'it does not run by itself': raw`^\s*-?\s*(?:if|condition)\s*:\s*(?:["']?(?:false|never)\b|\$\{\{\s*false\s*\}\})|^\s*-?\s*when\s*:\s*(?:never|manual)\b`,
  'failing tests do not fail the build': raw`\btestFailureIgnore>\s*true|\bfailIfNoTests>\s*false|\bisIgnoreFailures\s*=\s*true|\bignoreFailures(?:\.set\(|\s*=\s*)\s*true|haltonfailure="(?:false|no)"|<failOnError>\s*false|<(?:skipTests|skip|maven\.test\.skip|skipITs)>\s*true|\bonlyIf\s*\{\s*false|rerunFailingTestsCount>\s*[1-9]`,
  'what fails does not count': raw`\bignore_outcome\s*=\s*true|\bsuccess_codes\s*=\s*[[(][^\])]*[1-9]|\bpassWithNoTests["']?\s*[:=]\s*true|\bcheck-?[cC]overage["']?\s*[:=]\s*false|\binformational\s*:\s*true|\bcatchError\b|returnStatus:\s*true|\bfailOn\w*="false"|doctest\s*=\s*false|\bforbidOnly\s*:\s*false|allow_failures`,
};

function settings(reading: Reading): readonly Judged[] {
  const { path, old, new: next } = reading;
  const known = new Set(changedLines(old).map(({ text }) => text.trim()));
  return changedLines(next).flatMap((line) => {
    const says = Object.keys(harmless).find((each) => harmless[each]?.test(line.text));
    if (says === undefined || known.has(line.text.trim()) || !concernsTests(reading, line)) return [];
    return [inNew(path, line, ['forced-success', says])];
  });
}

const harmlessSteps = raw`(?i)upload|deploy|publish|notify|slack|codecov|comment|cache|artifact|release|sarif|label|bench|nightly|experimental|canary|early|preview|report|badge|scan|sonar`;

/** So many lines around one in YAML say what the step or job is for, unless another step begins between. */
const around = 4;

function concernsTests({ path, new: version }: Reading, line: Line): boolean {
  const { lines } = version;
  if (!/\.ya?ml$/.test(path)) return true;
  const at = placesIn(version).get(line) ?? 0;
  const isStep = ({ text }: Line) => /^\s*-\s/.test(text);
  const above = lines.slice(Math.max(0, at - around), at);
  const below = lines.slice(at + 1, at + around + 1);
  const [start, end] = [above.findLastIndex(isStep), below.findIndex(isStep)];
  const near = [
    ...(isStep(line) ? [] : above.slice(Math.max(0, start))),
    ...below.slice(0, end < 0 ? around : end),
  ];
  return !near.some(({ hunk, text }) => hunk === line.hunk && harmlessSteps.test(text));
}

const kinds = ['types', 'lint', 'tests'] as const;
type Verified = (typeof kinds)[number];

/** A command that says whether the work is right: in CI, in a script, or in a list of scripts. */
interface Verification {
  readonly verified: Verified;
  /** The program, or the script that it is told to run. */
  readonly name: string;
  readonly line: Line;
  readonly path: string;
}

const programs: Readonly<Record<Verified, ReadonlySet<string>>> = {
  tests: wordsOf(
    'jest vitest mocha ava tap karma pytest py.test tox nox rspec parallel_rspec minitest phpunit pest paratest bats ctest gotestsum ginkgo cypress playwright nextest testcafe stryker wdio unittest trial nose2 behave cucumber newman k6 nosetests parallel_test trunk --test',
  ),
  lint: wordsOf(
    'eslint biome ruff flake8 pylint rubocop golangci-lint shellcheck stylelint prettier black clippy oxlint ktlint ktlintCheck detekt swiftlint staticcheck phpcs phpstan psalm xo standard credo',
  ),
  types: wordsOf('tsc mypy pyright vue-tsc flow sorbet dialyzer'),
};

const targets: Readonly<Record<Verified, RegExp>> = {
  types: /(?:^|[:_.-])(?:typecheck|type-check|types|tsc|typing)(?:$|[:_.-])/i,
  lint: /(?:^|[:_.-])(?:lint|format-check|fmt-check|vet|audit)(?:$|[:_.-])/i,
  tests: raw`(?:^|[:_./-])(?:tests?|spec|specs|e2e|unit|integration\w*|verify|checks?|ci|cit|conformance)(?:$|[:_.-])|Test$`,
};

const runners = wordsOf(
  'npm yarn pnpm bun deno make rake just task gradle gradlew ./gradlew mvn mvnw ./mvnw cargo go dotnet swift mix sbt composer turbo nx lerna bazel xcodebuild rails bin/rails flutter dart poe hatch npm-run-all run-s run-p artisan stack cabal bundle lake earthly wireit',
);

function wordsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** Finds the verifying commands of one version of a file. */
function verificationsIn({ path }: Reading, { lines }: Version): readonly Verification[] {
  return lines.flatMap((line) => {
    const text = commandIn(line.text, path);
    return text.split(/&&|\|\||[;|]/).flatMap((part): readonly Verification[] => {
      const words = part.split(/["'\s,()[\]@]+/).filter((word) => word !== '');
      const found = verifiedBy(words);
      return found === undefined ? [] : [{ ...found, line, path }];
    });
  });
}

/** Gives a line without what surrounds a command in YAML, JSON or a call; empty if it holds none. */
function commandIn(line: string, path: string): string {
  const plain = line.trim().replace(/^\s*-\s+/, '');
  if (/\.json$/.test(path)) return /^"[^"]+"\s*:\s*"(.*)"/.exec(plain)?.[1] ?? '';
  if (!/\.ya?ml$/.test(path)) return plain;
  const [, key, value = ''] = /^([\w-]+)\s*:(?:\s+(.*))?$/.exec(plain) ?? [];
  if (key === undefined) return plain;
  return /^(?:run|script|command|cmd|bash|test_script|entry|sh)$/.test(key) ? value : '';
}

function verifiedBy(words: readonly string[]): Pick<Verification, 'verified' | 'name'> | undefined {
  for (const [index, word] of words.slice(0, 12).entries()) {
    const name = word.replace(/^.*\/(?=[\w.-]+$)/, '');
    const isInstalled = /^(?:install|add|require|pip)$/.test(words[index - 1] ?? '');
    const verified = kinds.find((kind) => programs[kind].has(name));
    if (verified !== undefined && !isInstalled) return { verified, name };
    // `$(GO)` in a Makefile is a program, too.
    if (!runners.has(word.toLowerCase()) || word === 'bundle') continue;
    const rest = words
      .slice(index + 1, index + 8)
      .filter((each) => !each.startsWith('-') && each !== 'run' && each !== 'exec');
    if (/^(?:install|ci|add|i|publish|update)$/.test(rest[0] ?? '') && !/make|just|task/.test(word))
      return undefined;
    for (const target of rest) {
      const told = kinds.find((kind) => targets[kind].test(target));
      if (told !== undefined) return { verified: told, name: target };
    }
    return undefined;
  }
  return undefined;
}

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

/** Tests say with these how many inputs a property is tried with, and which. */
const tried = /^(?:numRuns|num_runs|max_examples|max_value|max_size|maxLength|PROPTEST_CASES)$/;
/** Tests say with these how far off a result may be. */
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

/** Finds what a line of a list names. */
function entryIn(text: string): string | undefined {
  const found =
    text.match(/["']([^"']{2,})["']|>\s*([^<>]{2,})\s*</g)?.at(-1) ??
    /^\s*(?:-\s+)?([\w./*-]+[/*.][\w./*-]*),?\s*$/.exec(text)?.[1] ??
    /=\s*([\w./*-]+\/[\w./*-]*)\s*$/.exec(text)?.[1];
  return found?.replace(/^["'>\s]+|["'<\s]+$/g, '');
}

/** Gives the line itself, and the nearest ones above that are indented less. */
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

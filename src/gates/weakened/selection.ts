import { anyOf } from '../../text/pattern/any-of.ts';
import type { VerifyingCommand } from './commands.ts';
import type { Weakening } from './finding.ts';

/** Options that leave tests out, or that let a run without tests pass, as their tools spell them. */
const options: readonly (readonly [RegExp, Weakening, string])[] = [
  [
    /^--(?:pass-?with-?no-?tests|passWithNoTests|allow-?no-?tests|no-error-on-unmatched-pattern)$/,
    'forced-success',
    'passes without any test',
  ],
  [
    anyOf([
      '^--(?:exit-zero|no-fail|ignore-failures?|no-exit-code|keep-going-ok|allow-failures?|suppress-exit-code|force-success)(?:=|$)',
    ]),
    'forced-success',
    'succeeds whatever it finds',
  ],
  [
    /^-(?:D)?maven\.test\.failure\.ignore|^-fae$|^-Dmaven\.test\.failure\.ignore/,
    'forced-success',
    'succeeds whatever it finds',
  ],
  [/^-D(?:skipTests|maven\.test\.skip|skipITs)(?!=false)/, 'narrowed-selection', 'runs no tests'],
  [
    /^(?:-u|--update-?[sS]napshots?|--snapshot-update|--ci=false|--inline-snapshot=fix)$/,
    'rewritten-snapshot',
    'accepts whatever the code gives as expected',
  ],
  [
    anyOf([
      String.raw`^(?:-k|-g|-t|-run|-skip|--skip|--grep|--fgrep|--invert|--ignore(?:-glob)?|--deselect|--testNamePattern|--test-name-pattern|--testPathPatterns?|--testPathIgnorePatterns|--exclude|--exclude-tags?|--exclude-pattern|--filter|--filter-expr|--tests|--tags?|--only\w*|--changed\w*|--lf|--last-failed|--related|--findRelatedTests|--shard|--short|-short|-test\.short|--lib|--bins|--doc|-Dtest|--spec|--example|-e|--exclude-group|--testsuite|--suite|-only-testing|-skip-testing|--ignore-pattern)(?:[=:].*)?$`,
    ]),
    'narrowed-selection',
    'runs fewer tests',
  ],
  [
    /^--(?:retries|retry|reruns|flaky|flake-attempts|test-retries|retry-times|rerun-failing-tests)(?:=|$)/,
    'loosened-threshold',
    'tries again until it passes',
  ],
];

/** Options that name the tests by a word of their own, and mean something else for other tools. */
const ambiguous: Readonly<Record<string, RegExp>> = {
  '-e': /\bmocha\b|\brspec\b/,
  '-t': /\bjest\b|\bvitest\b/,
  '-u': /\bjest\b|\bvitest\b|\btest\b/,
  '-g': /\bmocha\b|\bplaywright\b/,
  '--filter': /\b(?:phpunit|dotnet|swift|vitest)\b/,
  '--tests': /gradle/,
  '--lib': /\bcargo\b/,
  '--doc': /\bcargo\b/,
  '--bins': /\bcargo\b/,
  '--spec': /cypress/,
};

/** How a command selects less, or accepts more, than the one it replaces. */
export function newlySelects(
  old: VerifyingCommand,
  next: VerifyingCommand,
  isSplit: boolean,
): { readonly what: Weakening; readonly says: string } | undefined {
  const before = new Set(old.words);
  for (const word of next.words) {
    if (before.has(word) || !applies(word, next) || /^--shard.*\$/.test(word)) continue;
    const option = options.find(([pattern]) => pattern.test(word));
    if (option === undefined) continue;
    const [, what, says] = option;
    if (what === 'narrowed-selection' && (isSplit || hasSameOption(word, old))) continue;
    return { what, says };
  }
  if (next.verified === 'tests' && !isSplit && narrowsPaths(old, next))
    return { what: 'narrowed-selection', says: 'runs fewer tests' };
  return loosened(old, next);
}

function applies(word: string, { text }: VerifyingCommand): boolean {
  const plain = word.replace(/[=:].*$/, '');
  return ambiguous[plain]?.test(text) ?? true;
}

/** The same option was there with another value; `narrowsPaths` looks at values. */
function hasSameOption(word: string, old: VerifyingCommand): boolean {
  const plain = word.replace(/[=:].*$/, '');
  return /^--(?:shard|filter|spec|project)/.test(plain) && old.words.some((other) => other.startsWith(plain));
}

function narrowsPaths(old: VerifyingCommand, next: VerifyingCommand): boolean {
  const [before, after] = [pathsOf(old), pathsOf(next)];
  if (after.length === 0) return false;
  if (before.length === 0) return headOf(old) === headOf(next);
  const covers = (wide: string, narrow: string) =>
    wide === '.' ||
    wide === './...' ||
    wide === './' ||
    narrow === wide ||
    narrow.startsWith(`${wide.replace(/\/(?:\.\.\.)?$/, '')}/`);
  const isNarrower = after.every((path) => before.some((wide) => covers(wide, path)));
  const isLess = before.some((wide) => !after.some((path) => covers(path, wide)));
  return isNarrower && isLess;
}

function headOf({ words }: VerifyingCommand): string {
  return words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ')
    .replace(/\s\S*[/.]\S*$/, '');
}

function pathsOf({ words }: VerifyingCommand): readonly string[] {
  return words
    .slice(1)
    .filter(
      (word, at) =>
        !word.startsWith('-') &&
        /^\.$|^[\w.*-]*\/[\w./*:-]*$|^[\w-]+\.(?:py|js|ts|rb)(?:::\S*)?$|^tests?$|^spec$/.test(word) &&
        !/^-(?:-\w|[cCpo]$)/.test(words[at] ?? ''),
    )
    .filter((word) => !/\.(?:json|ya?ml|toml|ini|cfg|xml|config\.\w+)$/.test(word) && word !== 'test');
}

const bounded: readonly (readonly [RegExp, 'up' | 'down'])[] = [
  [/--cov-fail-under[= ](\d+(?:\.\d+)?)/, 'down'],
  [/--fail-under(?:-\w+)?[= ](\d+(?:\.\d+)?)/, 'down'],
  [/--(?:branches|functions|lines|statements|min(?:-\w+)?|coverage)[= ](\d+(?:\.\d+)?)/, 'down'],
  [/--max-warnings[= ](\d+)/, 'up'],
  [/--(?:retries|reruns|retry)[= ](\d+)/, 'up'],
  [/--(?:test-?)?timeout[= ](\d+)/i, 'up'],
];

function loosened(
  old: VerifyingCommand,
  next: VerifyingCommand,
): { what: Weakening; says: string } | undefined {
  for (const [pattern, looser] of bounded) {
    const [before, after] = [pattern.exec(old.text)?.[1], pattern.exec(next.text)?.[1]];
    if (before === undefined) continue;
    const isGone = after === undefined && looser === 'down';
    const isLooser =
      after !== undefined &&
      (looser === 'up' ? Number(after) > Number(before) : Number(after) < Number(before));
    if (isGone || isLooser) return { what: 'loosened-threshold', says: `a bound of ${before} is loosened` };
  }
  return undefined;
}

import { anyOf } from '../../text/pattern/any-of.ts';
/** What a command verifies. */
export type Verified = 'tests' | 'lint' | 'types' | 'build' | 'coverage';

/** A command in a script, a workflow or a list of scripts that says whether the work is right. */
export interface VerifyingCommand {
  readonly verified: Verified;
  /** All that it verifies: `turbo run lint test` does two things. */
  readonly verifies: readonly Verified[];
  readonly words: readonly string[];
  readonly text: string;
  /** What stands behind it in the line. */
  readonly after: string;
}

const runners: readonly (readonly [Verified, RegExp])[] = [
  [
    'tests',
    anyOf([
      String.raw`^(?:jest|vitest|mocha|ava|tap|karma|pytest|py\.test|tox|nox|rspec|minitest|phpunit|pest|bats|ctest|gotestsum|ginkgo|cypress|playwright|nextest|testcafe|stryker|wdio|c8|nyc|nextest|unittest|trial|nose2?|behave|cucumber|newman|k6|qunit|web-test-runner)$`,
    ]),
  ],
  [
    'lint',
    anyOf([
      '^(?:eslint|biome|ruff|flake8|pylint|rubocop|golangci-lint|shellcheck|stylelint|prettier|black|isort|clippy|hadolint|oxlint|ktlint|detekt|swiftlint|standard|staticcheck|phpcs|phpstan|psalm|yamllint|actionlint)$',
    ]),
  ],
  ['types', /^(?:tsc|mypy|pyright|vue-tsc|flow|sorbet|dialyzer)$/],
  ['coverage', /^(?:diff-cover|codecov-check)$/],
];

const scripts: readonly (readonly [Verified, RegExp])[] = [
  [
    'tests',
    anyOf([
      '(?:^|[:_.-])(?:tests?|spec|specs|e2e|unit|integration|check-all|ci|cit|verify|check|checks|it)(?:$|[:_.-])',
    ]),
  ],
  ['lint', /(?:^|[:_.-])(?:lint|format-check|fmt-check|vet|audit)(?:$|[:_.-])/],
  ['types', /(?:^|[:_.-])(?:typecheck|type-check|types|tsc)(?:$|[:_.-])/],
  ['build', /(?:^|[:_.-])(?:build|compile|package|assemble)(?:$|[:_.-])/],
];

/** Those that run a script or target by its name. */
const byTarget = anyOf([
  String.raw`^(?:npm|yarn|pnpm|bun|deno|make|rake|just|task|gradle|gradlew|\./gradlew|mvn|mvnw|\./mvnw|cargo|go|dotnet|swift|mix|sbt|composer|turbo|nx|lerna|bazel|xcodebuild|rails|bin/rails|flutter|dart|invoke|poe|hatch|moon|zig|php|artisan|stack|cabal)$`,
]);

/** Those that only start another one. */
const prefixes = anyOf([
  String.raw`^(?:npx|bunx|sudo|env|time|exec|poetry|uv|uvx|pipenv|pdm|run|bundle|python[\d.]*|-m|coverage|xvfb-run|nohup|timeout|\d+[smh]?|cross-env|dotenv|--|bash|sh|-c|-e|-eux?o?|pipefail|node|--run|command|nice|then|do|else|!|@|-?@|if|and|ruby|-I\S*|vendor/bin/.*|run-s|run-p|npm-run-all|retry|\(|\w+=\S*)$`,
]);

/** The verifying commands in a line, apart at `&&`, `;`, `||` and `|`. */
export function verifyingCommands(line: string): readonly VerifyingCommand[] {
  const plain = commandOf(line.slice(0, 1_000));
  const found: VerifyingCommand[] = [];
  let at = 0;
  for (const part of plain.split(/(&&|\|\||[;|])/)) {
    at += part.length;
    if (/^(?:&&|\|\||[;|])$/.test(part)) continue;
    const words = part
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '');
    const verified = verifiedBy(words);
    if (verified !== undefined)
      found.push({
        verified,
        verifies: kindsOf(words, verified),
        words,
        text: part.trim(),
        after: plain.slice(at).trim(),
      });
  }
  return found;
}

/** Without what surrounds a command in YAML, JSON, a Makefile or a Jenkinsfile. */
function commandOf(line: string): string {
  return line
    .trim()
    .replace(/^(?:-\s+)?(?:run|script|command|cmd|test_script|commands|bash)\s*:\s*[|>]?-?\s*/, '')
    .replace(/^-\s+/, '')
    .replace(calling, (_, given: string) => given.replace(/["'`,\])]+/g, ' '))
    .replace(/^"[\w:.-]{1,80}"\s*:\s*"/, '')
    .replace(/^(?:sh|bat)\s*\(?\s*(?:script:\s*)?["']{1,3}/, '')
    .replace(/^(?:RUN|CMD|ENTRYPOINT)\s+/, '')
    .replace(/^[@-]+(?=\S)/, '')
    .replace(/["'],?\s*\)?\s*,?$/, '')
    .replace(/^["']/, '')
    .replace(/\$\{\{[^{}]{0,200}\}\}/g, '$$value')
    .replace(/^(?:\$\(|\$?\{)\w{1,40}[)}]\//, '')
    .replace(/^(?:\$\(|\$?\{)(\w{1,40})[)}](?=\s)/, (_, name: string) => toolOf(name));
}

/** `$(GO)`, `${PYTEST}` and `{envpython}` are by convention called like what they start. */
function toolOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^env(?=py)|_?(?:cmd|bin|command|exe)$/g, '')
    .replace(/_/g, '-');
}

const calling = anyOf([
  String.raw`^.{0,80}\b(?:session\.run|subprocess\.\w+|execSync|execFileSync|spawnSync|system|check_call)\(\s*\[?(.*)$`,
]);

function verifiedBy(words: readonly string[]): Verified | undefined {
  // Node's own runner.
  if (words.includes('--test') && words.slice(0, 3).some((word) => /^(?:node|tsx)$/.test(word)))
    return 'tests';
  let at = 0;
  while (at < words.length && at < 12 && isPrefix(words, at)) at++;
  const head = (words[at] ?? '').replace(/^(?:\.\/)?(?:node_modules\/\.bin|vendor\/bin|bin)\//, '');
  const direct = runners.find(([, pattern]) => pattern.test(head.replace(/@.*$/, '')));
  if (direct !== undefined) return direct[0];
  if (byTarget.test(head)) {
    // `npm ci` installs.
    const installs = words[at + 1] === 'ci' && head === 'npm';
    const named = words.slice(at + 1, at + 9).filter((word) => !word.startsWith('-') && word !== 'run');
    if (installs) return undefined;
    return named.map(byName).find((verified) => verified !== undefined);
  }
  if (/^\.{0,2}\/?[\w./-]+\.(?:sh|py|js|mjs|ts|rb)$|^\.\/|\//.test(head))
    return byName(head.replace(/^.*\/|\.\w+$/g, ''));
  return undefined;
}

function kindsOf(words: readonly string[], first: Verified): readonly Verified[] {
  const named = words.some((word) => byTarget.test(word)) ? words.map(byName) : [];
  return [...new Set([first, ...named.filter((kind) => kind !== undefined)])];
}

/** Words before the command itself: what starts it, with its own options and their values. */
function isPrefix(words: readonly string[], at: number): boolean {
  const [word = '', before = ''] = [words[at], words[at - 1]];
  if (prefixes.test(word)) return true;
  return at > 0 && (valued.test(word) || valued.test(before) || /^--\w[\w-]*=/.test(word));
}

/** Options of `uvx`, `poetry` or `docker compose` that come before the command and take a value. */
const valued = /^--(?:python|with|from|group|extra|package|project|directory|env-file|workdir|only-group)$/;

function byName(word: string): Verified | undefined {
  const name = word.replace(/^:|^.*:(?=test|check|lint)/, '');
  if (/^(?:connectedAndroidTest|\w*[tT]est\w*)$/.test(name) && !/latest|attest/i.test(name)) return 'tests';
  if (name === 'clippy' || /format|\bfmt|prettier/.test(name)) return 'lint';
  return scripts.find(([, pattern]) => pattern.test(name))?.[0];
}

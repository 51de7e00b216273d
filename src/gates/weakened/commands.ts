import { anyOf } from '../../text/pattern/any-of.ts';
import type { Line, Reading, Version } from './lines.ts';

export type Verified = 'tests' | 'lint' | 'types';

/** A command that says whether the work is right: in CI, in a script, or in a list of scripts. */
export interface Verification {
  readonly verified: Verified;
  /** The program, or the script that it is told to run. */
  readonly name: string;
  readonly words: readonly string[];
  readonly line: Line;
  readonly path: string;
  /** All of its line, where what comes after it can hide what it finds. */
  readonly text: string;
}

const programs: Readonly<Record<Verified, ReadonlySet<string>>> = {
  tests: wordsOf(
    'jest vitest mocha ava tap karma pytest py.test tox nox rspec parallel_rspec minitest phpunit pest paratest bats ctest gotestsum ginkgo cypress playwright nextest testcafe stryker wdio unittest trial nose2 behave cucumber newman k6 nosetests parallel_test trunk',
  ),
  lint: wordsOf(
    'eslint biome ruff flake8 pylint rubocop golangci-lint shellcheck stylelint prettier black clippy oxlint ktlint ktlintCheck detekt swiftlint staticcheck phpcs phpstan psalm xo standard credo',
  ),
  types: wordsOf('tsc mypy pyright vue-tsc flow sorbet dialyzer'),
};

const targets: readonly (readonly [Verified, RegExp])[] = [
  ['types', /(?:^|[:_.-])(?:typecheck|type-check|types|tsc|typing)(?:$|[:_.-])/i],
  ['lint', /(?:^|[:_.-])(?:lint|format-check|fmt-check|vet|audit)(?:$|[:_.-])/i],
  [
    'tests',
    anyOf([
      String.raw`(?:^|[:_./-])(?:tests?|spec|specs|e2e|unit|integration\w*|verify|checks?|ci|cit|conformance)(?:$|[:_.-])|Test$`,
    ]),
  ],
];

const runners = wordsOf(
  'npm yarn pnpm bun deno make rake just task gradle gradlew ./gradlew mvn mvnw ./mvnw cargo go dotnet swift mix sbt composer turbo nx lerna bazel xcodebuild rails bin/rails flutter dart poe hatch npm-run-all run-s run-p artisan stack cabal bundle lake earthly wireit',
);

function wordsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** The verifying commands of one version of a file. */
export function verificationsIn({ path }: Reading, { lines }: Version): readonly Verification[] {
  return lines.flatMap((line) => {
    const text = commandIn(line.text, path);
    return text.split(/&&|\|\||[;|]/).flatMap((part): readonly Verification[] => {
      const words = part.split(/["'\s,()[\]@]+/).filter((word) => word !== '');
      const found = verifiedBy(words);
      return found === undefined ? [] : [{ ...found, words, line, path, text }];
    });
  });
}

/** A line without what surrounds a command in YAML, JSON or a call; empty if it holds none. */
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
    for (const verified of ['tests', 'lint', 'types'] as const)
      if (programs[verified].has(name) && !/^(?:install|add|require|pip)$/.test(words[index - 1] ?? ''))
        return { verified, name };
    if (word === 'node' && words.includes('--test')) return { verified: 'tests', name: '--test' };
    if (!runners.has(word) || word === 'bundle') continue;
    const rest = words
      .slice(index + 1, index + 8)
      .filter((each) => !each.startsWith('-') && each !== 'run' && each !== 'exec');
    if (/^(?:install|ci|add|i|publish|update)$/.test(rest[0] ?? '') && !/make|just|task/.test(word))
      return undefined;
    for (const target of rest) {
      const kind = targets.find(([, pattern]) => pattern.test(target))?.[0];
      if (kind !== undefined) return { verified: kind, name: target };
    }
    return undefined;
  }
  return undefined;
}

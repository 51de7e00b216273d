import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import { anyOf, raw } from '../../text/regexp.ts';
import { changesAutomation, isExample, isMakefile, isPackageJson, matching } from '../reading/file-kinds.ts';
import { type Patch, type PatchLine, regionsOf, unescaped } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';

/** Files that are about more than verifying, and which of their lines are about that. */
interface Mixed {
  readonly is: (path: string) => boolean;
  /** All lines of a section with such a name count. */
  readonly region?: RegExp;
  /** A line like this counts wherever it is. */
  readonly line?: RegExp;
}

const verifying =
  '(?:pre|post)?(?:test|tests|lint|check|checks|verify|typecheck|type-check|types|coverage|cov|ci|unit|e2e|integration|spec|specs|jest|vitest|mocha|pytest|audit|validate)(?:[:.-][\\w:.-]+)?';
const lifecycle =
  'preinstall|install|postinstall|preprepare|prepare|postprepare|prepublish|prepublishOnly|prepack|postpack|dependencies|pre-install-cmd|post-install-cmd|pre-update-cmd|post-update-cmd|post-autoload-dump';

/** What has a Makefile run its commands otherwise: by another program, or whatever they say. */
const withoutFailing = [
  '^\\.(?:IGNORE|RECIPEPREFIX)\\b',
  '^[-s]?include\\s',
  '^\\s*(?:override\\s+|export\\s+)?SHELL\\s*[:?+!]*=(?!\\s*(?:/usr)?(?:/bin/)?(?:env\\s+)?(?:ba|da|z|k)?sh\\s*$)',
  '^\\s*\\.SHELLFLAGS\\s*[:?+!]*=(?![-\\seuxopifalc]*$)',
  '^\\s*(?:override\\s+|export\\s+)?MAKEFLAGS\\s*[:?+!]*=(?:.*\\s)?(?:-?[a-zA-Z]*[intq][a-zA-Z]*|--(?:ignore-errors|just-print|dry-run|recon|touch|question))(?:\\s|$)',
].join('|');

const mixed: readonly Mixed[] = [
  {
    is: isPackageJson,
    region: raw`^(?:imports|exports|jest|vitest|mocha|nyc|c8|ava|tap|eslintConfig|husky|lint-staged|simple-git-hooks|pre-commit|stylelint|commitlint|coverageThreshold|xo|standard|wtr)$`,
    line: new RegExp(
      `^\\s*"(?:imports|exports)"\\s*:|^\\s*"(?:${verifying}|${lifecycle})"\\s*:\\s*(?:"(?![\\^~>=<*\\d]|v\\d|npm:|workspace:|file:|git[+:]|github:|https?:)|\\[)`,
    ),
  },
  {
    is: matching(['**/{pyproject.toml,setup.cfg,Pipfile,hatch.toml,pixi.toml}']),
    region: raw`(?i)^"?(?:tool[.:](?:pytest|coverage|tox|ruff|mypy|pylint|pyright|basedpyright|bandit|flake8|nox|hatch\.envs|poe|pdm\.scripts|taskipy|interrogate|pixi\.tasks|mutmut|codespell|vulture)|pytest|flake8|mypy|coverage|tox|testenv|pylint|pycodestyle|isort|envs|scripts$|aliases)`,
  },
  {
    is: (path) => isMakefile(path) || /(?:^|\/)(?:\.?justfile|Rakefile)$/i.test(path),
    region: new RegExp(`(?:^|\\s)${verifying}(?:$|\\s)`),
    line: new RegExp(
      `^(?:\\.PHONY\\s*:.*\\b)?${verifying}\\s*:|^\\s*(?:override\\s+|export\\s+)?(?:\\w*(?:TEST|LINT|CHECK)\\w*|JEST|MOCHA|RUFF|MYPY|GOFLAGS|GO|PYTHON3?|NODE|NP[MX]|CARGO)\\s*[:?+!]*=|^\\s*(?:task|desc)\\b.{0,20}\\b(?:test|spec|lint)\\b|${withoutFailing}`,
    ),
  },
  {
    is: matching(['**/*.{gradle,gradle.kts}', '**/gradle.properties']),
    line: anyOf([
      String.raw`\bignoreFailures\b`,
      String.raw`\b(?:test|tasks\.test|check|integrationTest)\s*(?:\{|\.configure|\.enabled)`,
      String.raw`\buseJUnit|\bexcludeTestsMatching\b|\bincludeTestsMatching\b|\bonlyIf\b|\bjacoco`,
      String.raw`\bminimum\s*=|\bfailOnNoMatchingTests\b|\bexcludeTags\b|\bincludeTags\b|\bdetekt\b`,
      String.raw`\bcheckstyle\b|\bspotless\b|\babortOnError\b|\bskipTests?\b|-x\s+test\b`,
      String.raw`\bmaxWarnings\b|\benabled\s*=?\s*false\b|\bdependsOn\b.{0,40}\b[tT]est`,
    ]),
  },
  {
    is: matching(['**/{pom,*.pom}.xml', '**/.mvn/{maven.config,jvm.config}', '**/build.{xml,sbt}']),
    line: anyOf([
      String.raw`\b(?:skipTests|skipITs|maven\.test\.skip|testFailureIgnore|failIfNoTests|maven-(?:surefire|failsafe|checkstyle|pmd|enforcer)-plugin|jacoco|spotbugs|excludedGroups|failOnViolation|failsOnError|haltonfailure|haltOnFailure)\b`,
      String.raw`<exclude>.*(?:Test|IT|Spec)|\bTest\s*/|\bcoverageMinimum`,
    ]),
  },
  {
    is: matching(['**/Cargo.toml', '**/.cargo/config{,.toml}']),
    region: /^(?:test|bench|profile\.test|lints|workspace\.lints|lints\..*|workspace\.lints\..*)$/,
    line: anyOf([
      String.raw`^\s*(?:test|doctest|bench|harness|autotests)\s*=|^\s*required-features\s*=`,
      String.raw`^\s*(?:test|t|check|clippy|lint)\s*=`,
    ]),
  },
  {
    is: matching([
      '**/{deno.json,deno.jsonc,bunfig.toml,project.json,nx.json,turbo.json,mix.exs,Package.swift,rebar.config,project.clj,deps.edn}',
    ]),
    region: /^(?:test|lint|check|tasks?\.test)$/,
    line: new RegExp(
      `^\\s*["':]?(?:${verifying})["']?\\s*(?::|=>|=)|test_coverage|\\bthreshold\\b|\\.testTarget\\(`,
    ),
  },
  {
    is: matching(['**/{tsconfig,jsconfig}*.json']),
    region: /^(?:paths|exclude|plugins)$/,
    line: /^\s*"(?:paths|exclude|extends|plugins)"\s*:|^\s*"(?:strict\w*|noImplicit\w+|noUnused\w+|noUnchecked\w+|noFallthrough\w*|exactOptional\w+|noEmitOnError|alwaysStrict|checkJs|useUnknownInCatchVariables)"\s*:\s*false\b|^\s*"(?:noCheck|skipLibCheck|suppress\w+|allowUnreachableCode)"\s*:\s*true\b/,
  },
  {
    is: matching(['**/*.{csproj,fsproj,vbproj,props,targets,runsettings}', '**/.editorconfig']),
    line: anyOf([
      String.raw`\b(?:IsTestProject|TreatWarningsAsErrors|WarningsNotAsErrors|NoWarn|RunAnalyzers\w*|EnableNETAnalyzers|Threshold|CollectCoverage|VSTestTestCaseFilter|TestCaseFilter|SkipTests?)\b`,
      String.raw`^\s*dotnet_diagnostic\..*severity`,
    ]),
  },
  {
    is: matching(['**/{CMakeLists.txt,meson.build,BUILD,BUILD.bazel,.bazelrc}']),
    line: anyOf([
      String.raw`\b(?:add_test|enable_testing|gtest_discover_tests|catch_discover_tests|set_tests_properties|test_suite|DISABLED|WILL_FAIL|flaky\s*=|tags\s*=.*manual)\b`,
      String.raw`^\s*test\(|^\s*(?:test|build):?\S*\s+--(?:test_|flaky|build_tests)`,
    ]),
  },
  { is: matching(['**/.yarnrc{,.yml}']), line: /^\s*(?:yarnPath|yarn-path|plugins)\b/ },
  { is: matching(['**/Procfile']), line: /^\s*(?:test|release)\s*:/ },
  {
    is: matching(['**/{Gemfile,gems.rb}']),
    line: anyOf([
      String.raw`\bdanger\b|^\s*source\b(?!\s*\(?["']https:\/\/rubygems\.org\/?["'])`,
      String.raw`^\s*(?:git_source|git|path|eval_gemfile|plugin|require|load|system|exec)\b`,
      String.raw`\b(?:path|git|github|source)(?::|\s*=>)|\b(?:instance_eval|File|IO|Kernel)\b|\x60`,
    ]),
  },
  { is: matching(['**/go.mod']), line: /^\s*(?:replace|toolchain)\b|=>/ },
];

/**
 * Finds lines that decide what is verified, or what runs by itself, in files that are about more than that.
 */
export function automationHits(patch: Patch): readonly GateHit[] {
  const { path, status } = patch.change;
  if (status === 'deleted' || changesAutomation.matches(path) || isFixture(path)) return [];
  const file = mixed.find(({ is }) => is(path));
  if (file === undefined) return [];
  const regions = regionsOf(patch);
  const both = unchangedParts(patch);
  const changed = [...patch.added, ...patch.removed].filter((line) =>
    partsOf(line.text, path).some((text) => !both.has(text) && matches({ ...line, text }, regions, file)),
  );
  return changed
    .slice(0, maxHits)
    .map(({ number, sign, text }) =>
      sign === '+'
        ? hitAt('changes-automation', { path, line: number }, text)
        : hitAt('changes-automation', { path }, `removed: ${text.trim()}`),
    );
}

const maxHits = 5;

/** A whole object may be written on one line, and a key with escapes. */
function partsOf(text: string, path: string): readonly string[] {
  if (!path.toLowerCase().endsWith('.json')) return [text];
  return unescaped(text.slice(0, maxObject)).split(/(?<=[{,])/);
}

const maxObject = 10_000;

/** Parts of such lines that are on both sides. */
function unchangedParts({ added, removed, change: { path } }: Patch): ReadonlySet<string> {
  const several = (lines: readonly PatchLine[]) =>
    lines.map(({ text }) => partsOf(text, path)).flatMap((parts) => (parts.length > 2 ? parts : []));
  const gone = new Set(several(removed));
  return new Set(several(added).filter((part) => gone.has(part)));
}

/** Packages that tests are given; the paths of tests that a package has of its own still count. */
function isFixture(path: string): boolean {
  return isExample(path) && /(?:^|\/)(?:fixtures|__fixtures__|testdata|examples?|samples?)\//.test(path);
}

const maxLine = 1_000;

function matches(
  { number, text }: PatchLine,
  regions: ReadonlyMap<number, string>,
  { line, region }: Mixed,
): boolean {
  const whole = text.slice(0, maxLine);
  if (whole.trim() === '' || /^\s*(?:#|\/\/|<!--)/.test(whole)) return false;
  const inside = regions.get(number);
  return line?.test(whole) === true || (inside !== undefined && region?.test(inside) === true);
}

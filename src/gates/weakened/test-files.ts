import picomatch from 'picomatch';
import type { FileDiff } from '../../steering/shapes/attempt-result.ts';
import { raw } from '../../text/regexp.ts';
import { patchOf } from '../reading/patch.ts';

const sources =
  '{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,py,pyi,rb,go,rs,java,kt,kts,scala,groovy,cs,fs,vb,php,phpt,swift,m,mm,c,cc,cpp,cxx,h,hpp,ex,exs,erl,clj,dart,lua,pl,t,r,R,jl,sh,bash,bats,ps1}';

const testFolders =
  '{test,tests,Test,Tests,__tests__,spec,specs,e2e,cypress,androidTest,integrationTest,testFixtures,*Tests,*UITests,*.Tests,*.Test,*.UnitTests,*.IntegrationTests}';

/**
 * Files with tests, or that only tests load. Case matters: `LatestTest.java` is a test, `latest.java` is not.
 */
const code = [
  `**/${testFolders}/**/*.${sources}`,
  `**/*{.test,.tests,.spec,.e2e,.cy,-test,-spec,_test,_tests,_spec}.${sources}`,
  '**/*.{test,spec}-d.ts',
  '**/{test_*,conftest}.py',
  '**/tests.{py,rs}',
  '**/*{Test,Tests,TestCase,Spec,Specs,IT}.{java,kt,scala,groovy,cs,fs,vb,php,swift}',
  '**/{Test,Tests}[A-Z]*.{java,kt}',
  '**/{spec_helper,rails_helper,test_helper}.{rb,exs}',
  '**/{setupTests,setup-tests,jest.setup,vitest.setup,jest-setup,vitest-setup}.*',
  '**/*.{bats,feature}',
];

/** Tests compare with these, or are given them. */
const expected = [
  '**/__{snapshots,fixtures,mocks,image_snapshots,screenshots}__/**',
  '**/*.{snap,snapshot,golden,approved.txt,approved.json,verified.txt,verified.json,ambr}',
  '**/testdata/**',
  `**/${testFolders}/**/{fixtures,testdata,data,resources,golden,goldens,snapshots,cassettes,expected,files}/**`,
  '**/snapshots/**/*.{snap,new,txt,json}',
  '**/src/test/**',
  '**/*-snapshots/**',
];

/** What decides how tests run. */
const configuration = [
  '**/{vitest,vitest.workspace,jest,playwright,cypress,karma,ava,wdio,jasmine}.config.*',
  '**/{vitest,vite.test,jest,playwright,karma}.*.config.*',
  '**/{.mocharc,.nycrc,.c8rc,.rspec,.coveragerc,.simplecov,.taprc}{,.*}',
  '**/{pytest.ini,tox.ini,noxfile.py,phpunit.xml,phpunit.xml.dist,jasmine.json,karma.conf.js,nextest.toml}',
];

const usualLayouts = [...code, ...expected, ...configuration];

/** What is installed is nobody's test here. */
const installed = ['**/{node_modules,vendor,.venv,site-packages,third_party}/**'];

const isUsual = picomatch(usualLayouts, { dot: true, ignore: installed });

/** Whether a path is one of tests: their code, what they compare with, or how they run. */
export function isTestFile(path: string, globs?: readonly string[]): boolean {
  if (globs === undefined) return isUsual(path);
  return picomatch([...globs], { dot: true })(path);
}

/**
 * Gives those of the paths that belong to the tests: code, snapshots, fixtures, helpers and the configuration
 * of test runners. Tests inside source files cannot be told by path; see `testsInSource`.
 */
export function testFiles(paths: readonly string[], globs?: readonly string[]): readonly string[] {
  return paths.filter((path) => isTestFile(path, globs));
}

/** How tests are declared inside of source files: Rust's modules of tests, and Vitest's. */
const marks: readonly (readonly [path: RegExp, text: RegExp])[] = [
  [/\.rs$/, /#\[(?:cfg\((?:all\()?test\b|(?:\w+::)?test\b|rstest\b)|^\s*(?:pub )?mod tests?\b/],
  [/\.[cm]?[jt]sx?$/, /\bimport\.meta\.vitest\b/],
  [/\.(?:py|pyx)$/, /^\s*>>> /],
];

/**
 * Finds the paths of changed source files that contain tests of their own, as far as the diff shows them.
 * These tests cannot be run with the code of another commit by putting back files.
 */
export function testsInSource(files: readonly FileDiff[], globs?: readonly string[]): readonly string[] {
  return files.filter((file) => !isTestFile(file.path, globs) && showsTests(file)).map(({ path }) => path);
}

function showsTests(file: FileDiff): boolean {
  const texts = marks.filter(([ending]) => ending.test(file.path)).map(([, text]) => text);
  if (file.diff === undefined || texts.length === 0) return false;
  return patchOf(file).hunks.some(({ heading, lines }) =>
    [heading, ...lines.map(({ text }) => text)].some((line) => texts.some((text) => text.test(line))),
  );
}

/** What a file is to the tests. */
export type Role =
  /** It is code that has tests, or that only tests run. */
  | 'test'
  /** Tests compare with it. */
  | 'expected'
  /** Decides what runs, and with which bounds. */
  | 'automation'
  /** It is tested. */
  | 'source'
  /** The tested code stands on it. */
  | 'dependency'
  /** Tests are given it. */
  | 'data'
  /** People read it. */
  | 'document';

const options = { dot: true, nocase: true };

const isAutomation = picomatch(
  [
    '.github/**/*.{yml,yaml,sh}',
    '.{gitea,forgejo,gitlab,circleci,buildkite,semaphore,woodpecker,ci,husky,azure-pipelines}/**',
    '**/{,.}{gitlab-ci,azure-pipelines,travis,appveyor,drone,woodpecker,cirrus,codecov,bitbucket-pipelines,buildspec,cloudbuild}*.{yml,yaml}',
    '**/{jenkinsfile,makefile,gnumakefile,justfile,rakefile,taskfile,dockerfile}{,.*}',
    '**/*.mk',
    '**/{package.json,composer.json,deno.json,turbo.json,nx.json,project.json,lefthook.yml,.pre-commit-config.yaml}',
    '**/{vitest,vitest.workspace,vite,jest,playwright,cypress,karma,ava,wdio,jasmine,stryker}.*config.*',
    '**/{vitest,jest,playwright,cypress}.config.*',
    '**/{.mocharc,.nycrc,.c8rc,.rspec,.coveragerc,.simplecov,.taprc}{,.*}',
    '**/{pytest.ini,tox.ini,setup.cfg,pyproject.toml,noxfile.py,phpunit.xml,phpunit.xml.dist,jasmine.json,karma.conf.js,nextest.toml,tarpaulin.toml}',
    '**/{pom.xml,*.gradle,*.gradle.kts,build.sbt,cargo.toml,.cargo/config.toml}',
    '{ci,scripts,script,bin,tools,hack,build}/**/*{test,check,lint,verify,ci,coverage,spec}*{,.sh,.bash,.js,.mjs,.ts,.py,.rb}',
    '{test,tests,ci,check,lint,verify,run-tests,run_tests,runtests}{,.sh,.bash}',
  ],
  options,
);

const isExpected = picomatch(
  [
    '**/__{snapshots,image_snapshots}__/**',
    '**/*.{snap,snapshot,golden,ambr}',
    '**/*.{approved,verified,expected,golden,want}.*',
    '**/*{expected,golden,snapshot,want}*.{json,txt,xml,html,yml,yaml,out,csv,md,svg,sql}',
    '**/{expected,golden,goldens,snapshots,expectations}/**',
    '**/*-snapshots/**',
    '**/testdata/**/*.{golden,out,want,stdout,stderr}',
    '**/tests/**/*.{stdout,stderr,stdout.txt}',
  ],
  options,
);

const isDependency = picomatch(
  [
    '**/{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,poetry.lock,uv.lock,pipfile.lock,pipfile,cargo.lock,go.sum,go.mod,gemfile,gemfile.lock,composer.lock,package.resolved,mix.lock}',
    '**/requirements*.{txt,in}',
    '**/{gradle.lockfile,libs.versions.toml}',
  ],
  options,
);

const looksLikeDocument = picomatch(
  [
    '**/*.{md,mdx,rst,adoc,txt,png,jpg,jpeg,gif,svg,ico,pdf}',
    '**/{license,notice,changelog,authors,contributors,readme,codeowners}{,.*}',
    '**/{.gitignore,.gitattributes,.editorconfig,.prettierrc,.prettierignore}{,.*}',
    '**/.changeset/**',
  ],
  options,
);

/** Whether a file is for people only; plain text may as well be what a program reads. */
export function isDocument(path: string, globs?: readonly string[]): boolean {
  return roleOf(path, globs) === 'document' && !/\.(?:txt|svg)$/i.test(path);
}

export function roleOf(path: string, globs?: readonly string[]): Role {
  const inTests = isTestFile(path, globs);
  if (isAutomation(path) && !(inTests && /\.(?:test|spec)\.|_test\.|_spec\./.test(path))) return 'automation';
  if (isDependency(path)) return 'dependency';
  if (isExpected(path) && (inTests || /\.(?:snap|snapshot|golden|ambr)$/.test(path))) return 'expected';
  if (inTests) return isCode.test(path) ? 'test' : 'data';
  return looksLikeDocument(path) ? 'document' : 'source';
}

const isCode = raw`(?i)\.(?:[cm]?[jt]sx?|vue|svelte|pyi?|rb|go|rs|java|kts?|scala|groovy|cs|fs|vb|phpt?|swift|mm?|c|cc|cpp|cxx|h|hpp|exs?|erl|clj|dart|lua|p[lm]|t|r|jl|sh|bash|bats|ps1|feature)$`;

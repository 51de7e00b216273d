import picomatch from 'picomatch';
import type { FileDiff } from '../../steering/shapes/attempt-result.ts';
import { patchOf } from '../reading/patch.ts';

const sources =
  '{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,py,pyi,rb,go,rs,java,kt,kts,scala,groovy,cs,fs,vb,php,phpt,swift,m,mm,c,cc,cpp,cxx,h,hpp,ex,exs,erl,clj,dart,lua,pl,t,r,R,jl,sh,bash,bats,ps1}';

const testFolders =
  '{test,tests,Test,Tests,__tests__,spec,specs,e2e,cypress,androidTest,integrationTest,testFixtures,*Tests,*UITests,*.Tests,*.Test,*.UnitTests,*.IntegrationTests}';

/** Files with tests, or that only tests load. Case matters: `LatestTest.java` is a test, `latest.java` is not. */
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

/** What tests compare with, or are given. */
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
 * Those of the paths that belong to the tests: code, snapshots, fixtures, helpers and the configuration of
 * test runners. Tests inside source files cannot be told by path; see `testsInSource`.
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
 * The paths of changed source files that contain tests of their own, as far as the diff shows them. These
 * tests cannot be run with the code of another commit by putting back files.
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

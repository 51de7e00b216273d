import picomatch from 'picomatch';
import { raw } from '../reading/raw.ts';
import { isTestFile } from './test-files.ts';

/** What a file is to the tests. */
export type Role =
  /** Code with tests, or of tests. */
  | 'test'
  /** What tests compare with. */
  | 'expected'
  /** Decides what runs, and with which bounds. */
  | 'automation'
  /** What is tested. */
  | 'source'
  /** What the tested code stands on. */
  | 'dependency'
  /** What tests are given. */
  | 'data'
  /** For people to read. */
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

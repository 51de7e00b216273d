import { matching, type PathRule } from './path-rule.ts';

/** What a CI service runs, and who must review what, under whatever name the service reads it. */
const ciFiles = [
  '.github/**',
  // At the root, it is what a repository offers to others.
  '*/**/action.{yml,yaml}',
  '.{gitea,forgejo,gitlab,bitbucket,circleci,buildkite,semaphore,teamcity,woodpecker,drone,azure-pipelines,azuredevops,pipelines,ci,tekton,harness,concourse,builds,kokoro,copr,screwdriver,dagger,buddy,evergreen,prow,jenkins,zuul.d}/**',
  '{zuul.d,tekton,jenkins}/**',
  'ci/**/*.{sh,bash,yml,yaml,groovy,ps1}',
  '**/{,.}{gitlab-ci,azure-pipelines,vsts-ci}*.{yml,yaml}',
  '**/*.gitlab-ci.{yml,yaml}',
  '{,.}{travis,appveyor,drone,woodpecker,cirrus,mergify,circle,bitrise,codemagic,screwdriver,shippable,buddy,build,builds,zuul,prow,packit,cirun,evergreen,semaphore,scrutinizer,lgtm,kodiak,bulldozer,pullapprove,palantir,policy}.{yml,yaml,toml}',
  '.{drone,cirrus,woodpecker}.{jsonnet,star}',
  '{,.}{travis,appveyor,drone,woodpecker,cirrus,mergify}*.{yml,yaml}',
  '**/{bitbucket-pipelines,buildspec*,cloudbuild*,codefresh,wercker,appspec,amplify}.{yml,yaml,json}',
  '**/{Jenkinsfile,Earthfile,Dangerfile}{,.*,-*}',
  '**/*.{jenkinsfile,jenkins}',
  '**/dangerfile.{js,ts,mjs,cjs}',
  '{,.github/,.gitlab/,.gitea/,.forgejo/,.bitbucket/,docs/}CODEOWNERS',
  '**/OWNERS{,_ALIASES}',
];

/** Bots that change, merge or release by themselves. */
const bots = [
  '{,.}renovate{,rc}{,.json,.json5,.js,.cjs}',
  '.renovaterc{,.json,.json5}',
  '{,.github/}dependabot.{yml,yaml}',
  '.releaserc{,.*}',
  'release.config.{js,cjs,mjs,ts}',
  '{,.}release-please-{config,manifest}.json',
  '{,.}goreleaser.{yml,yaml}',
  '.changeset/config.json',
];

/** Of these, only people read the content. */
const forPeople = [
  '.{github,gitlab,gitea,forgejo}/**/*.{md,txt,png,jpg,jpeg,gif,svg}',
  '.github/{ISSUE_TEMPLATE,PULL_REQUEST_TEMPLATE,DISCUSSION_TEMPLATE}/**',
  '.gitlab/{issue_templates,merge_request_templates}/**',
  '.github/FUNDING.yml',
];

/** What Git, editors and tools run by themselves on the machines of people and CI. */
const hooks = [
  '.git/hooks/**',
  '{.husky,.githooks,.git-hooks,githooks,.hooks}/**',
  '{,.}lefthook*.{yml,yaml,toml,json}',
  '.pre-commit-{config,hooks}.{yml,yaml}',
  '.overcommit.yml',
  '{,.}simple-git-hooks.{js,cjs,json}',
  '{.lintstagedrc,lint-staged.config}{,.*}',
  '.devcontainer/**',
  '.vscode/{tasks,launch,settings,mcp}.json',
  '{.idea,.run}/**',
  // Python and pnpm read these before anything else, whatever they are asked to run.
  '**/{sitecustomize,usercustomize}.py',
  '**/.pnpmfile.{cjs,mjs}',
];

/** What compiles, finds and starts the tests and checks, whatever they say themselves. */
const toolchains = [
  '**/{vite,vite.*,babel}.config.*',
  '**/{.babelrc,.swcrc}{,.*}',
  '**/.mvn/extensions.xml',
  '**/{gradle,maven}-wrapper.jar',
  '**/{.nvmrc,.node-version,.python-version,.ruby-version,.java-version,.go-version,.tool-versions,.sdkmanrc,rust-toolchain,rust-toolchain.toml,global.json,go.work}',
  '**/{,.}mise{,.*}.toml',
  '{.mise,.config/mise}/**',
];

/** Tools that are committed where others install them: what checks start is in there, under their names. */
export const isCommittedTool = matching(
  ['**/node_modules/**', '**/.yarn/{releases,plugins}/**'],
  ['**/{test,tests,__tests__,spec,fixtures,__fixtures__,testdata,examples}/**'],
);

/** What decides which tests and rules count. */
const verifierFiles = [
  '**/{vitest,vitest.workspace,jest,playwright,playwright-ct,cypress,karma,ava,wdio,eslint,stylelint,commitlint,protractor,web-test-runner,jasmine,stryker,knip,bunit}.config.*',
  '**/{vitest,jest,playwright,cypress,karma,webpack.test}{.,-}*.{config,conf}.*',
  '**/{karma,wdio,nightwatch,protractor,stryker}.conf.*',
  '**/{.mocharc,.eslintrc,.golangci,.rubocop,.rubocop_todo,.pylintrc,.flake8,.rspec,.stylelintrc,.commitlintrc,.oxlintrc,.nycrc,.c8rc,.coveragerc,.simplecov,.taprc,.testcaferc,.swiftlint,.yamllint,.hadolint,.ansible-lint,.markdownlint,.jshintrc,.tflint.hcl,.reek,.standard,.credo}{,.*}',
  '**/{.eslintignore,.shellcheckrc,.perlcriticrc,.luacheckrc,.luacov,.lintr,.clang-tidy,.scalafix.conf,.isort.cfg,.bandit}',
  '**/{pytest.ini,.pytest.ini,tox.ini,noxfile.py,mypy.ini,.mypy.ini,ruff.toml,.ruff.toml,pylintrc,pyrightconfig.json,pyrefly.toml,bandit.yml,bandit.yaml}',
  '**/{phpunit.xml,phpunit.xml.dist,phpunit.dist.xml,phpcs.xml,phpcs.xml.dist,psalm.xml,phpstan.neon,phpstan.neon.dist,phpstan.dist.neon,infection.json,infection.json5,behat.yml,codeception.yml,.php-cs-fixer.php,.php-cs-fixer.dist.php}',
  '**/{biome.json,biome.jsonc,tslint.json,cypress.json,jasmine.json,oxlint.json,deny.toml,clippy.toml,.clippy.toml,rustfmt.toml,nextest.toml,tarpaulin.toml,.tarpaulin.toml,mutants.toml}',
  '**/{checkstyle,pmd,spotbugs,spotbugs-exclude,detekt,testng}*.{xml,yml,yaml}',
  '**/{analysis_options.yaml,dart_test.yaml,junit-platform.properties,sonar-project.properties,coveralls.json,CTestConfig.cmake}',
  '{,.}{codecov,coveralls,codeclimate,deepsource,codacy,semgrep,trivy,gitguardian,checkov,tfsec,snyk}{,.yml,.yaml,.toml,.json}',
  '**/{.trivyignore,.gitleaks.toml,.gitleaksignore,.semgrepignore,.grype.yaml,osv-scanner.toml,audit-ci.json,audit-ci.jsonc,.nsprc,.secrets.baseline,.snyk}',
];

/** Workflows, owners of code, hooks, bots, and the configuration of what verifies. */
export const changesAutomation: PathRule = {
  matches: matching([...ciFiles, ...bots, ...hooks, ...toolchains, ...verifierFiles], forPeople),
};

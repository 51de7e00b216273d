import picomatch from 'picomatch';

/** The files that a rule is about. */
export interface PathRule {
  matches(path: string): boolean;
}

/** Globs match dotfiles and ignore case. */
export function matching(
  globs: readonly string[],
  except: readonly string[] = [],
): (path: string) => boolean {
  const isMatch = picomatch([...globs], { dot: true, nocase: true, ignore: [...except] });
  return (path) => isMatch(path);
}

/** What programs are written in; a file in it is about secrets or production, and holds neither. */
const sources =
  '{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,py,pyi,rb,go,rs,java,kt,kts,scala,groovy,cs,fs,php,swift,m,c,h,cc,cpp,hpp,ex,exs,erl,clj,dart,lua,pl,sol}';

/** Configuration is written in these; `production.ts` is a program. */
const settings =
  '{yml,yaml,json,json5,jsonc,toml,tf,tfvars,hcl,env,ini,conf,cfg,cnf,properties,xml,plist,config}';

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

/** Only people read what is in these. */
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

/** Folders of deployment configuration; outside them, a folder `production` is an ordinary one. */
const operations =
  '{deploy,deploys,deployment,deployments,k8s,kubernetes,kube,infra,infrastructure,terraform,tf,terragrunt,live,helm,helmfile,chart,charts,kustomize,overlays,manifests,environments,environment,envs,env,config,configs,conf,clusters,cluster,argocd,flux,gitops,ansible,inventory,inventories,group_vars,host_vars,ops,devops,nomad,pulumi,stacks,cloudformation,cdk,docker,compose,releases}';

const production = '{prod,production,prd}';

/** Named for a build that is optimized, not for where it runs. */
const builds = [
  '**/{tsconfig,jsconfig,webpack,rollup,vite,babel,.babelrc,.eslintrc,jest,karma,angular,.swcrc,metro,esbuild,rspack}*',
  '**/{node_modules,vendor,testdata,fixtures,__fixtures__}/**',
  '**/*.{example,sample,template}.*',
];

/** Files of production configuration, by their names. */
export const changesProduction: PathRule = {
  matches: matching(
    [
      `**/${operations}/**/${production}/**`,
      `**/${operations}/**/{,*[-._]}${production}.${settings}`,
      `**/${operations}/**/${production}[-._]*.${settings}`,
      `**/environments/**/${production}.rb`,
      `**/${production}.${settings}`,
      // `application-prod.yml`, `docker-compose.prod.yml`, `appsettings.Production.json`, `fly.production.toml`
      `**/*[-._]${production}.${settings}`,
      '**/config/{prod,production,runtime}.exs',
      '{,*/,apps/*/,packages/*/}config/{,env/,environments/}{prod,production}.{js,cjs,mjs}',
      '**/config/deploy/{prod,production}.rb',
      '**/settings/{prod,production}.py',
      `**/{host_vars,group_vars}/${production}`,
      `**/{inventory,inventories,ansible}/{,**/}${production}`,
    ],
    builds,
  ),
};

const environments = [
  '**/.env',
  '**/.env.*',
  '**/.env-*',
  '**/.envrc',
  '**/*.env',
  '**/.flaskenv',
  '**/.dev.vars{,.*}',
];

/** Clients of registries, clouds, clusters, databases and Git log in with these. */
const logins = [
  '**/.{npmrc,netrc,git-credentials,pypirc,pgpass,my.cnf,mylogin.cnf,vault-token,htpasswd}',
  '**/.{s3cfg,boto,dockercfg,dockerconfigjson,terraformrc,rediscli_auth,vault_pass,vault_password,vault-pass}',
  '**/{_netrc,htpasswd,terraform.rc,credentials.tfrc.json,vault_pass,vault_password}{,.txt}',
  '**/.{vault_pass,vault_password,vault-pass}.txt',
  '**/.docker/config.json',
  '**/.kube/config{,.*}',
  '**/{,*.}kubeconfig{,.yml,.yaml,.json}',
  '**/gh/hosts.yml',
  '**/.aws/credentials',
  '**/.azure/{accesstokens,msal_token_cache,azureprofile}.{json,bin}',
  '**/.config/gcloud/**',
  '**/application_default_credentials.json',
  '**/.cargo/credentials{,.toml}',
  '**/.m2/settings{,-security}.xml',
  '**/auth.json',
  '**/.streamlit/secrets.toml',
  '**/wp-config.php',
  '**/etc/{,g}shadow{,-}',
];

const keys = [
  '**/.ssh/**',
  '**/.gnupg/**',
  '**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk,xmss}',
  '**/ssh_host_*_key',
  '**/*_{rsa,dsa,ecdsa,ed25519}',
  '**/*.{pem,key,p8,p12,pfx,pkcs8,pkcs12,jks,jceks,bks,keystore,ppk,kdbx,kdb,agekey,pgp,gpg,ovpn,keytab}',
  '**/{private,secret}[-_]key{,.txt,.asc}',
  '**/{key,keystore,signing}.properties',
  '**/secring.*',
];

/** Data, not source code: `credentials.ts` is a program about credentials. */
const data = [
  '**/{secrets,.secrets}/**',
  '**/{.secrets,credentials}',
  '**/*.{secret,secrets}',
  '**/{credential,credentials,secret,secrets}.{json,json5,yml,yaml,toml,ini,xml,csv,txt,properties,cfg,conf,tfvars,plist}',
  '**/{credentials,secrets}{,.*,-*}.{yml,yaml,json}',
  '**/{*[-_.],}{secret,secrets}.{yml,yaml,json,tfvars,toml}',
  '**/{service-account,service_account,serviceaccount}*.json',
  '**/*{-service-account,_service_account,firebase-adminsdk}*.json',
  '**/{client_secret,client-secret,oauth_credentials,gcp-key,gcloud-key}*.json',
  '**/*.tfstate{,.backup}',
];

/** Made to be read by everyone, without anything that is secret. */
const examples = [
  '**/.env{.,-}{example,sample,template,tmpl,dist,default,defaults,schema}',
  '**/.env{.,-}*.{example,sample,template,tmpl,dist}',
  '**/.env.{example,sample,template}.*',
  '**/{example,sample,template}.env',
  '**/*.{example,sample,template,tmpl,dist}{,.*}',
  '**/{public,pub,*.pub,*[-_]public,*[-_]pub,public[-_]key}.{pem,key,asc,gpg}',
  `**/*.${sources}`,
  '**/{secrets,.secrets}/**/*.{md,mdx,rst,adoc}',
  '**/{.gitkeep,.gitignore}',
];

/** `wp-config.php` is source code, and is where WordPress keeps its password. */
const isSecret = matching([...environments, ...logins, ...keys, ...data], examples);
const inSources = matching(['**/wp-config.php', '**/.ssh/**', '**/.gnupg/**']);

/** Files that hold what must stay secret, by their names. */
export const touchesSecrets: PathRule = {
  matches: (path) => isSecret(path) || inSources(path),
};

/**
 * Text for people, media and lists of versions: nothing runs them, and installation guides say `curl … | sh`.
 */
export const isInert = matching([
  '**/*.{md,mdx,markdown,rst,adoc,asciidoc,txt,html,htm,css,csv,tsv,po}',
  '**/*.{png,jpg,jpeg,gif,webp,avif,ico,svg,pdf,woff,woff2,ttf,otf,eot,mp3,mp4,webm,wav,ogg}',
  '**/{package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml,yarn.lock,bun.lock,go.sum,*.lock}',
  '**/{LICENSE,NOTICE,AUTHORS,CHANGELOG}',
]);

export const isShell = matching([
  '**/*.{sh,bash,zsh,ksh,ash,dash,bats,command}',
  '**/{.bashrc,.bash_profile,.profile,.zshrc,.envrc,entrypoint,docker-entrypoint,configure}',
  '{.husky,.githooks,.git-hooks,githooks,.buildkite/hooks}/*',
  '**/{justfile,.justfile,Procfile}',
]);

export const isDockerfile = matching([
  '**/{Dockerfile,Containerfile}{,.*,-*}',
  '**/*.{dockerfile,containerfile}',
  '**/Earthfile',
]);

export const isMakefile = matching(['**/{GNU,}makefile{,.*}', '**/*.{mk,mak}']);

export const isPackageJson = matching(['**/package.json', '**/composer.json']);

/** A CI service or a task runner reads commands from these. */
export const isPipeline = matching([
  '.{github,gitea,forgejo}/{workflows,actions}/**/*.{yml,yaml}',
  '**/action.{yml,yaml}',
  '**/{,.}{gitlab-ci,azure-pipelines,travis,appveyor,drone,woodpecker,cirrus,circle,bitrise,build}*.{yml,yaml}',
  '.{gitlab,circleci,buildkite,semaphore,woodpecker,azure-pipelines,ci,builds,tekton}/**/*.{yml,yaml}',
  '**/{bitbucket-pipelines,buildspec*,cloudbuild*,codefresh,wercker,appspec,amplify,taskfile*,devspace,skaffold}.{yml,yaml}',
  '**/{lefthook,.lefthook,.pre-commit-config,app,render,heroku}.{yml,yaml}',
]);

export const isYaml = matching(['**/*.{yml,yaml}{,.tmpl,.j2,.gotmpl,.tpl}', '**/templates/**/*.tpl']);

export const isTerraform = matching(['**/*.{tf,tfvars,hcl,tofu}{,.json}']);

export const isSql = matching(['**/*.{sql,psql,pgsql,mysql,plsql,ddl,cql}{,.*}']);

export const isSource = matching([`**/*.${sources}`]);

/** What tests are given, or what shows people how it is done: secrets in it are made up. */
export const isExample = matching([
  '**/{test,tests,__tests__,spec,specs,e2e,testdata,fixtures,__fixtures__,__mocks__,mocks,snapshots,__snapshots__,cassettes,golden}/**',
  '**/*{.test,.spec,_test,_spec,.stories}.*',
  '**/test_*.py',
  '**/*{Test,Tests,Spec}.{java,kt,scala,groovy,cs,php,swift}',
  '**/{example,examples,sample,samples,demo,demos,docs,doc}/**',
  '**/*.{md,mdx,markdown,rst,adoc,txt,example,sample,template,snap}',
  '**/*.{example,sample,template}.*',
]);

/** Written by programs, for programs: full of numbers that look like chance, and none of them is a secret. */
export const isGenerated = matching([
  '**/{package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml,yarn.lock,bun.lock,bun.lockb,go.sum,go.work.sum,*.lock,flake.lock,gradle.lockfile,packages.lock.json,Package.resolved,Podfile.lock,Cartfile.resolved,verification-metadata.xml,poetry.lock,uv.lock,pdm.lock,mix.lock,requirements*.txt,constraints*.txt,.terraform.lock.hcl,MODULE.bazel.lock,deno.lock,checksums*,SHA256SUMS*,sha256sum*}',
  '**/*.{min.js,min.css,map,bundle.js,svg,snap,ipynb,pb.go,pb.cc,pb.h,wasm,wat,pdf,lockb,sum,sig,asc,csv,tsv,geojson,po,mo,xlf,tsbuildinfo,har}',
  '**/*_pb2{,_grpc}.py',
  '**/{dist,build,out,vendor,node_modules,third_party,.yarn,Pods,bower_components,generated,__generated__}/**',
]);

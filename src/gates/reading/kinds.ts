import { matching, sources } from '../path-rules/path-rule.ts';

/** Text for people, media and lists of versions: nothing runs them, and installation guides say `curl … | sh`. */
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

/** What a CI service or a task runner reads commands from. */
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

import picomatch from 'picomatch';
import type { Changes, FileChange, GateHit } from '../steering/attempt-result.ts';

/** A rule about paths. */
export interface PathRule {
  readonly rule: string;
  readonly severity: GateHit['severity'];
  matches(path: string): boolean;
}

/** Globs match dotfiles and ignore case. */
function matching(globs: readonly string[], except: readonly string[] = []): (path: string) => boolean {
  const options = { dot: true, nocase: true };
  const wanted = picomatch([...globs], options);
  const spared = picomatch([...except], options);
  return (path) => wanted(path) && !spared(path);
}

export const touchesSecrets: PathRule = {
  rule: 'touches-secrets',
  severity: 'critical',
  matches: matching(
    [
      '**/.env',
      '**/.env.*',
      '**/.envrc',
      '**/*.env',
      '**/secrets/**',
      '**/.ssh/**',
      '**/.gnupg/**',
      '**/.aws/credentials',
      '**/.netrc',
      '**/.npmrc',
      '**/.git-credentials',
      '**/.docker/config.json',
      '**/.kube/config',
      '**/.{pypirc,pgpass,my.cnf,mylogin.cnf,vault-token}',
      '**/gh/hosts.yml',
      '**/application_default_credentials.json',
      '**/.htpasswd',
      '**/id_{rsa,dsa,ecdsa,ed25519}',
      '**/*.{pem,key,p12,pfx,jks,keystore,ppk,kdbx}',
      // Data, not source code: `credentials.ts` is a program about credentials.
      '**/credentials',
      '**/{credentials,secrets}.{json,yml,yaml,toml,ini,xml,csv,txt,properties,cfg,conf}',
      '**/{service-account,service_account}*.json',
    ],
    [
      '**/.env.{example,sample,template,dist,defaults}',
      '**/.env.*.{example,sample,template,dist}',
      '**/{example,sample,template}.env',
    ],
  ),
};

/** Folders of deployment configuration; outside them, a folder `production` is an ordinary one. */
const operations =
  '{deploy,deployment,deployments,k8s,kubernetes,infra,infrastructure,terraform,helm,charts,environments,config}';

/** What configuration is written in; `production.ts` is a program. */
const settings = '{yml,yaml,json,json5,toml,tf,tfvars,hcl,env,ini,conf,cfg,properties,xml}';

export const changesProduction: PathRule = {
  rule: 'changes-production',
  severity: 'critical',
  matches: matching([
    `**/${operations}/**/{prod,production}/**`,
    `**/${operations}/**/{,*[-._]}{prod,production}.${settings}`,
    `**/environments/**/production.rb`,
    `**/{prod,production}.${settings}`,
  ]),
};

/** What a CI service runs, and who must review what, under whatever name the service reads it. */
const ciFiles = [
  '.github/**',
  // At the root, it is what a repository offers to others.
  '*/**/action.{yml,yaml}',
  '.{gitea,forgejo,gitlab,circleci,buildkite,semaphore,teamcity,woodpecker,azure-pipelines,ci}/**',
  '{,.}{gitlab-ci,azure-pipelines,travis,appveyor,drone,woodpecker,cirrus,mergify}*.{yml,yaml}',
  '{bitbucket-pipelines,buildspec,cloudbuild,codefresh,wercker}.{yml,yaml,json}',
  '**/Jenkinsfile{,.*}',
];

/** Of these, only people read the content. */
const forPeople = [
  '.github/**/*.{md,txt,png,jpg,svg}',
  '.github/{ISSUE_TEMPLATE,PULL_REQUEST_TEMPLATE,DISCUSSION_TEMPLATE}/**',
  '.github/FUNDING.yml',
];

/** What Git runs on the machines of people and CI. */
const hooks = [
  '.git/hooks/**',
  '{.husky,.githooks,.git-hooks}/**',
  '{,.}lefthook*.{yml,yaml,toml,json}',
  '.pre-commit-{config,hooks}.{yml,yaml}',
];

/** What decides which tests and rules count. */
const verifierFiles = [
  '**/{vitest,vitest.workspace,jest,playwright,cypress,karma,ava,wdio,eslint}.config.*',
  '**/{.mocharc,.eslintrc,.golangci,.rubocop,.pylintrc,.flake8,.rspec}{,.*}',
  '**/{pytest.ini,tox.ini,noxfile.py,mypy.ini,ruff.toml,.ruff.toml,phpunit.xml,phpunit.xml.dist}',
  '**/{biome.json,biome.jsonc,tslint.json,deny.toml,clippy.toml,.clippy.toml}',
];

export const changesAutomation: PathRule = {
  rule: 'changes-automation',
  severity: 'high',
  matches: matching([...ciFiles, ...hooks, ...verifierFiles, '{,docs/}CODEOWNERS'], forPeople),
};

const pathRules = [touchesSecrets, changesProduction, changesAutomation];

/**
 * The changes that need a human whatever the confidence, as far as paths show: one hit per rule and file.
 */
export function gatesOnDiff({ files }: Changes): readonly GateHit[] {
  return files.flatMap((file) => [...deletions(file), ...lostTests(file), ...pathHits(file)]);
}

/** Files with secrets among those that a program has read. */
export function gatesOnReading(paths: readonly string[]): readonly GateHit[] {
  const { rule, severity, matches } = touchesSecrets;
  return paths.filter(matches).map((path) => ({ rule, severity, evidence: `${path} is read` }));
}

function deletions({ status, path }: FileChange): readonly GateHit[] {
  if (status !== 'deleted') return [];
  return [{ rule: 'deletes-files', severity: 'high', evidence: `${path} is deleted` }];
}

const sources =
  '{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,rb,go,rs,java,kt,scala,groovy,cs,php,swift,c,cc,cpp,ex,exs,sh,bats}';

/** Case matters: `LatestTest.java` is a test, `latest.java` is not. */
const isTest = picomatch(
  [
    `**/{test,tests,__tests__,spec,specs}/**/*.${sources}`,
    `**/*{.test,.spec,_test,_spec}.${sources}`,
    '**/test_*.py',
    '**/*{Test,Tests,Spec,IT}.{java,kt,scala,groovy,cs,php,swift}',
  ],
  { dot: true },
);

/** A test that is deleted, or is none any more under its new name. */
function lostTests({ path, previous_path, status }: FileChange): readonly GateHit[] {
  const lost = status === 'deleted' ? path : previous_path;
  const isLost = lost !== undefined && isTest(lost) && (status === 'deleted' || !isTest(path));
  return isLost ? [{ rule: 'weakens-tests', severity: 'high', evidence: `${lost} is ${status}` }] : [];
}

/** A renamed file is matched by its old name too: moving a workflow away disables it. */
function pathHits({ path, previous_path, status }: FileChange): readonly GateHit[] {
  const names = previous_path === undefined ? [path] : [path, previous_path];
  return pathRules.flatMap(({ rule, severity, matches }) => {
    const name = names.find(matches);
    return name === undefined ? [] : [{ rule, severity, evidence: `${name} is ${status}` }];
  });
}

import picomatch from 'picomatch';
import type { Changes, FileChange, GateHit } from '../steering/attempt-result.ts';

/** A rule about paths. */
interface PathRule {
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

const touchesSecrets: PathRule = {
  rule: 'touches-secrets',
  severity: 'critical',
  matches: matching(
    [
      '**/.env',
      '**/.env.*',
      '**/*.env',
      '**/secrets/**',
      '**/.ssh/**',
      '**/.gnupg/**',
      '**/.aws/credentials',
      '**/.netrc',
      '**/.pypirc',
      '**/.htpasswd',
      '**/id_{rsa,dsa,ecdsa,ed25519}',
      '**/*.{pem,key,p12,pfx,jks,keystore,ppk,kdbx}',
      // Data, not source code: `credentials.ts` is a program about credentials.
      '**/credentials',
      '**/credentials.{json,yml,yaml,toml,ini,xml,csv,txt,properties,cfg,conf}',
      '**/{service-account,service_account}*.json',
    ],
    [
      '**/.env.{example,sample,template,dist,defaults}',
      '**/.env.*.{example,sample,template,dist}',
      '**/{example,sample,template}.env',
    ],
  ),
};

/** Folders of deployment configuration; outside them, `production` is an ordinary word. */
const operations =
  '{deploy,deployment,deployments,k8s,kubernetes,infra,infrastructure,terraform,helm,charts,environments}';

const changesProduction: PathRule = {
  rule: 'changes-production',
  severity: 'critical',
  matches: matching([
    `**/${operations}/**/{prod,production}/**`,
    `**/${operations}/**/{,*[-._]}{prod,production}.{yml,yaml,json,toml,tf,tfvars,env,ini,conf}`,
  ]),
};

const changesAutomation: PathRule = {
  rule: 'changes-automation',
  severity: 'high',
  matches: matching([
    '.github/workflows/**',
    '.github/actions/**',
    '.github/coxswain.yml',
    '{,.github/,docs/}CODEOWNERS',
  ]),
};

const pathRules = [touchesSecrets, changesProduction, changesAutomation];

/**
 * The changes that need a human whatever the confidence, as far as paths show: one hit per rule and file.
 */
export function gatesOnDiff({ files }: Changes): readonly GateHit[] {
  return files.flatMap((file) => [...deletions(file), ...pathHits(file)]);
}

function deletions({ status, path }: FileChange): readonly GateHit[] {
  if (status !== 'deleted') return [];
  return [{ rule: 'deletes-files', severity: 'high', evidence: `${path} is deleted` }];
}

/** A renamed file is matched by its old name too: moving a workflow away disables it. */
function pathHits({ path, previous_path, status }: FileChange): readonly GateHit[] {
  const names = previous_path === undefined ? [path] : [path, previous_path];
  return pathRules.flatMap(({ rule, severity, matches }) => {
    const name = names.find(matches);
    return name === undefined ? [] : [{ rule, severity, evidence: `${name} is ${status}` }];
  });
}

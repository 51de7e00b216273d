import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import type { GateRule, Severity } from '../../steering/shapes/gate-rules.ts';
import { shortened } from '../../text/characters.ts';
import { changesAutomation, changesProduction, type PathRule, touchesSecrets } from './file-kinds.ts';

interface RuleFacts {
  readonly severity: Severity;
  /** It finds this in a change, as docs/gates.md says. */
  readonly firesOn: string;
  /** Approving a change that hits it would let this happen. */
  readonly allows: string;
  /** The files that hit it whatever changes in them; absent: it reads what is added. */
  readonly paths?: PathRule;
}

/** What our rules find; `steering/shapes/gate-rules` has their names, and what is decided because of them. */
export const rules: Readonly<Record<GateRule, RuleFacts>> = {
  'deletes-files': {
    severity: 'high',
    firesOn:
      'a deleted file; scripts that delete recursively what a variable names, or what is outside of the workspace, but `/tmp` and the like',
    allows: 'what is deleted is gone from the base',
  },
  'drops-data': {
    severity: 'critical',
    firesOn: 'migrations and SQL that drop, truncate or delete, on their way forward; scripts that do',
    allows: 'whoever runs this migration or script loses that data',
  },
  'changes-production': {
    severity: 'critical',
    firesOn:
      'configuration named `prod` or `production`, and what is in a folder of that name under `deploy`, `k8s`, `infra`, `helm`, `charts`, `environments`, `config` and the like; manifests in a namespace of production, state and workspaces of Terraform, sections `production:`; scripts that deploy, publish or change clusters',
    allows: 'the next deployment runs production with this',
    paths: changesProduction,
  },
  'installs-system-packages': {
    severity: 'medium',
    firesOn: 'scripts, images and pipelines that install packages for everybody on the machine',
    allows: 'machines that run this install these packages for everybody on them',
  },
  'touches-secrets': {
    severity: 'critical',
    firesOn:
      '`.env` files but examples, keys, `secrets/`, `.ssh/`, `.npmrc`, `credentials.json`, `secrets.yml` and the like; added lines with a private key, a token of a known form, or a value that looks like chance under a name such as `apiKey`',
    allows: 'everyone who can read the repository can read what is in there, for good',
    paths: touchesSecrets,
  },
  'rewrites-history': {
    severity: 'high',
    firesOn: 'scripts that push with force, or throw commits away',
    allows: 'whoever runs this can lose commits that others have',
  },
  'loosens-permissions': {
    severity: 'high',
    firesOn:
      'modes that let everybody write, `USER root`, `privileged: true`, `runAsUser: 0` and the like; links out of the repository',
    allows: 'people and programs can do what they could not do before',
  },
  'changes-automation': {
    severity: 'high',
    firesOn:
      "workflows, CI services, Git hooks, bots that merge or release, `CODEOWNERS`, Coxswain's configuration, the configuration of tests, linters and scanners; what compiles and starts them (`vite.config.ts`, `.babelrc`, `.tool-versions`, wrappers, tools that are committed under `node_modules`); scripts that verifiers start, and files that options such as `--config` name in their commands; in files that are about more than that (`package.json`, `pyproject.toml`, `Makefile`, `pom.xml`, `Cargo.toml`, …) the lines about tests and checks, and lifecycle scripts such as `postinstall`; in `.gitattributes`, what hides changes of code from reviewers or has Git treat it otherwise",
    allows: 'CI, hooks and checks do what this says, with the secrets of the repository',
    paths: changesAutomation,
  },
  'weakens-tests': {
    severity: 'high',
    firesOn: 'a test that is deleted, skipped or proves less than before',
    allows: 'green tests prove less than they did before',
  },
  'runs-remote-code': {
    severity: 'high',
    firesOn:
      "added lines that run what they download; the address and the commit of a submodule; packages, wrappers and compilers from an address of one's own (`--index-url`, `distributionUrl`, `rustc-wrapper`)",
    allows: 'whoever controls that address runs code wherever this runs',
  },
  'critical-task': {
    severity: 'high',
    firesOn: 'a file under [`critical_paths`](#rules-of-your-own), or a task marked with `critical: true`',
    allows: 'a change to what somebody marked as critical takes effect',
  },
  'large-change': {
    severity: 'medium',
    firesOn: 'more added and deleted lines than [`limits.diff_lines`](#large-changes) allows',
    allows: 'a change takes effect that is larger than people here want to review at once',
  },
  unparsable: {
    severity: 'medium',
    firesOn:
      'a change that is too large to be read to its end, in a file that could run or hold a secret; added lines that run what is encoded, encrypted or packed (`… \\| base64 -d \\| sh`, `eval(atob(…))`)',
    allows: 'what nobody has read takes effect',
  },
  unjudged: {
    severity: 'critical',
    firesOn:
      'a change that takes too much work to judge, so that rules may have missed what is in it: more than about 4 MB of code and tests with what is around it, or less that is made to be slow; it cannot be switched off, nor be less than critical',
    allows: 'what no rule has looked at takes effect',
  },
};

interface Place {
  readonly path: string;
  /** It counts in the new version, from 1. */
  readonly line?: number;
  /** A removed line counts in the old version, from 1. */
  readonly formerLine?: number;
  /** Approving would let this happen, where the rule's own words say too little. */
  readonly allows?: string;
}

/** More than anyone reads. */
const maxEvidence = 300;

/** Makes a hit in a file; the evidence begins with the place. */
export function hitAt(rule: GateRule, { path, line, formerLine, allows }: Place, what: string): GateHit {
  const former = formerLine === undefined ? path : `${path} (line ${formerLine} before the change)`;
  const where = line === undefined ? former : `${path}:${line}`;
  return {
    rule,
    severity: rules[rule].severity,
    evidence: `${where}: ${shortened(what.trim(), maxEvidence)}`,
    path,
    ...(line !== undefined && { line }),
    allows: allows ?? rules[rule].allows,
  };
}

import type { GateHit } from '../steering/attempt-result.ts';
import type { GateRule } from '../steering/confidence/gate-rules.ts';
import type { Severity } from '../steering/confidence/severity.ts';
import { shortened } from '../text/cut.ts';

interface RuleFacts {
  readonly severity: Severity;
  /** What approving a change that hits it would let happen. */
  readonly allows: string;
}

/** What our rules find, by their names. */
export const rules = {
  'deletes-files': { severity: 'high', allows: 'what is deleted is gone from the base' },
  'drops-data': {
    severity: 'critical',
    allows: 'whoever runs this migration or script loses that data',
  },
  'changes-production': {
    severity: 'critical',
    allows: 'the next deployment runs production with this',
  },
  'installs-system-packages': {
    severity: 'medium',
    allows: 'machines that run this install these packages for everybody on them',
  },
  'touches-secrets': {
    severity: 'critical',
    allows: 'everyone who can read the repository can read what is in there, for good',
  },
  'rewrites-history': { severity: 'high', allows: 'whoever runs this can lose commits that others have' },
  'loosens-permissions': {
    severity: 'high',
    allows: 'people and programs can do what was closed to them so far',
  },
  'changes-automation': {
    severity: 'high',
    allows: 'CI, hooks and checks do what this says, with the secrets of the repository',
  },
  'weakens-tests': { severity: 'high', allows: 'green tests prove less than they did before' },
  'runs-remote-code': {
    severity: 'high',
    allows: 'whoever controls that address runs code wherever this runs',
  },
  'critical-task': { severity: 'high', allows: 'a change to what somebody marked as critical takes effect' },
  unparsable: { severity: 'medium', allows: 'what nobody has read takes effect' },
} as const satisfies Readonly<Record<GateRule, RuleFacts>>;

export type RuleName = GateRule;

/** Where a hit is. */
export interface Place {
  readonly path: string;
  /** In the new version, from 1. */
  readonly line?: number;
  /** Of a removed line, in the old version, from 1. */
  readonly formerLine?: number;
  /** What approving would let happen, where the rule's own words say too little. */
  readonly allows?: string;
}

/** More than anyone reads. */
const maxEvidence = 300;

/** A hit in a file; the evidence begins with the place. */
export function hitAt(rule: RuleName, { path, line, formerLine, allows }: Place, what: string): GateHit {
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

/** How bad it is what a rule finds, mildest first. */
export const severities = ['low', 'medium', 'high', 'critical'] as const;

export type Severity = (typeof severities)[number];

/** The risk of what was found together: the worst of it; low if nothing was. */
export function riskOf(found: readonly { readonly severity: Severity }[]): Severity {
  return [...severities].reverse().find((each) => found.some(({ severity }) => severity === each)) ?? 'low';
}

/** The names of the rules that were hit, each once. */
export function rulesIn(hits: readonly { readonly rule: string }[]): readonly string[] {
  return [...new Set(hits.map(({ rule }) => rule))];
}

/** What is decided about a change, or a tool call, because of the rule that it hits. */
interface RuleMeaning {
  /** The change destroys something, which lowers its confidence. */
  readonly destroys: boolean;
  /**
   * A repository's CI runs what is pushed, with the repository's secrets and outside of the sandbox. So work
   * that changes what CI does, runs downloaded code or touches secrets is held until a human allows it. So is
   * what could not be read to its end: it may do any of that. Such work is kept on the remote, or where even
   * that would tell a secret, `here` on this machine.
   */
  readonly held: 'never' | 'remotely' | 'here';
  /**
   * What a tool call that hits it can change: nothing but the workspace and what is in the sandbox, which
   * goes with the attempt; or what is `outside` of them. `none`: the rule judges the whole change, no calls.
   */
  readonly calls: 'none' | 'workspace' | 'outside';
}

/**
 * Our gate rules by name, in the order in which they are told; `src/gates` says what they find. Any hit makes
 * people decide about the commit (`decisionOf` in `shapes/score.ts`), and one of a rule that is `held` also
 * whether it may be pushed at all (`holdingHits`).
 */
const gateRules = {
  'deletes-files': { destroys: true, held: 'never', calls: 'workspace' },
  'drops-data': { destroys: true, held: 'never', calls: 'outside' },
  'changes-production': { destroys: true, held: 'never', calls: 'outside' },
  'installs-system-packages': { destroys: false, held: 'never', calls: 'workspace' },
  'touches-secrets': { destroys: false, held: 'here', calls: 'outside' },
  'rewrites-history': { destroys: true, held: 'never', calls: 'workspace' },
  'loosens-permissions': { destroys: false, held: 'never', calls: 'workspace' },
  'changes-automation': { destroys: false, held: 'remotely', calls: 'outside' },
  'weakens-tests': { destroys: false, held: 'never', calls: 'none' },
  'runs-remote-code': { destroys: false, held: 'remotely', calls: 'outside' },
  'critical-task': { destroys: false, held: 'never', calls: 'none' },
  'large-change': { destroys: false, held: 'never', calls: 'none' },
  unparsable: { destroys: false, held: 'remotely', calls: 'workspace' },
  unjudged: { destroys: false, held: 'here', calls: 'none' },
} as const satisfies Readonly<Record<string, RuleMeaning>>;

export type GateRule = keyof typeof gateRules;

/** The rules that a tool call can hit. */
export type CallRule = {
  [R in GateRule]: (typeof gateRules)[R]['calls'] extends 'none' ? never : R;
}[GateRule];

/** The rules by name, which Object.keys would call any texts. */
export const gateRuleNames = Object.keys(gateRules) as readonly GateRule[];

/** The rules that owners may switch off or call less bad; what nobody has judged could be anything. */
export type TunableRule = Exclude<GateRule, 'unjudged'>;

export const tunableRuleNames = gateRuleNames.filter((name): name is TunableRule => name !== 'unjudged');

export const callRuleNames = gateRuleNames.filter(
  (name): name is CallRule => gateRules[name].calls !== 'none',
);

/** Undefined for a rule of the repository's own, of which only the severity counts. */
export function meaningOf(rule: string): RuleMeaning | undefined {
  return meanings.get(rule);
}

const meanings = new Map<string, RuleMeaning>(Object.entries(gateRules));

/** What a rule found, as far as it decides what is done with the work. */
interface Hit {
  readonly rule: string;
  readonly severity: Severity;
}

/** The gates because of which this work must not be pushed yet; none if it may be. */
export function holdingHits<H extends Hit>(
  { allowed_rules = [] }: { readonly allowed_rules?: readonly string[] },
  hits: readonly H[],
): readonly H[] {
  return hits.filter((hit) => isHolding(hit) && (isCritical(hit) || !allowed_rules.includes(hit.rule)));
}

function isHolding(hit: Hit): boolean {
  return isCritical(hit) || (meaningOf(hit.rule)?.held ?? 'never') !== 'never';
}

/** Critical ones are asked each time, and only maintainers may allow them. */
export function isCritical({ severity }: Pick<Hit, 'severity'>): boolean {
  return severity === 'critical';
}

/** Whether the work may be kept on the remote: what is a secret, or may be one, stays on this machine. */
export function mayKeepRemotely(hits: readonly Hit[]): boolean {
  return !hits.some(({ rule }) => meaningOf(rule)?.held === 'here');
}

/** The rules that `/allow always` lets through from now on: all but critical ones. */
export function rulesToAllow({ hits }: { readonly hits: readonly Hit[] }): readonly string[] {
  return rulesIn(hits.filter((hit) => !isCritical(hit)));
}

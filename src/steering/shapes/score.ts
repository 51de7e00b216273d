import { testsChange } from '../phrases/phrases.ts';
import type { ApprovalMode } from './settings.ts';

/** How confident the system is in a commit. */
export interface Confidence {
  /** 0..1, six decimals. */
  readonly score: number;
  readonly band: Band;
  /** No verifier ran: the score is capped, and nothing proceeds automatically. */
  readonly unverified: boolean;
  readonly components: readonly Component[];
  /** The caps that lowered the score, as text. */
  readonly caps: readonly string[];
  /** The version of the formula, so that only comparable scores are compared. */
  readonly formula: 'coxswain-1';
}

export type Band = 'high' | 'medium' | 'low' | 'zero';

export interface Component {
  readonly name: 'verifiers' | 'reviewer' | 'no_retries' | 'not_destructive' | 'tool_calls';
  readonly weight: number;
  /** 0..1 */
  readonly value: number;
  readonly evidence: string;
}

/** The inputs of the confidence score. */
export interface ScoreInputs {
  readonly verifiers: { readonly passed: number; readonly total: number };
  /** A second opinion, 0..1; null when there is none. */
  readonly reviewer: number | null;
  readonly retries: number;
  readonly max_retries: number;
  readonly destructive: boolean;
  /** Denied calls do not count; an unknown outcome is not a success. */
  readonly tool_calls: {
    readonly succeeded: number;
    readonly total: number;
    readonly denied?: number;
  };
  /** The agent reported `uncertain`. */
  readonly uncertain: boolean;
  /** The old tests fail with the change, and the new ones without it: people know which are right. */
  readonly changes_behaviour?: boolean;
}

const unverifiedCap = 0.79;
const uncertainCap = 0.49;
const behaviourCap = 0.79;

/** The weighted mean of the components that apply, capped where evidence is missing. */
export function scoreOf(inputs: ScoreInputs): Confidence {
  const components = componentsOf(inputs);
  const weight = sum(components.map((component) => component.weight));
  const mean = sum(components.map((component) => component.weight * component.value)) / weight;
  const unverified = inputs.verifiers.total === 0;
  const caps = [
    ...(unverified ? [{ at: unverifiedCap, because: `no verifier: at most ${unverifiedCap}` }] : []),
    ...(inputs.changes_behaviour
      ? [
          {
            at: behaviourCap,
            because: `behavior ${testsChange}: at most ${behaviourCap}`,
          },
        ]
      : []),
    ...(inputs.uncertain
      ? [{ at: uncertainCap, because: `the agent is uncertain: at most ${uncertainCap}` }]
      : []),
  ];
  const score = round(Math.min(mean, ...caps.map((cap) => cap.at)));
  return {
    score,
    band: bandOf(score),
    unverified,
    components,
    caps: caps.filter((cap) => mean > cap.at).map((cap) => cap.because),
    formula: 'coxswain-1',
  };
}

export function bandOf(score: number): Band {
  if (score >= 0.8) return 'high';
  if (score >= 0.5) return 'medium';
  return score >= 0.2 ? 'low' : 'zero';
}

function componentsOf(inputs: ScoreInputs): readonly Component[] {
  const { verifiers, reviewer, retries, max_retries, destructive, tool_calls } = inputs;
  const always: Component[] = [
    {
      name: 'no_retries',
      weight: 0.2,
      value: 1 - Math.min(retries / Math.max(max_retries, 1), 1),
      evidence: `${retries} of ${max_retries} retries used`,
    },
    {
      name: 'not_destructive',
      weight: 0.1,
      value: destructive ? 0 : 1,
      evidence: destructive ? 'destructive changes' : 'no destructive changes',
    },
    {
      name: 'tool_calls',
      weight: 0.1,
      value: tool_calls.total === 0 ? 1 : tool_calls.succeeded / tool_calls.total,
      evidence: toolCallsText(tool_calls),
    },
  ];
  return [...verifierComponent(verifiers), ...reviewerComponent(reviewer), ...always];
}

/** Where there are no calls, the value is only an assumption. */
function toolCallsText({ succeeded, total, denied = 0 }: ScoreInputs['tool_calls']): string {
  const others = denied === 0 ? '' : `, not counting ${denied} denied`;
  if (total === 0) return `${noToolCalls} reported${others}, which counts as no evidence`;
  return `${succeeded} of ${total} tool calls succeeded${others}`;
}

/** How the evidence begins where none was reported, also in ledgers of older versions. */
const noToolCalls = 'no tool calls';

/** Whether the value of a component rests on something that was seen, or is only assumed. */
export function isEvidence({ name, evidence }: Component): boolean {
  return name !== 'tool_calls' || !evidence.startsWith(noToolCalls);
}

function verifierComponent({ passed, total }: ScoreInputs['verifiers']): readonly Component[] {
  if (total === 0) return [];
  const evidence = `${passed} of ${total} verifiers passed`;
  return [{ name: 'verifiers', weight: 0.3, value: passed / total, evidence }];
}

function reviewerComponent(reviewer: number | null): readonly Component[] {
  if (reviewer === null) return [];
  return [
    { name: 'reviewer', weight: 0.3, value: reviewer, evidence: `the reviewer's confidence is ${reviewer}` },
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function round(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

export type Decision = 'proceed' | 'wait' | 'wait_with_timeout' | 'abort';

interface DecisionInputs {
  readonly confidence: Pick<Confidence, 'score' | 'band' | 'unverified'>;
  readonly gated: boolean;
  readonly mode: ApprovalMode;
  readonly threshold: number;
}

/** What to do with a commit whose required verifiers passed; failures are handled before this. */
export function decisionOf({ confidence, gated, mode, threshold }: DecisionInputs): Decision {
  if (confidence.band === 'zero') return 'abort';
  if (gated || confidence.unverified || mode === 'manual') return 'wait';
  if (mode === 'confidence_threshold') return confidence.score >= threshold ? 'proceed' : 'wait';
  if (confidence.band === 'high') return 'proceed';
  return confidence.band === 'medium' ? 'wait_with_timeout' : 'wait';
}

/** From what goes on by itself to what does not go on. */
const fromMildest: readonly Decision[] = ['proceed', 'wait_with_timeout', 'wait', 'abort'];

/** The stricter of the decisions with and without a second opinion: a change may talk to its reviewer. */
export function decisionBy(
  { confidence, without_review = confidence }: Scored,
  rules: Omit<DecisionInputs, 'confidence'>,
): Decision {
  const both = [confidence, without_review].map((each) => decisionOf({ ...rules, confidence: each }));
  return fromMildest.findLast((decision) => both.includes(decision)) ?? 'wait';
}

interface Scored {
  readonly confidence: DecisionInputs['confidence'];
  readonly without_review?: DecisionInputs['confidence'];
}

import { bounded } from '../phrases/bounded.ts';
import { shortSha } from '../phrases/short-sha.ts';
import type { Changes, FileChange, GateHit, VerifierOutput } from '../shapes/attempt-result.ts';
import { riskOf, type Severity } from '../shapes/gate-rules.ts';
import type { State } from '../state/state.ts';
import { askedCall, heldWork } from './held-work.ts';
import { interruptIn } from './interactions.ts';
import { isPlanning, stageAfter, stageOf } from './stage.ts';

/** What people are asked in a phase, for programs. */
export interface Asked {
  /** Why people are asked. */
  readonly reason: string;
  /** What happens if they agree. */
  readonly proposed_action: string;
  /** The worst of what the rules found; the confidence has no part in it. */
  readonly risk_level: Severity;
  readonly details: RequestDetails;
}

/** What is known of what people are asked about; each list is cut, and so is each text in it. */
export interface RequestDetails {
  /** At most 2,000 characters: of a question its context and options. */
  readonly summary: string;
  /** At most 50. */
  readonly files: readonly Pick<FileChange, 'path' | 'status' | 'additions' | 'deletions'>[];
  /** What the agent asks to run, at most 20. */
  readonly commands: readonly string[];
  /** At most 50. */
  readonly verifiers: readonly Pick<VerifierOutput, 'name' | 'success' | 'required'>[];
  /** At most 50. */
  readonly gates: readonly Pick<GateHit, 'rule' | 'severity' | 'evidence'>[];
}

/** About a commit under review. */
export function approvalAsked(state: State): Asked {
  const { shown, head, iteration } = state;
  const { score = 0, band = 'zero' } = shown?.confidence ?? {};
  const rules = [...new Set((shown?.gates ?? []).map(({ rule }) => rule))];
  const because = rules.length === 0 ? '' : `; rules found ${rules.join(', ')}`;
  return {
    reason: bounded(`iteration ${iteration} is verified with ${band} confidence (${score})${because}`),
    proposed_action: `${finishing(state)} at ${shortSha(head)}`,
    risk_level: riskOf(shown?.gates ?? []),
    details: detailsOf(shown ?? {}),
  };
}

/** About the first question of an agent. */
export function answerAsked({ questions = [] }: State): Asked {
  const [open] = questions;
  const { question = '', context = '', options = [] } = open?.asked ?? {};
  const numbered = options.map((option, nth) => `${nth + 1}. ${option}`);
  return {
    reason: bounded(question),
    proposed_action: 'the agent continues with the answer',
    risk_level: 'low',
    details: detailsOf({ summary: lines([context, ...numbered]) }),
  };
}

/** About what a stage came to. */
export function stageAsked(state: State): Asked {
  const { plan, report } = state;
  const stage = stageOf(state);
  const following = stageAfter(state, stage)?.name ?? 'next stage';
  return {
    reason: `the stage ${stage.name} has ended`,
    proposed_action: `the stage ${following} begins`,
    risk_level: 'low',
    details: detailsOf({ summary: (isPlanning(state) ? plan?.text : report?.summary) ?? '' }),
  };
}

/** About how to go on. */
export function resolutionAsked(state: State): Asked {
  const { shown } = state;
  return {
    reason: bounded(interruptIn(state)?.failure_reason ?? ''),
    proposed_action: 'continue with /retry, /spawn, /steer or /approve, or end the run with /abandon',
    risk_level: riskOf(shown?.gates ?? []),
    details: detailsOf(shown ?? {}),
  };
}

/** About work that is held, or a tool call that the agent waits to make. */
export function permissionAsked(state: State): Asked {
  const { run } = state;
  const held = heldWork(state);
  const call = askedCall(state);
  const hits = call?.hits ?? held?.hits ?? [];
  const commit = held === undefined ? 'the work' : shortSha(held.work.head);
  const rules = [...new Set(hits.map(({ rule }) => rule))].join(', ');
  return {
    reason: rules === '' ? 'the configuration requires people to be asked' : `rules found ${rules}`,
    proposed_action: bounded(call?.command ?? call?.title ?? `push ${commit} to ${run.branch}`),
    risk_level: riskOf(hits),
    details: detailsOf({ ...held?.work, gates: hits, commands: call?.command ? [call.command] : [] }),
  };
}

function finishing({ settings, run }: State): string {
  const { finish } = settings.approval;
  if (finish === 'ready') return `mark #${run.number} as ready for review`;
  return finish === 'merge'
    ? `merge #${run.number} into ${run.base}`
    : `let GitHub merge #${run.number} into ${run.base}`;
}

/** What is known of work, of a call of an agent or of its question; lists are empty where nothing is. */
function detailsOf(known: Known): RequestDetails {
  const { changes, commands = [], verifiers = [], gates = [] } = known;
  return {
    summary: bounded(known.summary ?? changes?.summary ?? ''),
    files: (changes?.files ?? []).slice(0, maxListed).map(({ path, status, additions, deletions }) => ({
      path: bounded(path, maxText),
      ...{ status, additions, deletions },
    })),
    commands: commands.slice(0, maxCommands).map((each) => bounded(each, maxText)),
    verifiers: verifiers
      .slice(0, maxListed)
      .map(({ name, success, required }) => ({ name: bounded(name, maxText), success, required })),
    gates: gates
      .slice(0, maxListed)
      .map(({ rule, severity, evidence }) => ({ rule, severity, evidence: bounded(evidence, maxText) })),
  };
}

interface Known {
  readonly summary?: string;
  readonly changes?: Changes;
  readonly commands?: readonly string[];
  readonly verifiers?: readonly VerifierOutput[];
  readonly gates?: readonly GateHit[];
}

const maxListed = 50;
const maxCommands = 20;
const maxText = 300;

function lines(all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n');
}

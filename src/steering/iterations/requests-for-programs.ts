import { bounded, shortSha } from '../phrases/phrases.ts';
import type { Changes, GateHit, VerifierOutput } from '../shapes/attempt-result.ts';
import { riskOf, rulesIn } from '../shapes/gate-rules.ts';
import type { Interrupt } from '../shapes/standing.ts';
import type { Task } from '../shapes/task.ts';
import type { State } from '../state/state.ts';
import { type Asked, askedCall, heldWork, interruptIn, type RequestDetails } from './interactions.ts';
import { currentIteration, isPlanning, stageAfter, stageOf } from './iteration.ts';

/** A task that needs people, as other programs get it. Its names are a public interface. */
export interface InterruptPayload {
  readonly type: InterruptType;
  readonly task_id: string;
  readonly task_description: string;
  readonly component: string;
  /** What kind of work the task is. */
  readonly phase: Task['kind'];
  readonly retry_count: number;
  readonly failure_reason: string;
  readonly acceptance_criteria: readonly string[];
  /** Empty if nothing of it is on the branch. */
  readonly files_modified: readonly string[];
  readonly assigned_worker_profile: string;
  readonly depends_on: readonly string[];
  /** Which of our own reasons it was: several of them are one type. */
  readonly cause: Interrupt['type'];
}

type InterruptType = 'task_exceeded_retries' | 'zero_confidence' | 'budget_exceeded' | 'manual_interrupt';

/** What stands where nobody has said why. */
export const noDetails = 'No details available';

/** Why a run cannot go on without people, and what its task is; null unless that is so. */
export function interruptPayload(state: State): InterruptPayload | null {
  const { task } = state;
  const interrupt = interruptIn(state);
  if (interrupt === undefined) return null;
  return {
    type: typeOf(interrupt.type),
    task_id: task.id,
    task_description: task.description,
    component: task.component,
    phase: task.kind,
    retry_count: interrupt.retry_count,
    failure_reason: interrupt.failure_reason.trim() || noDetails,
    acceptance_criteria: task.acceptance_criteria,
    files_modified: currentIteration(state).files_modified,
    assigned_worker_profile: task.worker_profile,
    depends_on: task.depends_on,
    cause: interrupt.type,
  };
}

/** What is no type of its own is told apart by its cause. */
function typeOf(cause: Interrupt['type']): InterruptType {
  const isOne = cause === 'zero_confidence' || cause === 'budget_exceeded' || cause === 'manual_interrupt';
  return isOne ? cause : 'task_exceeded_retries';
}

/** What people are asked about a commit under review. */
export function approvalAsked(state: State): Asked {
  const { shown, head, iteration } = state;
  const band = shown?.confidence.band ?? 'zero';
  const rules = rulesIn(shown?.gates ?? []);
  const because = rules.length === 0 ? '' : `; rules found ${rules.join(', ')}`;
  return {
    reason: bounded(`iteration ${iteration} is verified with ${band} confidence${because}`),
    proposed_action: `${finishing(state)} at ${shortSha(head)}`,
    risk_level: riskOf(shown?.gates ?? []),
    details: detailsOf(shown ?? {}),
  };
}

/** What people are asked by an agent first. */
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

/** What people are asked about what a stage came to. */
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

/** What people are asked about how to go on. */
export function resolutionAsked(state: State): Asked {
  const { shown } = state;
  return {
    reason: bounded(interruptIn(state)?.failure_reason ?? ''),
    proposed_action: 'continue with /retry, /spawn, /steer or /approve, or end the run with /abandon',
    risk_level: riskOf(shown?.gates ?? []),
    details: detailsOf(shown ?? {}),
  };
}

/** What people are asked about work that is held, or about a tool call that the agent waits to make. */
export function permissionAsked(state: State): Asked {
  const { run } = state;
  const held = heldWork(state);
  const call = askedCall(state);
  const hits = call?.hits ?? held?.hits ?? [];
  const commit = held === undefined ? 'the work' : shortSha(held.work.head);
  const rules = rulesIn(hits).join(', ');
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

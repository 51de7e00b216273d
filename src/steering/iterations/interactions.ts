import type { CommandName } from '../commands/index.ts';
import { bounded, shortSha } from '../phrases/phrases.ts';
import type { AskedCall, Changes, FileChange, GateHit, VerifierOutput } from '../shapes/attempt-result.ts';
import { meaningOf, riskOf, rulesIn, type Severity } from '../shapes/gate-rules.ts';
import { usualQuestions } from '../shapes/question.ts';
import {
  type AskingHuman,
  type AwaitingResolution,
  type HeldWork,
  type Interaction,
  type Interrupt,
  isAskingHuman,
  type PauseAsked,
  type SettledInteraction,
} from '../shapes/standing.ts';
import { secondsAfter } from '../shapes/time.ts';
import type { Event } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { SetAside, State } from '../state/state.ts';
import { isPlanning, stageAfter, stageOf } from './attempt-stages.ts';

/** The interaction that waits for a human, if any. */
export function openInteraction({ standing, questions = [] }: State): Interaction | null {
  if (isAskingHuman(standing)) return standing.interaction;
  if (standing.phase === 'working') return standing.asking?.interaction ?? questions[0]?.interaction ?? null;
  return standing.phase === 'timed_out' ? standing.before.interaction : null;
}

/** The interrupt that waits for people, who may be late. */
export function interruptIn({ standing }: State): Interrupt | undefined {
  const asking = standing.phase === 'timed_out' ? standing.before : standing;
  return asking.phase === 'awaiting_resolution' ? asking.interrupt : undefined;
}

/** Whether a command decides about a task that failed. */
export function isResolution(command: string): command is 'retry' | 'spawn' | 'abandon' {
  return command === 'retry' || command === 'spawn' || command === 'abandon';
}

/** What somebody has decided about the task before, for whoever says a command about it now. */
export function alreadyResolved(state: State, command: CommandName): Refusal | undefined {
  const { phase } = state.standing;
  const spawning = spawningIn(state);
  if (spawning !== undefined)
    return { why: 'already_resolved', by: spawning.by.login, how: 'replaced', phase };
  if (!isResolution(command)) return undefined;
  const last = lastAsked(state);
  // Where the work is under review since, it is no longer about the interrupt.
  if (last?.kind !== 'interrupt' || openInteraction(state)?.kind === 'approval') return undefined;
  return { why: 'already_resolved', ...endOf(state, last), phase };
}

/**
 * Who replaces the task just now, if somebody does: until that has come to something, nobody else decides.
 */
export function spawningIn({ standing }: Pick<State, 'standing'>): AwaitingResolution['spawning'] {
  return standing.phase === 'awaiting_resolution' ? standing.spawning : undefined;
}

/** The last interrupt or approval that is settled. */
function lastAsked(state: State): SettledInteraction | undefined {
  return ownInteractions(state).findLast(({ kind }) => kind === 'interrupt' || kind === 'approval');
}

/** How an interaction ended, for whoever comes too late. */
export function endOf({ head: to }: State, { by, how, settled_at: at, head_sha: from }: SettledInteraction) {
  return { by, how, at, ...(from !== to && { moved: { from, to } }) };
}

/** Every interaction of this run so far, including the open one, oldest first. */
export function interactionsOf(state: State): readonly Interaction[] {
  const open = openInteraction(state);
  const settled = ownInteractions(state);
  return open === null ? settled : [...settled, open];
}

/** The interactions that were settled in this run: what it has inherited, nobody has seen here. */
export function ownInteractions({ interactions, run }: State): State['interactions'] {
  return interactions.filter(({ id }) => id.split(':')[1] === String(run.number));
}

/** Opens an interaction; its id contains the number of the next ledger commit. */
export function openingOf(state: State, kind: Interaction['kind'], at: string): Interaction {
  return { id: `${kind}:${state.run.number}:${state.seq + 1}`, kind, opened_at: at, head_sha: state.head };
}

type End = Pick<SettledInteraction, 'by' | 'how' | 'asked' | 'answer' | 'reason'>;

/** All interactions, with the open one settled, and whatever agents wanted to know. */
export function settledBy(
  state: State,
  event: Pick<Event, 'at'>,
  end: End,
): Pick<State, 'interactions' | 'questions'> {
  return withoutQuestions({ ...state, ...settledButQuestions(state, event, end) }, event, end);
}

/** All interactions, where nobody answers any more what agents wanted to know. */
export function withoutQuestions(
  { interactions, questions = [] }: State,
  { at }: Pick<Event, 'at'>,
  { by, how }: Pick<End, 'by' | 'how'>,
): Pick<State, 'interactions' | 'questions'> {
  if (questions.length === 0) return { interactions };
  const withdrawn = questions.map(({ interaction, asked: question }) => {
    return { ...interaction, settled_at: at, by, how, question };
  });
  return { interactions: [...interactions, ...withdrawn], questions: [] };
}

/** The same, but a question of an agent stays open: an answer to it counts whatever comes between. */
export function settledButQuestions(
  state: State,
  { at }: Pick<Event, 'at'>,
  end: End,
): Pick<State, 'interactions'> {
  const open = openInteraction(state);
  if (open === null || open.kind === 'question') return { interactions: state.interactions };
  const settled: SettledInteraction = { ...open, settled_at: at, ...end };
  return { interactions: [...state.interactions, settled] };
}

/**
 * What is left of a run that ends: nothing is asked or waits any more. Only a run that passed the final check
 * ends with approvals.
 */
export function endedBy(state: State, event: Pick<Event, 'at'>, end: End): Partial<State> {
  return { ...settledBy(state, event, end), ...settingAside(state), queue: [], approvals: [] };
}

/** When the time of people to say something is over, after one of them did at `at`. */
export function deadlineAfter(state: State, at: string, asked?: AskingHuman): string {
  return secondsAfter(at, timeoutOf(state, asked));
}

/** How long people are waited for, in seconds: a question has a time of its own. */
export function timeoutOf({ settings }: Pick<State, 'settings'>, asked?: AskingHuman): number {
  if (asked?.phase !== 'awaiting_answer') return settings.steering.review_timeout_s;
  return (settings.questions ?? usualQuestions).timeout_s;
}

/** The same wait with its review timer started anew, and so without its reminders. */
export function waitingAnew<S extends AskingHuman>({ reminded: _, ...standing }: S, deadline: string): S {
  return { ...standing, deadline } as unknown as S; // the same but for what every wait has
}

/** The gates because of which this work must not be pushed yet; none if it may be. */
export function holdingHits(
  { allowed_rules = [] }: Pick<State, 'allowed_rules'>,
  hits: readonly GateHit[],
): readonly GateHit[] {
  return hits.filter((hit) => isHolding(hit) && (isCritical(hit) || !allowed_rules.includes(hit.rule)));
}

function isHolding(hit: GateHit): boolean {
  return isCritical(hit) || (meaningOf(hit.rule)?.held ?? 'never') !== 'never';
}

/** Critical ones are asked each time, and only maintainers may allow them. */
export function isCritical({ severity }: GateHit): boolean {
  return severity === 'critical';
}

/** Whether the work may be kept on the remote: what is a secret, or may be one, stays on this machine. */
export function mayKeepRemotely(hits: readonly GateHit[]): boolean {
  return !hits.some(({ rule }) => meaningOf(rule)?.held === 'here');
}

/** The rules that `/allow always` lets through from now on: all but critical ones. */
export function rulesToAllow({ hits }: Pick<HeldWork, 'hits'>): readonly string[] {
  return rulesIn(hits.filter((hit) => !isCritical(hit)));
}

/** The held work of a run, whether it waits for permission, for an engine or for a person who is late. */
export function heldWork({ standing }: Pick<State, 'standing'>): HeldWork | undefined {
  if (standing.phase === 'timed_out') return heldWork({ standing: standing.before });
  if (standing.phase === 'paused') return standing.asked && heldAt(standing.asked.stood);
  return 'held' in standing ? standing.held : undefined;
}

/** The tool call that people are asked about, whether the agent is held before it or was stopped. */
export function askedCall({ standing }: Pick<State, 'standing'>): AskedCall | undefined {
  if (standing.phase === 'working') return standing.asking?.call;
  if (standing.phase === 'timed_out') return askedCall({ standing: standing.before });
  return 'call' in standing ? standing.call : undefined;
}

function heldAt(stood: PauseAsked['stood']): HeldWork | undefined {
  if ('asking' in stood) return heldWork({ standing: stood.asking });
  return 'due' in stood && stood.due.work === 'land' ? stood.due.held : undefined;
}

/** Held work that is not put on the branch after all; the ref that keeps it stays. */
export function settingAside(state: State, denied?: SetAside['denied']): Pick<State, 'set_aside'> {
  const held = heldWork(state);
  if (held === undefined) return {};
  return { set_aside: { ...asSetAside(held), ...(denied !== undefined && { denied }) } };
}

/** Held work as it is recorded once it is set aside. */
export function asSetAside({ work, hits, kept }: HeldWork): SetAside {
  return { work, hits, kept };
}

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
interface RequestDetails {
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

/** What people are asked about a commit under review. */
export function approvalAsked(state: State): Asked {
  const { shown, head, iteration } = state;
  const { score = 0, band = 'zero' } = shown?.confidence ?? {};
  const rules = rulesIn(shown?.gates ?? []);
  const because = rules.length === 0 ? '' : `; rules found ${rules.join(', ')}`;
  return {
    reason: bounded(`iteration ${iteration} is verified with ${band} confidence (${score})${because}`),
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

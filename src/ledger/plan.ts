import type { Recorded } from '../steering/state/ports.ts';
import type { State } from '../steering/state/state.ts';
import {
  type Artefact,
  type Attachments,
  type CodeRefusal,
  checkArtefact,
  type Proposal,
  type PushedCode,
} from './attachments.ts';
import type { MessageParts } from './message.ts';
import { type LedgerHead, logLine } from './parse.ts';
import { namespaceOf, type RefNamespace } from './refs.ts';
import type { LedgerStep } from './steps.ts';

/** An event to record, with what is pushed along with it in this try. */
export interface Entry extends Proposal {
  readonly attachments?: Attachments;
  readonly code?: PushedCode;
  readonly artefacts: readonly Artefact[];
  readonly note?: string;
}

/** A ledger commit before it is written. */
export interface PlannedCommit {
  readonly message: Omit<MessageParts, 'seq'>;
  /** Seconds since 1970. */
  readonly at: number;
  readonly namespace: RefNamespace;
  readonly state: State;
  /** `state.json` */
  readonly text: string;
  /** `events.jsonl` */
  readonly log: string;
  readonly artefacts: readonly Artefact[];
}

/** The outcome of one entry. */
export type EntryResult = { readonly recorded: Recorded } | { readonly failed: unknown };

/** A batch that has been decided but not written. */
export interface AppendPlan {
  readonly commits: readonly PlannedCommit[];
  /** What each of them records. */
  readonly steps: readonly LedgerStep[];
  /** One per entry, in order. */
  readonly answers: readonly EntryResult[];
  /** The batch as it was decided: without code to which there are objections. */
  readonly entries: readonly Entry[];
  readonly code: PushedCode | undefined;
  /** The ledger after the batch, except for the commit's hash. */
  readonly end: Omit<LedgerHead, 'commit' | 'key'> | undefined;
}

/** The first try of an event, with all its attachments; code that changes nothing is left out. */
export function entryFrom(proposal: Proposal, attachments: Attachments | undefined): Entry {
  const { event, decide } = proposal;
  const move = attachments?.code;
  const code = move === undefined || move.from === move.to ? attachments?.kept : move;
  return {
    event,
    decide,
    artefacts: attachments?.artefacts ?? [],
    ...(attachments && { attachments }),
    ...(code && { code }),
  };
}

/** The remote refused the code: record the alternative event without it. */
export function withoutCode(entry: Entry, refusal: CodeRefusal): Entry {
  const { attachments, artefacts } = entry;
  if (attachments === undefined || entry.code === undefined) return entry;
  const alternative = attachments.otherwise(refusal);
  return { ...entryFrom(alternative, alternative.attachments), artefacts };
}

/** The remote refused the artefacts: record the event without them, with a note. */
export function withoutArtefacts(entry: Entry, reason: string): Entry {
  if (entry.artefacts.length === 0) return entry;
  return { ...entry, artefacts: [], note: `The artefacts were refused and left out: ${reason}` };
}

/** Decides the entries one after the other, each on the state the previous one left. Pure, so repeatable. */
export function planAppend(head: LedgerHead | undefined, entries: readonly Entry[]): AppendPlan {
  const commits: PlannedCommit[] = [];
  const steps: LedgerStep[] = [];
  const planned: Entry[] = [];
  let now: NextHead | undefined = head;
  let code: PushedCode | undefined;
  const answers = entries.map((given): EntryResult => {
    const entry = withoutHopelessCode(given, now);
    planned.push(entry);
    try {
      const written = next(now, entry);
      if (written === undefined) return { recorded: { state: now?.state, fresh: false } };
      commits.push(written.commit);
      const after = written.nextHead.state;
      steps.push({ seq: after.seq, event: entry.event, before: now?.state, after });
      code = written.code ?? code;
      now = written.nextHead;
      return { recorded: { state: after, fresh: true } };
    } catch (failed) {
      return { failed };
    }
  });
  return { commits, steps, answers, entries: planned, code, end: now };
}

/** What has landed with its code already is left as it is. */
function withoutHopelessCode(entry: Entry, now: NextHead | undefined): Entry {
  const { event, code, attachments } = entry;
  if (code === undefined || now === undefined || now.seen.has(event.id)) return entry;
  const refusal = attachments?.objection?.(now.state);
  return refusal === undefined ? entry : withoutCode(entry, refusal);
}

type NextHead = Omit<LedgerHead, 'commit' | 'key'>;

interface PlannedEntry {
  readonly commit: PlannedCommit;
  readonly code: PushedCode | undefined;
  readonly nextHead: NextHead;
}

/** Undefined if the event is already recorded or changes nothing. */
function next(now: NextHead | undefined, entry: Entry): PlannedEntry | undefined {
  const { event, decide, artefacts, note } = entry;
  if (now?.seen.has(event.id)) return undefined;
  checkId(event.id);
  const verdict = decide(now?.state);
  if (verdict.outcome === 'nothing') return undefined;
  const { state, subject } = verdict;
  checkFollows(now?.state, state, event.id);
  artefacts.forEach(checkArtefact);
  const log = (now?.log ?? '') + logLine(event);
  const namespace: RefNamespace = namespaceOf(state.standing.phase);
  const isSettled = namespace === 'closed' && state.owed.length === 0;
  const message = { subject, ...(note && { note }), ...(isSettled && settled), event: event.id };
  const text = `${JSON.stringify(state, undefined, 2)}\n`;
  return {
    commit: { message, at: secondsOf(event.at), namespace, state, text, log, artefacts },
    code: verdict.takes_code ? entry.code : undefined,
    nextHead: { namespace, state, log, seen: new Set([...(now?.seen ?? []), event.id]) },
  };
}

const settled = { settled: true } as const;

/** Longer than any id derived from one cause; joined ids would grow without limit. */
const longestId = 500;

function checkId(id: string): void {
  if (id.length <= longestId) return;
  const what = `could not record ${id.slice(0, 60)}…: its id has ${id.length} characters`;
  throw new Error(`${what}, at most ${longestId} are allowed`);
}

/** A ledger that replaces a lost one continues its sequence numbers. */
function checkFollows(before: State | undefined, after: State, event: string): void {
  const expected = before === undefined ? Math.max(after.seq, 1) : before.seq + 1;
  if (after.seq === expected) return;
  throw new Error(`could not record ${event}: its state is number ${after.seq}, expected ${expected}`);
}

function secondsOf(at: string): number {
  const milliseconds = Date.parse(at);
  if (Number.isNaN(milliseconds)) throw new Error(`could not read the time ${JSON.stringify(at)}`);
  return Math.floor(milliseconds / 1_000);
}

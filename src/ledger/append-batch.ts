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
import { type LedgerHead, logLine, type MessageParts, namespaceOf, type RefNamespace } from './format.ts';
import type { LedgerStep } from './ledger-steps.ts';

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
  /** It is in seconds since 1970. */
  readonly at: number;
  readonly namespace: RefNamespace;
  readonly state: State;
  /** It becomes `state.json`. */
  readonly text: string;
  /** It becomes `events.jsonl`. */
  readonly log: string;
  readonly artefacts: readonly Artefact[];
}

/** A ledger as it will be once its commits are written. */
export type NextHead = Omit<LedgerHead, 'commit' | 'key'>;

/** What became of one entry. */
export type EntryResult = { readonly recorded: Recorded } | { readonly failed: unknown };

/** A batch that has been decided but not written. */
export interface AppendPlan {
  readonly commits: readonly PlannedCommit[];
  /** What each of them records. */
  readonly steps: readonly LedgerStep[];
  /** There is one per entry, in their order. */
  readonly answers: readonly EntryResult[];
  /** The batch as it was decided: without code to which there are objections. */
  readonly entries: readonly Entry[];
  readonly code: PushedCode | undefined;
  /** How the batch leaves the ledger; undefined if there is none before and after. */
  readonly end: NextHead | undefined;
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

/** Undefined if the event is already recorded or changes nothing. */
function next(now: NextHead | undefined, entry: Entry) {
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

/** How batches are written. */
export interface BatcherOptions {
  readonly append: (batch: readonly Entry[]) => Promise<readonly EntryResult[]>;
  readonly deferMs: number;
  /** Called for every deferred entry that failed, because nobody waits for it. */
  readonly onFault: (error: unknown, entry: Entry) => void;
}

interface Waiting {
  readonly entry: Entry;
  readonly urgent: boolean;
  readonly answered: (answer: EntryResult) => void;
}

/** The queue of a run: entries that arrive during a push are written together in the next one. */
export class Batcher {
  readonly #options: BatcherOptions;
  #waiting: Waiting[] = [];
  #going: Promise<void> | undefined;
  #later: NodeJS.Timeout | undefined;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  add(entry: Entry): Promise<Recorded> {
    return new Promise((resolve, reject) => {
      const answered = (answer: EntryResult): void =>
        'recorded' in answer ? resolve(answer.recorded) : reject(answer.failed);
      this.#waiting.push({ entry, urgent: true, answered });
      void this.#go();
    });
  }

  /** Written with the next entry, or after a while, however many follow it. */
  addLater(entry: Entry): void {
    const answered = (answer: EntryResult): void => {
      if ('failed' in answer) this.#options.onFault(answer.failed, entry);
    };
    this.#waiting.push({ entry, urgent: false, answered });
    this.#later ??= setTimeout(() => void this.flush(), this.#options.deferMs).unref();
  }

  /** Also writes deferred entries; resolves when the queue is empty. */
  async flush(): Promise<void> {
    this.#stopWaiting();
    this.#waiting = this.#waiting.map((each) => ({ ...each, urgent: true }));
    await this.#go();
  }

  #stopWaiting(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
  }

  #go(): Promise<void> {
    this.#going ??= this.#run().finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  async #run(): Promise<void> {
    await undefined; // entries added in the same tick are written together
    while (this.#waiting.some(({ urgent }) => urgent)) {
      const batch = this.#waiting.splice(0, batchSize(this.#waiting));
      if (this.#waiting.length === 0) this.#stopWaiting();
      const answers = await this.#append(batch);
      batch.forEach(({ answered }, index) => {
        answered(answers[index] ?? { failed: new Error('the ledger returned no answer') });
      });
    }
  }

  async #append(batch: readonly Waiting[]): Promise<readonly EntryResult[]> {
    try {
      return await this.#options.append(batch.map(({ entry }) => entry));
    } catch (failed) {
      return batch.map(() => ({ failed }));
    }
  }
}

const largestBatch = 50;

/** Up to and including the first entry with code, because code can make the whole push fail. */
function batchSize(waiting: readonly Waiting[]): number {
  const withCode = waiting.findIndex(({ entry }) => entry.code !== undefined);
  return Math.min(largestBatch, withCode === -1 ? waiting.length : withCode + 1);
}

const mebibyte = 1024 * 1024;

/** A verifier's output is kept in full up to this size. */
export const maxPerOutput = mebibyte;
/** The maximum size of a run's ledger at its newest commit. */
export const maxPerRun = 10 * mebibyte;

/** The size of each artefact in bytes, by path. */
export type Sizes = ReadonlyMap<string, number>;

/** Keeps a run's files within `maxPerRun` by replacing the oldest artefacts with a note; `sizes` result. */
export function bounded(before: Sizes, wanted: readonly PlannedCommit[]) {
  const held = new Map(before);
  const commits = wanted.map((commit) => {
    if (commit.artefacts.length === 0) return commit;
    const artefacts = commit.artefacts.map(boundedArtefact);
    for (const { path, content } of artefacts) held.set(path, Buffer.byteLength(content));
    const own = Buffer.byteLength(commit.log) + Buffer.byteLength(commit.text);
    const dropped = droppedFrom(held, maxPerRun - own);
    for (const { path, content } of dropped) held.set(path, Buffer.byteLength(content));
    const names = new Set(dropped.map(({ path }) => path));
    return { ...commit, artefacts: [...artefacts.filter(({ path }) => !names.has(path)), ...dropped] };
  });
  return { commits, sizes: held };
}

const worthDropping = 1024;

/** Drops the oldest first, by iteration and attempt, until the rest fits. */
function droppedFrom(held: ReadonlyMap<string, number>, room: number): readonly Artefact[] {
  let over = [...held.values()].reduce((sum, size) => sum + size, 0) - room;
  const oldest = [...held.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const dropped: Artefact[] = [];
  for (const path of oldest) {
    if (over <= 0) break;
    const size = held.get(path) ?? 0;
    if (size < worthDropping) continue; // a note would not be shorter
    const content = truncationNote(path, size);
    over -= size - Buffer.byteLength(content);
    dropped.push({ path, content });
  }
  return dropped;
}

/** The note in a JSON file is JSON too, so that the file stays readable. */
function truncationNote(path: string, size: number): string {
  const note = `${size} bytes were left out to keep this run's ledger within ${maxPerRun} bytes`;
  return path.endsWith('.json') ? `${JSON.stringify({ left_out: note })}\n` : `${note}\n`;
}

/** A verifier's file is JSON that contains its output, so the output is cut, not the file. */
function boundedArtefact({ path, content }: Artefact): Artefact {
  const size = Buffer.byteLength(content);
  if (size <= maxPerOutput) return { path, content };
  if (!path.endsWith('.json')) return { path, content: keptEnd(content) };
  const shortened = shortenedOutput(content);
  // In JSON a line break takes two bytes, a control character six.
  return {
    path,
    content: Buffer.byteLength(shortened) <= 6 * maxPerOutput ? shortened : truncationNote(path, size),
  };
}

function shortenedOutput(json: string): string {
  const file = JSON.parse(json) as { stdout?: unknown; stderr?: unknown } | null; // checked next
  const { stdout, stderr } = file ?? {};
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return json;
  if (Buffer.byteLength(stdout) + Buffer.byteLength(stderr) <= maxPerOutput) return json;
  const errors = keptEnd(stderr, maxPerOutput / 2);
  const rest = keptEnd(stdout, maxPerOutput - Buffer.byteLength(errors));
  return `${JSON.stringify({ ...file, stdout: rest, stderr: errors, truncated: true })}\n`;
}

/** The end of a text within `max` bytes, cut at a character, with `[truncated]` in front if it was cut. */
export function keptEnd(text: string, max: number = maxPerOutput): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  const mark = '[truncated]\n';
  let start = bytes.length - Math.max(0, max - mark.length);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return mark + bytes.toString('utf8', start);
}

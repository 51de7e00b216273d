import type { Recorded } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import {
  type Artefact,
  type Cargo,
  type CodeMove,
  type CodeRefusal,
  checkArtefact,
  type Told,
} from './attachments.ts';
import { logLine, type Tip } from './head.ts';
import { messageOf } from './message.ts';
import { livesIn, type Place } from './refs.ts';

/** What is to be recorded, in the shape in which it is tried now. */
export interface Undertaking extends Told {
  readonly cargo?: Cargo;
  readonly code?: CodeMove;
  readonly artefacts: readonly Artefact[];
  readonly note?: string;
}

/** A ledger commit before it is written. */
export interface DraftCommit {
  readonly message: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly state: State;
  readonly log: string;
  readonly artefacts: readonly Artefact[];
}

/** What becomes of one undertaking. */
export type Answer = { readonly recorded: Recorded } | { readonly failed: unknown };

/** A batch, decided but not written. */
export interface Draft {
  readonly commits: readonly DraftCommit[];
  /** One for each undertaking, in order. */
  readonly answers: readonly Answer[];
  readonly code: CodeMove | undefined;
  /** The ledger as it will be, but for the commit's name. */
  readonly end: Omit<Tip, 'commit'> | undefined;
}

/** An event as it is tried first: with all that came along. Code that moves nothing is none. */
export function undertake(told: Told, cargo: Cargo | undefined): Undertaking {
  const { event, decide } = told;
  const code = cargo?.code && cargo.code.from !== cargo.code.to ? cargo.code : undefined;
  return { event, decide, artefacts: cargo?.artefacts ?? [], ...(cargo && { cargo }), ...(code && { code }) };
}

/** The remote did not take the code: what is true instead is recorded, and the code is not tried again. */
export function withoutCode(undertaking: Undertaking, refusal: CodeRefusal): Undertaking {
  const { cargo, artefacts } = undertaking;
  if (cargo === undefined || undertaking.code === undefined) return undertaking;
  return { ...cargo.otherwise(refusal), artefacts };
}

/** The remote did not take the artefacts: the record goes without them and says so. */
export function withoutArtefacts(undertaking: Undertaking, reason: string): Undertaking {
  if (undertaking.artefacts.length === 0) return undertaking;
  return { ...undertaking, artefacts: [], note: `The artefacts were refused and left out: ${reason}` };
}

/** Decides one after the other, each on the state that the one before left. Pure, so it may be done again. */
export function draft(tip: Tip | undefined, undertakings: readonly Undertaking[]): Draft {
  const commits: DraftCommit[] = [];
  let now: Page | undefined = tip;
  let code: CodeMove | undefined;
  const answers = undertakings.map((undertaking): Answer => {
    try {
      const written = next(now, undertaking);
      if (written === undefined) return { recorded: { state: now?.state, fresh: false } };
      commits.push(written.commit);
      code = written.code ?? code;
      now = written.page;
      return { recorded: { state: written.page.state, fresh: true } };
    } catch (failed) {
      return { failed };
    }
  });
  return { commits, answers, code, end: now };
}

type Page = Omit<Tip, 'commit'>;

interface Written {
  readonly commit: DraftCommit;
  readonly code: CodeMove | undefined;
  readonly page: Page;
}

/** Undefined when the event is known or changes nothing. */
function next(now: Page | undefined, undertaking: Undertaking): Written | undefined {
  const { event, decide, artefacts, note } = undertaking;
  if (now?.seen.has(event.id)) return undefined;
  checkId(event.id);
  const verdict = decide(now?.state);
  if (verdict.outcome === 'nothing') return undefined;
  const { state, subject } = verdict;
  checkFollows(now?.state, state, event.id);
  artefacts.forEach(checkArtefact);
  const log = (now?.log ?? '') + logLine(event);
  const place: Place = livesIn(state.standing.phase);
  const message = messageOf({ subject, ...(note && { note }), event: event.id, seq: state.seq });
  return {
    commit: { message, at: secondsOf(event.at), state, log, artefacts },
    code: verdict.takes_code ? undertaking.code : undefined,
    page: { place, state, log, seen: new Set([...(now?.seen ?? []), event.id]) },
  };
}

/** Longer than any id that derives from one cause; joined ids would grow without end. */
const longestId = 500;

function checkId(id: string): void {
  if (id.length <= longestId) return;
  const what = `could not record ${id.slice(0, 60)}…: its id has ${id.length} characters`;
  throw new Error(`${what}, at most ${longestId} are allowed`);
}

/** A ledger that takes the place of a lost one goes on counting where that one was. */
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

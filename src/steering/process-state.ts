import { approvalKey } from './approval/finish-reasons.ts';
import type { Voiding } from './shapes/finishing.ts';
import { isBefore, later } from './shapes/time.ts';
import type { Event } from './state/event.ts';
import type { State } from './state/state.ts';

/**
 * What one process remembers of a run between two looks at it. Nothing here is recorded: another process, and
 * this one after a restart, begins with `neverLooked` and finds out what it needs.
 */
export interface ProcessState {
  /**
   * Whether the process may not know all that happened: before it was started, or while something could not
   * be recorded. Until GitHub has been asked, nothing of ours permits merging.
   */
  readonly isInDoubt: boolean;
  /** How often doubts were raised: one that came while an earlier one was being settled stays. */
  readonly doubts: number;
  /**
   * What could not be recorded, by the ids of the events. It voids the approvals from before it until it is
   * recorded after all, because what was said may be deleted meanwhile.
   */
  readonly unrecorded: Readonly<Record<string, Unrecorded>>;
  /** The check runs of ours that say so for all processes, by their ids. */
  readonly marks: readonly number[];
  /** The approval that GitHub has confirmed, and when; the ledger alone could be forged. */
  readonly confirmed?: { readonly approval: string; readonly at: Date } | undefined;
  /** Since when the check of the approved run fails. */
  readonly failing_since?: Date | undefined;
  /** Up to when what people wrote on the pull request was read, ISO 8601. */
  readonly read_up_to?: string;
  /** How often something failed that is only tried a few times, by its name. */
  readonly failures: Readonly<Record<string, number>>;
  /** When what somebody had changed on the pull request was put right, in milliseconds. */
  readonly repairs: readonly number[];
  /** Whether that is left to the sweep, because somebody changes it again and again. */
  readonly isPutOff: boolean;
}

interface Unrecorded {
  /** ISO 8601 */
  readonly since: string;
  /** Whether a check run of ours says so. */
  readonly isMarked: boolean;
}

/** A process that has never looked. */
export const neverLooked: ProcessState = {
  ...{ isInDoubt: true, doubts: 0, unrecorded: {}, marks: [] },
  ...{ failures: {}, repairs: [], isPutOff: false },
};

/** The process knows the run from its first event. */
export function begun(known: ProcessState): ProcessState {
  return { ...known, isInDoubt: false };
}

/**
 * An event could not be recorded, or the ledger could not be read: whatever was confirmed may have fallen.
 */
export function doubted(
  known: ProcessState,
  now: Date,
  event?: Pick<Event, 'id' | 'type'> & Partial<Event>,
): ProcessState {
  const raised = { ...known, isInDoubt: true, doubts: known.doubts + 1, confirmed: undefined };
  if (event === undefined || !mayVanish(event) || known.unrecorded[event.id] !== undefined) return raised;
  const since = { since: now.toISOString(), isMarked: false };
  return { ...raised, unrecorded: { ...known.unrecorded, [event.id]: since } };
}

/** Whether an event may take an approval back, and GitHub may not show it later: words can be removed. */
function mayVanish(event: Pick<Event, 'type'> & Partial<Event>): boolean {
  if (event.type === 'said') return event.command?.type !== 'approve';
  return event.type === 'spoke' || event.type === 'closed' || event.type === 'reopened';
}

/** All that GitHub lists was recorded, unless another doubt was raised since there had been so many. */
export function doubtsSettled(known: ProcessState, doubts: number): ProcessState {
  return doubts === known.doubts ? { ...known, isInDoubt: false } : known;
}

/** The event is in the ledger, or changes nothing. */
export function recorded(known: ProcessState, { id }: Pick<Event, 'id'>): ProcessState {
  if (known.unrecorded[id] === undefined) return known;
  const { [id]: _, ...unrecorded } = known.unrecorded;
  return { ...known, unrecorded };
}

/** Check runs of ours, of which these are new, say all that could not be recorded so far. */
export function withMarks(known: ProcessState, marks: readonly number[]): ProcessState {
  const all = Object.entries(known.unrecorded).map(([id, { since }]) => [id, { since, isMarked: true }]);
  return { ...known, marks: [...known.marks, ...marks], unrecorded: Object.fromEntries(all) };
}

/** Whether something could not be recorded yet. */
export function hasUnrecorded({ unrecorded }: ProcessState): boolean {
  return Object.keys(unrecorded).length > 0;
}

/** Whether something could not be recorded of which no check run of ours says so. */
export function hasUnmarked({ unrecorded }: ProcessState): boolean {
  return Object.values(unrecorded).some(({ isMarked }) => !isMarked);
}

/** The check runs that say of something that it could not be recorded, which is no longer true. */
export function outdatedMarks(known: ProcessState): readonly number[] {
  return hasUnrecorded(known) ? [] : known.marks;
}

/** What the process knows to void earlier approvals. */
export function voidings({ unrecorded }: ProcessState): readonly Voiding[] {
  return Object.values(unrecorded).map(({ since: at }) => ({ why: 'unrecorded', at }));
}

/**
 * How long what GitHub confirmed may be relied upon, in milliseconds; what passed long ago may have fallen.
 */
const confirmedForMs = 60_000;

/** GitHub has confirmed, or has not, what the approval of the run rests on. */
export function confirmed(
  known: ProcessState,
  state: State,
  { is, at }: { is: boolean; at: Date },
): ProcessState {
  return { ...known, confirmed: is ? { approval: approvalKey(state), at } : undefined };
}

/** Whether the approval of the run need not be checked again. */
export function isConfirmed(known: ProcessState, state: State, now: Date): boolean {
  const { isInDoubt, confirmed } = known;
  if (isInDoubt || hasUnrecorded(known) || confirmed?.approval !== approvalKey(state)) return false;
  return now.getTime() - confirmed.at.getTime() < confirmedForMs;
}

/** How long the check of an approved run may fail before its approvals fall, in milliseconds. */
const patienceMs = 10 * 60_000;

/** The check of the approved run has failed, or has not. */
export function checked(known: ProcessState, failing: Date | undefined): ProcessState {
  return { ...known, failing_since: failing && (known.failing_since ?? failing) };
}

/** Whether the check of the approved run has failed for too long. */
export function isFailingTooLong({ failing_since }: ProcessState, now: Date): boolean {
  return failing_since !== undefined && now.getTime() - failing_since.getTime() >= patienceMs;
}

/** What people wrote until then was read. */
export function readUpTo(known: ProcessState, time: string): ProcessState {
  return { ...known, read_up_to: later(known.read_up_to, time) };
}

/** Something has failed once more, or succeeded: then its failures count no longer. */
export function tried(known: ProcessState, name: string, { failed }: { failed: boolean }): ProcessState {
  const { [name]: times = 0, ...others } = known.failures;
  return { ...known, failures: failed ? { ...others, [name]: times + 1 } : others };
}

/** Whether something has failed that often. */
export function hasFailed({ failures }: ProcessState, name: string, times: number): boolean {
  return (failures[name] ?? 0) >= times;
}

/**
 * Another bot may undo what we put right again and again, and one change of labels is several events; beyond
 * this the sweep puts them right.
 */
const maxRepairs = 30;
const withinMs = 3_600_000;

/** What somebody changed on the pull request is put right once more, or put off if that was too often. */
export function repaired(known: ProcessState, now: Date): ProcessState {
  const time = now.getTime();
  const repairs = known.repairs.filter((each) => each > time - withinMs);
  const isPutOff = repairs.length >= maxRepairs;
  return { ...known, isPutOff, repairs: isPutOff ? repairs : [...repairs, time] };
}

/** A restored ledger is newer than the lost one, whatever the number of events in that one. */
export function isNewer(state: State, than: State): boolean {
  // That state stood for a ledger that could not be read; now it can.
  if (than.standing.phase === 'paused' && than.standing.why === 'ledger_lost') return true;
  const [restored = '', before = ''] = [state.restored?.at, than.restored?.at];
  if (restored === before) return state.seq > than.seq;
  return restored !== '' && (before === '' || isBefore(before, restored));
}

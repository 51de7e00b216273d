import { isBefore } from '../shapes/time.ts';
import type { EventOf } from '../state/event.ts';
import type { State } from '../state/state.ts';

/**
 * For a while GitHub may answer with what a pull request was before the last event in the ledger. Such an
 * answer must not be recorded: it would undo that event, which is in the ledger and not recorded again.
 */

/** A pull request as GitHub answers, with its times. */
interface Answer {
  readonly open: boolean;
  readonly base_ref: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
}

/** Whether a closing or reopening has been undone since, unless the answer is older than its delivery. */
export function isUndoneOn(
  now: Pick<Answer, 'open' | 'updated_at' | 'closed_at'>,
  { type, at }: EventOf<'closed' | 'reopened'>,
): boolean {
  if (type === 'closed') return now.open && !isBefore(now.updated_at, at);
  return now.closed_at !== null && !isBefore(now.closed_at, at);
}

/** Whether the base is not the one in the ledger, by an answer that is not older than that. */
export function isNewBase(state: State, pull: Pick<Answer, 'base_ref' | 'updated_at'>): boolean {
  return pull.base_ref !== state.run.base && !isBeforeBase(state, pull);
}

/** Whether the base in the ledger is newer than what was read. */
export function isBeforeBase(
  { base_at }: Pick<State, 'base_at'>,
  { updated_at }: Pick<Answer, 'updated_at'>,
): boolean {
  return base_at !== undefined && isBefore(updated_at, base_at);
}

/** Whether the ledger knows that the pull request was reopened after this closing. */
export function isBeforeReopening(seen: ReadonlySet<string>, closed_at: string): boolean {
  return knowsLater('reopened', seen, closed_at);
}

/** Whether the ledger knows that the pull request was closed after this reopening. */
export function isBeforeClosing(seen: ReadonlySet<string>, reopened_at: string): boolean {
  return knowsLater('closed', seen, reopened_at);
}

/** These events are named after their times. */
function knowsLater(turn: 'closed' | 'reopened', seen: ReadonlySet<string>, at: string): boolean {
  const named = `${turn}:`;
  const times = [...seen].filter((id) => id.startsWith(named)).map((id) => id.slice(named.length));
  return times.some((time) => isBefore(at, time));
}

/**
 * What a change of base is recorded as. GitHub's times have whole seconds, so an old answer from the second
 * of the change may have undone it in the ledger; the same change is then recorded once more.
 */
export function retargetId(
  { base, at }: { readonly base: string; readonly at: string },
  { seen, seq }: { readonly seen: ReadonlySet<string>; readonly seq: number },
): string {
  const id = `retargeted:${base}@${at}`;
  return seen.has(id) ? `${id}+${seq}` : id;
}

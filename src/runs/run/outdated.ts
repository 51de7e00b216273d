import type { PullFacts } from '../../github/read/pulls.ts';
import type { State } from '../../steering/state/state.ts';

/**
 * For a while GitHub may answer with what a pull request was before the last event in the ledger. Such an
 * answer must not be recorded: it would undo that event, which is in the ledger and not recorded again.
 */

/** Whether the base in the ledger is newer than what was read. */
export function isBeforeBase(
  { base_at }: Pick<State, 'base_at'>,
  pull: Pick<PullFacts, 'updated_at'>,
): boolean {
  return base_at !== undefined && Date.parse(pull.updated_at) < Date.parse(base_at);
}

/** Whether the ledger knows that the pull request was reopened after this closing. */
export function isBeforeReopening(seen: ReadonlySet<string>, closed_at: string): boolean {
  return isBefore(seen, { turn: 'reopened', at: closed_at });
}

/** Whether the ledger knows that the pull request was closed after this reopening. */
export function isBeforeClosing(seen: ReadonlySet<string>, reopened_at: string): boolean {
  return isBefore(seen, { turn: 'closed', at: reopened_at });
}

/** These events are named after their times. */
function isBefore(
  seen: ReadonlySet<string>,
  { turn, at }: { readonly turn: 'closed' | 'reopened'; readonly at: string },
): boolean {
  const named = `${turn}:`;
  const times = [...seen].filter((id) => id.startsWith(named)).map((id) => id.slice(named.length));
  return times.some((time) => Date.parse(time) > Date.parse(at));
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

import type { PullFacts } from '../github/read/pulls.ts';
import type { State } from '../steering/state.ts';

/**
 * For a while GitHub may answer with what a pull request was before the last event in the ledger. What it
 * tells then must not be recorded: it would undo that event, which is in the ledger and is not recorded again.
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
  return [...seen].some((id) => {
    const [, reopened_at] = /^reopened:(.+)$/.exec(id) ?? [];
    return reopened_at !== undefined && Date.parse(reopened_at) > Date.parse(closed_at);
  });
}
